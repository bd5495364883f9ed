/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_code_object.h"

#include "base/file.h"
#include "base/path.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* Arguments of what makes one again. */
enum { IMAGE, CODE_TYPE, NAME, SYMBOL_MAPPING };

static const char maker[] = "ObjectCode._reduce_helper";

static const struct pickle_value *argument(const struct pickle_value *value, size_t number)
{
    return pickle_is_call(value, maker) ? pickle_item(pickle_item(value, 1), number) : NULL;
}

bool code_object_is(const struct pickle_value *value)
{
    const struct pickle_value *image = argument(value, IMAGE);
    return image && image->kind == PICKLE_BYTES;
}

const struct pickle_value *code_object_image(const struct pickle_value *value)
{
    return argument(value, IMAGE);
}

static bool is_string(const struct pickle_value *value)
{
    return value && (value->kind == PICKLE_TEXT || value->kind == PICKLE_BYTES) && value->size > 0;
}

static char *copy_of(const struct pickle_value *value)
{
    return strndup((const char *)value->bytes, value->size);
}

/* Kernels that a source names by an expression. */
static cubinet_status add_names(const struct pickle_value *mapping, struct import_item *item)
{
    for (size_t i = 0; mapping && mapping->kind == PICKLE_DICT && i + 1 < mapping->item_count; i += 2) {
        if (!is_string(mapping->items[i]) || !is_string(mapping->items[i + 1])) {
            continue;
        }
        char *lowered = copy_of(mapping->items[i + 1]);
        struct import_kernel *kernel = lowered ? import_item_kernel(item, lowered) : NULL;
        free(lowered);
        if (!kernel || !(kernel->expression = copy_of(mapping->items[i]))) {
            return cbn_error_memory();
        }
    }
    return CUBINET_OK;
}

/* The program's name, mostly that of a source file, without its suffix. */
static cubinet_status set_name(const struct pickle_value *name, struct import_item *item)
{
    if (is_string(name)) {
        char *whole = copy_of(name);
        item->name = whole && path_name(whole)[0] ? path_stem(whole) : NULL;
        free(whole);
        return item->name ? CUBINET_OK : cbn_error_memory();
    }
    return CUBINET_OK;
}

static cubinet_status add(const char *path, const struct pickle_value *value, struct import_list *list)
{
    const struct pickle_value *image = code_object_image(value);
    struct import_item *item = import_list_add(list, path);
    cubinet_status status = item ? import_item_take(item, image->bytes, image->size) : cbn_error_memory();
    if (!status) {
        status = set_name(argument(value, NAME), item);
    }
    return status ? status : add_names(argument(value, SYMBOL_MAPPING), item);
}

static cubinet_status add_all(const char *path, const struct pickle *pickle, struct import_list *list,
                              bool *out_is_one)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < pickle->value_count; i++) {
        const struct pickle_value *value = pickle->values[i];
        if (code_object_is(value)) {
            *out_is_one = true;
            status = add(path, value, list);
        } else if (pickle_is_call(value, maker)) {
            status = cbn_error(
                CUBINET_ERROR_INVALID_ARGUMENT,
                "'%s' is an ObjectCode of cuda.core's whose code is in another file: pack that file", path);
        }
    }
    return status;
}

cubinet_status import_code_objects(const char *path, struct import_list *list, bool *out_is_one)
{
    char *data = NULL;
    size_t size = 0;
    struct pickle pickle = {0};
    *out_is_one = false;
    cubinet_status status = file_read(path, &data, &size);
    if (!status && pickle_is(data, size)) {
        cubinet_status read = pickle_read(data, size, &pickle);
        status =
            read == CUBINET_ERROR_OUT_OF_MEMORY ? read : CUBINET_OK; /* other programs' pickles are ignored */
        status = status ? status : add_all(path, &pickle, list, out_is_one);
    }
    pickle_free(&pickle);
    free(data);
    return status;
}
