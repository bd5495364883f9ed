/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_warp.h"

#include "base/file.h"
#include "base/json_input.h"
#include "base/path.h"
#include "import/import_warp_source.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of digests in names. */
enum { MODULE_DIGITS = 7, KERNEL_DIGITS = 8 };

static const char bytes_suffix[] = "_smem_bytes";
static const char forward_suffix[] = "_cuda_kernel_forward";
static const char backward_suffix[] = "_cuda_kernel_backward";

/* A module being read. */
struct reading {
    const char *path; /* of the .meta */
    json_t *json;
    char *text; /* of the source; NULL: it is not there */
    struct warp_source source;
    const char *stem; /* the module's files are called so, up to a dot */
    size_t stem_size;
    size_t name_size; /* of the stem without a digest. strip_hash=True makes all names without */
    struct import_list *list;
    bool found; /* an image */
};

static bool ends_with(const char *text, size_t size, const char *suffix)
{
    size_t suffix_size = strlen(suffix);
    return size > suffix_size && memcmp(text + size - suffix_size, suffix, suffix_size) == 0;
}

static bool is_hash(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!isxdigit((unsigned char)text[i])) {
            return false;
        }
    }
    return true;
}

/* Names that Warp makes end with the start of a digest, "_27692f12". Without it they outlast changes. */
static size_t size_without_hash(const char *name, size_t size, size_t digits)
{
    const char *line = memrchr(name, '_', size);
    bool is_made =
        line && line > name && size - (size_t)(line + 1 - name) == digits && is_hash(line + 1, digits);
    return is_made ? (size_t)(line - name) : size;
}

/* "axpy" of axpy_27692f12_cuda_kernel_forward, "axpy_backward" of its other half. `is_hashed`: whether
 * there is a digest in it. */
static char *expression_of(const char *kernel, bool is_hashed)
{
    size_t size = strlen(kernel);
    bool is_backward = ends_with(kernel, size, backward_suffix);
    bool is_forward = ends_with(kernel, size, forward_suffix);
    char *expression = NULL;
    if (!is_backward && !is_forward) {
        return strdup(kernel);
    }
    size -= is_backward ? sizeof(backward_suffix) - 1 : sizeof(forward_suffix) - 1;
    size = is_hashed ? size_without_hash(kernel, size, KERNEL_DIGITS) : size;
    return asprintf(&expression, "%.*s%s", (int)size, kernel, is_backward ? "_backward" : "") < 0
               ? NULL
               : expression;
}

/* What Warp's source says of a kernel. */
static cubinet_status read_kernel(const struct warp_source *source, struct import_kernel *kernel)
{
    cubinet_launch_record *known = &kernel->record.known;
    known->block[0] = source->block;
    known->block[1] = known->block[2] = known->block[0] ? 1 : 0;
    kernel->bounds = warp_source_dimensions(source, kernel->name);
    return warp_source_names(source, kernel->name, &kernel->record);
}

/* What a key such as "axpy_27692f12_cuda_kernel_forward_smem_bytes" says. */
static cubinet_status add_kernel(const struct reading *reading, const char *key, const json_t *value,
                                 struct import_item *item)
{
    json_int_t bytes = json_integer_value(value);
    if (!json_is_integer(value) || bytes < 0 || bytes >= CUBINET_UNKNOWN) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "'%s': '%s' should be a number of bytes, but is not: Warp did not write this file, "
                         "or it is damaged",
                         reading->path, key);
    }
    char *name = strndup(key, strlen(key) - (sizeof(bytes_suffix) - 1));
    struct import_kernel *kernel = name ? import_item_kernel(item, name) : NULL;
    free(name);
    if (!kernel ||
        !(kernel->expression = expression_of(kernel->name, reading->name_size < reading->stem_size))) {
        return cbn_error_memory();
    }
    cubinet_launch_record *known = &kernel->record.known;
    known->dynamic_shared_bytes = (uint32_t)bytes;
    if (bytes > 0) {
        known->flags |= CUBINET_RECORD_TAKES_DYNAMIC_SHARED;
    }
    return reading->text ? read_kernel(&reading->source, kernel) : CUBINET_OK;
}

static int compare_expressions(const void *left, const void *right)
{
    const struct import_kernel *const *a = left;
    const struct import_kernel *const *b = right;
    return strcmp((*a)->expression, (*b)->expression);
}

