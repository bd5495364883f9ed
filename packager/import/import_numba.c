/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_numba.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/path.h"
#include "import/import_code_object.h"
#include "import/import_numba_index.h"
#include "import/import_numba_names.h"
#include "import/pickle.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_VARIANT = 150 };

/* A kernel of the cache. */
struct cached {
    const char *path;
    const struct pickle_value *name;    /* in the image */
    const struct pickle_value *kernel;  /* its dict */
    const struct pickle_value *library; /* the dict of its code; NULL: there is none */
    const struct pickle_value *image;
    const struct pickle_value *types; /* of the arguments */
    struct numba_entry entry;         /* of the index */
};

/* The cubin in {(9, 0, "a"): ObjectCode}; releases before 0.20 kept bytes. */
static const struct pickle_value *find_cubin(const struct pickle_value *cubins)
{
    for (size_t i = 1; cubins && cubins->kind == PICKLE_DICT && i < cubins->item_count; i += 2) {
        const struct pickle_value *value = cubins->items[i];
        if (code_object_is(value)) {
            return code_object_image(value);
        }
        if (value->kind == PICKLE_BYTES) {
            return value;
        }
    }
    return NULL;
}

/* numba-cuda keeps a kernel with a library of code. */
static void find_library(const struct pickle *pickle, struct cached *out)
{
    for (size_t i = 0; i < pickle->value_count && !out->image; i++) {
        out->library = pickle->values[i];
        out->image = find_cubin(pickle_get(out->library, "cubin_cache"));
    }
    out->name = pickle_get(pickle->top, "name");
    out->types = pickle_item(pickle_item(pickle_get(pickle->top, "signature"), 2), 1);
}

/* numba-cuda-mlir keeps what came out of a compile. */
static void find_result(const struct pickle *pickle, struct cached *out)
{
    const struct pickle_value *cubin = pickle_get(pickle->top, "cubin");
    out->image = cubin && cubin->kind == PICKLE_BYTES ? cubin : NULL;
    out->library = NULL;
    out->name = pickle_get(pickle->top, "func_name");
    out->types = pickle_get(pickle->top, "signature_args");
}

/* Text that C can have: a name that starts with NUL would be an empty one, which is in every text. */
static bool is_name(const struct pickle_value *value)
{
    return value && value->kind == PICKLE_TEXT && value->size > 0 && !memchr(value->bytes, '\0', value->size);
}

static bool find(const struct pickle *pickle, struct cached *out)
{
    out->kernel = pickle->top;
    find_library(pickle, out);
    if (!out->image) {
        find_result(pickle, out);
    }
    return out->image && is_name(out->name);
}

/* How much of "kernels.saxpy-4.py311.1.nbc" is the function with its modules. */
static size_t function_size(const char *file)
{
    size_t size = path_stem_size(file);
    for (size_t i = size; i > 0; i--) {
        if (file[i - 1] == '-' && isdigit((unsigned char)file[i])) {
            return i - 1;
        }
    }
    return size;
}

/* "kernels.saxpy(float32,array(float32,1d,C))": what numba calls the types, without blanks. Functions that
 * one place makes of different values have the start of a digest of these, too. */
static void put_variant(const struct cached *cached, const char *file, size_t size, struct buffer *out)
{
    buffer_append(out, file, size);
    for (size_t i = 0; cached->types && i < cached->types->item_count; i++) {
        const struct pickle_value *name = import_numba_type_name(cached->types->items[i]);
        buffer_puts(out, i == 0 ? "(" : ",");
        for (size_t j = 0; name && j < name->size; j++) {
            if (name->bytes[j] != ' ') {
                buffer_append(out, name->bytes + j, 1);
            }
        }
    }
    buffer_puts(out, cached->types && cached->types->item_count > 0 ? ")" : "");
    if (cached->entry.closure[0]) {
        buffer_printf(out, ".%s", cached->entry.closure);
    }
}

static cubinet_status name_item(const struct cached *cached, struct import_item *item)
{
    const char *file = path_name(cached->path);
    size_t size = function_size(file);
    struct buffer variant = {0};
    put_variant(cached, file, size, &variant);
    if (variant.size > LONGEST_VARIANT) {
        buffer_free(&variant);
        buffer_append(&variant, file, path_stem_size(file));
    }
    item->name = strndup(file, size);
    item->variant = buffer_take(&variant);
    item->identity = item->variant ? strdup(item->variant) : NULL;
    return item->name && item->identity ? CUBINET_OK : cbn_error_memory();
}

