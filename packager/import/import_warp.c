/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_warp.h"

#include "base/file.h"
#include "base/path.h"
#include "import/import_warp_source.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <dirent.h>
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
    char *source;     /* NULL: it is not there */
    const char *stem; /* the module's files are called so, up to a dot */
    size_t stem_size;
    size_t name_size; /* of the stem without a digest. strip_hash=True makes all names without */
    int folder_size;  /* of the path, with its '/' */
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
static cubinet_status read_kernel(const char *source, struct import_kernel *kernel)
{
    cubinet_launch_record *known = &kernel->record.known;
    known->block[0] = import_warp_block(source);
    known->block[1] = known->block[2] = known->block[0] ? 1 : 0;
    kernel->bounds = import_warp_dimensions(source, kernel->name);
    return import_warp_names(source, kernel->name, &kernel->record);
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
    return reading->source ? read_kernel(reading->source, kernel) : CUBINET_OK;
}

/* Of several kernels with one name, the instances of a generic kernel, none is called so. */
static void drop_shared_expressions(struct import_item *item)
{
    for (size_t i = 0; i < item->kernel_count; i++) {
        bool is_shared = false;
        for (size_t j = i + 1; j < item->kernel_count && item->kernels[i].expression; j++) {
            if (item->kernels[j].expression &&
                strcmp(item->kernels[i].expression, item->kernels[j].expression) == 0) {
                is_shared = true;
                free(item->kernels[j].expression);
                item->kernels[j].expression = NULL;
            }
        }
        if (is_shared) {
            free(item->kernels[i].expression);
            item->kernels[i].expression = NULL;
        }
    }
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
    drop_shared_expressions(item);
    return status;
}

/* Adds "MODULE.sm90.cubin" of the folder. */
static cubinet_status add_image(const struct reading *reading, const char *file, struct import_list *list)
{
    char *path = NULL;
    if (asprintf(&path, "%.*s%s", reading->folder_size, reading->path, file) < 0) {
        return cbn_error_memory();
    }
    struct import_item *item = import_list_add(list, path);
    free(path);
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

/* Whether a file of the folder is an image of the module. */
static bool is_image(const struct reading *reading, const char *file)
{
    size_t size = strlen(file);
    return strncmp(file, reading->stem, reading->stem_size) == 0 && file[reading->stem_size] == '.' &&
           (ends_with(file, size, ".cubin") || ends_with(file, size, ".ptx"));
}

static cubinet_status add_images(const struct reading *reading, struct import_list *list, bool *out_found)
{
    char *folder = reading->folder_size ? strndup(reading->path, (size_t)reading->folder_size) : strdup(".");
    struct dirent **files = NULL;
    int count = folder ? scandir(folder, &files, NULL, alphasort) : -1;
    cubinet_status status = CUBINET_OK;
    for (int i = 0; i < count; i++) {
        if (!status && is_image(reading, files[i]->d_name)) {
            *out_found = true;
            status = add_image(reading, files[i]->d_name, list);
        }
        free(files[i]);
    }
    free(files);
    free(folder);
    return status;
}

/* The source may have been left behind. */
static cubinet_status read_source(struct reading *reading)
{
    char *path = NULL;
    size_t size;
    if (asprintf(&path, "%.*s%.*s.cu", reading->folder_size, reading->path, (int)reading->stem_size,
                 reading->stem) < 0) {
        return cbn_error_memory();
    }
    cubinet_status status = access(path, R_OK) == 0 ? file_read(path, &reading->source, &size) : CUBINET_OK;
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
    struct reading reading = {.path = path, .stem = name, .stem_size = path_stem_size(name)};
    reading.folder_size = (int)(name - path);
    reading.name_size = size_without_hash(name, reading.stem_size, MODULE_DIGITS);
    *out_is_one = false;
    cubinet_status status = file_read(path, &text, &size);
    if (!status) {
        reading.json = json_loadb(text, size, 0, NULL);
        if (reading.json && is_warps(reading.json)) {
            status = read_source(&reading);
            status = status ? status : add_images(&reading, list, out_is_one);
        }
    }
    json_decref(reading.json);
    free(reading.source);
    free(text);
    return status;
}