static bool is_alike(struct import_kernel **sorted, size_t count, size_t i)
{
    return i < count && strcmp(sorted[i]->expression, sorted[i - 1]->expression) == 0;
}

/* Of several kernels with one name, the instances of a generic kernel, none is called so. */
static cubinet_status drop_shared_expressions(struct import_item *item)
{
    size_t count = item->kernel_count;
    struct import_kernel **sorted = calloc(count ? count : 1, sizeof(struct import_kernel *));
    if (!sorted) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &item->kernels[i];
    }
    qsort(sorted, count, sizeof(struct import_kernel *), compare_expressions);
    bool is_shared = false;
    for (size_t i = 1; i <= count; i++) {
        bool is_next_alike = is_alike(sorted, count, i);
        if (is_shared || is_next_alike) {
            free(sorted[i - 1]->expression);
            sorted[i - 1]->expression = NULL;
        }
        is_shared = is_next_alike;
    }
    free(sorted);
    return CUBINET_OK;
}

static cubinet_status add_kernels(const struct reading *reading, struct import_item *item)
{
    cubinet_status status = CUBINET_OK;
    for (void *at = json_object_iter(reading->json); !status && at;
         at = json_object_iter_next(reading->json, at)) {
        const char *key = json_object_iter_key(at);
        if (ends_with(key, strlen(key), bytes_suffix)) {
            status = add_kernel(reading, key, json_object_iter_value(at), item);
        }
    }
    if (!status) {
        import_item_sort(item);
        status = drop_shared_expressions(item);
    }
    return status;
}

/* Adds "MODULE.sm90.cubin" of the folder. */
static cubinet_status add_image(struct reading *reading, const char *path)
{
    struct import_item *item = import_list_add(reading->list, path);
    if (!item) {
        return cbn_error_memory();
    }
    const char *stem = reading->stem;
    size_t size = reading->name_size;
    bool has_prefix = strncmp(stem, "wp_", 3) == 0 && size > 3;
    item->name = has_prefix ? strndup(stem + 3, size - 3) : strndup(stem, size);
    item->variant = strndup(stem, reading->stem_size);
    item->identity = strndup(stem, reading->stem_size);
    return item->name && item->variant && item->identity ? add_kernels(reading, item) : cbn_error_memory();
}

static cubinet_status take_file(void *user, const char *file, const char *path)
{
    struct reading *reading = user;
    size_t size = strlen(file);
    if (file[reading->stem_size] != '.' ||
        (!ends_with(file, size, ".cubin") && !ends_with(file, size, ".ptx"))) {
        return CUBINET_OK;
    }
    reading->found = true;
    return add_image(reading, path);
}

/* The source may have been left behind. */
static cubinet_status read_source(struct reading *reading)
{
    size_t size;
    char *path = path_with_suffix(reading->path, ".cu");
    cubinet_status status = path ? CUBINET_OK : cbn_error_memory();
    if (!status && access(path, R_OK) == 0) {
        status = file_read(path, &reading->text, &size);
    }
    if (!status && reading->text) {
        status = warp_source_read(reading->text, &reading->source);
    }
    free(path);
    return status;
}

static bool is_warps(const json_t *json)
{
    const char *key = json_object_iter_key(json_object_iter((json_t *)json));
    return key && ends_with(key, strlen(key), bytes_suffix);
}

cubinet_status import_warp(const char *path, struct import_list *list, bool *out_is_one)
{
    char *text = NULL;
    size_t size = 0;
    const char *name = path_name(path);
    struct reading reading = {.path = path, .stem = name, .stem_size = path_stem_size(name), .list = list};
    reading.name_size = size_without_hash(name, reading.stem_size, MODULE_DIGITS);
    *out_is_one = false;
    cubinet_status status = file_read(path, &text, &size);
    status = status ? status : json_input_try(text, size, &reading.json);
    if (!status && reading.json && is_warps(reading.json)) {
        status = read_source(&reading);
        status =
            status ? status
                   : import_beside(&list->beside, path, reading.stem, reading.stem_size, take_file, &reading);
        *out_is_one = reading.found;
    }
    json_decref(reading.json);
    warp_source_free(&reading.source);
    free(reading.text);
    free(text);
    return status;
}