/* What the source calls the function: its last name. */
static char *expression_of(const struct cached *cached, const struct import_item *item)
{
    const struct pickle_value *name = pickle_get(cached->library, "name");
    const char *dot = strrchr(item->name, '.');
    return is_name(name) ? strndup((const char *)name->bytes, name->size)
                         : strdup(dot ? dot + 1 : item->name);
}

static cubinet_status add_names(const struct cached *cached, struct import_kernel *kernel)
{
    const struct pickle_value *irs = pickle_get(cached->library, "llvm_strs");
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && kernel->record.known.param_name_count == 0 && pickle_item(irs, i); i++) {
        const struct pickle_value *ir = pickle_item(irs, i);
        if (ir->kind == PICKLE_TEXT) {
            status = import_numba_names((const char *)ir->bytes, ir->size, kernel->name, cached->types,
                                        &kernel->record);
        }
    }
    return status;
}

static cubinet_status add_kernel(const struct cached *cached, struct import_item *item)
{
    const struct pickle_value *name = cached->name;
    const struct pickle_value *cooperative = pickle_get(cached->kernel, "cooperative");
    char *lowered = strndup((const char *)name->bytes, name->size);
    struct import_kernel *kernel = lowered ? import_item_kernel(item, lowered) : NULL;
    free(lowered);
    if (!kernel || !(kernel->expression = expression_of(cached, item))) {
        return cbn_error_memory();
    }
    if (cooperative && cooperative->kind == PICKLE_BOOL && cooperative->number) {
        kernel->record.known.flags |= CUBINET_RECORD_COOPERATIVE;
    }
    return add_names(cached, kernel);
}

static cubinet_status add(const struct cached *cached, struct import_list *list)
{
    struct import_item *item = import_list_add(list, cached->path);
    cubinet_status status =
        item ? import_item_take(item, cached->image->bytes, cached->image->size) : cbn_error_memory();
    if (!status) {
        status = name_item(cached, item);
    }
    return status ? status : add_kernel(cached, item);
}

/* What keeps a file out of the archive, or may do so with others. */
static cubinet_status add_note(const struct cached *cached, struct import_list *list)
{
    const struct numba_entry *entry = &cached->entry;
    char *note = NULL;
    int size = -1;
    if (entry->state == NUMBA_UNLISTED) {
        size = asprintf(
            &note,
            "'%s' is left out: its index, '%s', does not list it, so it is left over from an earlier "
            "source",
            cached->path, entry->index);
    } else if (entry->state == NUMBA_OUTDATED) {
        size = asprintf(&note,
                        "kernels of '%s' are left out: '%s' has changed since they were compiled; compile "
                        "those that you need again",
                        entry->index, entry->source);
    } else {
        size = asprintf(&note,
                        "there is no index '%s', or it is damaged: kernels of earlier sources may be "
                        "among those that were packed",
                        entry->index);
    }
    cubinet_status status = size < 0 ? cbn_error_memory() : cbn_text_list_add_once(&list->notes, note);
    free(size < 0 ? NULL : note);
    return status;
}

static cubinet_status leave_out(const struct cached *cached, struct import_list *list)
{
    struct import_item *item = import_list_add(list, cached->path);
    if (item) {
        item->is_left_out = true;
    }
    return item ? CUBINET_OK : cbn_error_memory();
}

/* Files of functions for the processor are in such folders, too, and nothing is said of them. */
static cubinet_status take(struct cached *cached, const struct pickle *pickle, struct import_list *list,
                           bool *out_is_one)
{
    enum numba_state state = cached->entry.state;
    bool is_kernel = find(pickle, cached);
    bool is_old = state == NUMBA_UNLISTED || state == NUMBA_OUTDATED;
    cubinet_status status = is_kernel && state != NUMBA_LISTED ? add_note(cached, list) : CUBINET_OK;
    *out_is_one = is_kernel || is_old;
    if (!status && is_old) {
        return leave_out(cached, list);
    }
    return status || !is_kernel ? status : add(cached, list);
}

cubinet_status import_numba(const char *path, struct import_list *list, bool *out_is_one)
{
    char *data = NULL;
    size_t size = 0;
    struct pickle pickle = {0};
    struct cached cached = {.path = path};
    *out_is_one = false;
    cubinet_status status = file_read(path, &data, &size);
    if (!status && pickle_is(data, size)) {
        cubinet_status read = pickle_read(data, size, &pickle);
        status = read == CUBINET_ERROR_OUT_OF_MEMORY ? read : import_numba_index_find(path, &cached.entry);
        if (!status && !read) {
            status = take(&cached, &pickle, list, out_is_one);
        }
    }
    numba_entry_free(&cached.entry);
    pickle_free(&pickle);
    free(data);
    return status;
}
