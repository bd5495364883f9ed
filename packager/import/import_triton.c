/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_triton.h"

#include "base/file.h"
#include "base/json_input.h"
#include "base/path.h"
#include "import/import_ttir.h"
#include "loader/core/support/error.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VARIANT_SIZE = 8, MOST_WARPS = 64, MOST_CTAS = 16 };

/* A json being read. */
struct reading {
    const char *path;
    json_t *json;
    const char *name; /* of the kernel, in the json */
    char *stem;       /* of the files: the function's name, which the kernel's need not be */
};

/* A number that need not be there; `absent` if it is not. */
static cubinet_status read_number(const struct reading *reading, const char *key, uint64_t absent,
                                  uint64_t most, uint64_t *out_number)
{
    const json_t *value = json_object_get(reading->json, key);
    if (!value || json_is_null(value)) {
        *out_number = absent;
        return CUBINET_OK;
    }
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    if (number < 0 || (uint64_t)number > most) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "'%s': '%s' should be a number from 0 to %llu, but is not: Triton did not write "
                         "this json, or it is damaged",
                         reading->path, key, (unsigned long long)most);
    }
    *out_number = (uint64_t)number;
    return CUBINET_OK;
}

/* "DIR/NAME.SUFFIX" beside the json, which the caller frees; NULL if memory is out. */
static char *beside(const char *path, const char *name, const char *suffix)
{
    char *text = NULL;
    int folder = (int)(path_name(path) - path);
    return asprintf(&text, "%.*s%s.%s", folder, path, name, suffix) < 0 ? NULL : text;
}

/* The cubin, or PTX where there is none; NULL if memory is out or there is neither. */
static char *find_image(const struct reading *reading, cubinet_status *out_status)
{
    static const char *const suffixes[] = {"cubin", "ptx"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char *image = beside(reading->path, reading->stem, suffixes[i]);
        if (!image || access(image, R_OK) == 0) {
            *out_status = image ? CUBINET_OK : cbn_error_memory();
            return image;
        }
        free(image);
    }
    *out_status = CUBINET_OK;
    return NULL;
}

static cubinet_status read_shape(const struct reading *reading, struct import_kernel *kernel)
{
    cubinet_launch_record *known = &kernel->record.known;
    uint64_t shared = 0;
    uint64_t warps = 0;
    uint64_t warp_size = 32;
    uint64_t ctas = 1;
    cubinet_status status = read_number(reading, "shared", 0, UINT32_MAX - 1, &shared);
    if (!status) {
        status = read_number(reading, "num_warps", 0, MOST_WARPS, &warps);
    }
    if (!status) {
        status = read_number(reading, "warp_size", 32, 32, &warp_size);
    }
    if (!status) {
        status = read_number(reading, "num_ctas", 1, MOST_CTAS, &ctas);
    }
    if (status) {
        return status;
    }
    known->dynamic_shared_bytes = (uint32_t)shared;
    if (shared > 0) {
        known->flags |= CUBINET_RECORD_TAKES_DYNAMIC_SHARED;
    }
    if (json_is_true(json_object_get(reading->json, "launch_cooperative_grid"))) {
        known->flags |= CUBINET_RECORD_COOPERATIVE;
    }
    for (size_t i = 0; i < 3; i++) {
        known->block[i] = warps == 0 ? 0 : i == 0 ? (uint32_t)(warps * warp_size) : 1;
        known->grid_factor[i] = ctas > 1 ? i == 0 ? (uint32_t)ctas : 1 : 0;
        known->cluster[i] = known->grid_factor[i];
    }
    return CUBINET_OK;
}

/* Later releases pass a buffer for the kernel's own use, and still later ones one for a profiler, too. */
static cubinet_status read_trailing(const struct reading *reading, struct import_kernel *kernel)
{
    static const struct {
        cubinet_hidden_kind kind;
        const char *size;
        const char *alignment;
    } buffers[IMPORT_TRAILING] = {
        {CUBINET_HIDDEN_SCRATCH, "global_scratch_size", "global_scratch_align"},
        {CUBINET_HIDDEN_PROFILE, "profile_scratch_size", "profile_scratch_align"},
    };
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < IMPORT_TRAILING && json_object_get(reading->json, buffers[i].size); i++) {
        uint64_t bytes = 0;
        uint64_t alignment = 1;
        status = read_number(reading, buffers[i].size, 0, INT64_MAX, &bytes);
        if (!status) {
            status = read_number(reading, buffers[i].alignment, 1, 1 << 20, &alignment);
        }
        if (status) {
            return status;
        }
        kernel->trailing[kernel->trailing_count++] = (cubinet_hidden_param){
            .kind = buffers[i].kind,
            .bytes_per_block = bytes,
            .alignment = alignment > 1 ? (uint32_t)alignment : 0,
        };
    }
    return status;
}

/* *out_text stays NULL if there is no such file. */
static cubinet_status read_beside(const struct reading *reading, const char *suffix, char **out_text)
{
    char *path = beside(reading->path, reading->stem, suffix);
    size_t size;
    cubinet_status status = path ? CUBINET_OK : cbn_error_memory();
    if (!status && access(path, R_OK) == 0) {
        status = file_read(path, out_text, &size);
    }
    free(path);
    return status;
}

/* Triton's own digest is another for each target. The source, which later releases keep, is the IR before
 * anything was done to it for the target. */
static cubinet_status read_ir(const struct reading *reading, struct import_item *item)
{
    char *ir = NULL;
    char *source = NULL;
    cubinet_status status = read_beside(reading, "ttir", &ir);
    status = status ? status : read_beside(reading, "source", &source);
    const char *text = source ? source : ir;
    if (!status && text && !(item->identity = import_ttir_identity(text))) {
        status = cbn_error_memory();
    }
    if (!status && ir) {
        status = import_ttir_names(ir, reading->name, &item->kernels[0].record);
    }
    free(source);
    free(ir);
    return status;
}

static cubinet_status note_descriptors(const struct reading *reading, struct import_list *list)
{
    const json_t *descriptors = json_object_get(reading->json, "tensordesc_meta");
    return json_array_size(descriptors) == 0
               ? CUBINET_OK
               : cbn_text_list_addf(&list->notes,
                                    "'%s': kernel '%s' takes tensor descriptors (CUtensorMap), which a "
                                    "program makes with cuTensorMapEncodeTiled()",
                                    reading->path, reading->name);
}

/* "add_kernel.64E72GTT", of the folder that Triton names by a digest. */
static char *variant_of(const struct reading *reading)
{
    const char *end = path_name(reading->path);
    const char *start = end;
    char *variant = NULL;
    while (start > reading->path && (start == end || start[-1] != '/')) {
        start--;
    }
    size_t size = end > start ? (size_t)(end - start) - 1 : 0;
    int shown = (int)(size < VARIANT_SIZE ? size : VARIANT_SIZE);
    return shown == 0 || asprintf(&variant, "%s.%.*s", reading->name, shown, start) < 0 ? NULL : variant;
}

static cubinet_status add(const struct reading *reading, const char *image, struct import_list *list)
{
    struct import_item *item = import_list_add(list, image);
    struct import_kernel *kernel = item ? import_item_kernel(item, reading->name) : NULL;
    if (!kernel) {
        return cbn_error_memory();
    }
    item->name = strdup(reading->name);
    item->variant = variant_of(reading);
    cubinet_status status = item->name ? CUBINET_OK : cbn_error_memory();
    if (!status) {
        status = read_shape(reading, kernel);
    }
    if (!status) {
        status = read_trailing(reading, kernel);
    }
    if (!status) {
        status = read_ir(reading, item);
    }
    return status ? status : note_descriptors(reading, list);
}

/* What every release writes. */
static bool is_tritons(const json_t *json)
{
    return json_is_string(json_object_get(json, "name")) && json_object_get(json, "num_warps") &&
           json_object_get(json, "shared") && json_object_get(json, "num_stages");
}

cubinet_status import_triton(const char *path, struct import_list *list, bool *out_is_one)
{
    char *text = NULL;
    size_t size = 0;
    cubinet_status status = file_read(path, &text, &size);
    struct reading reading = {.path = path};
    status = status ? status : json_input_try(text, size, &reading.json);
    *out_is_one = !status && is_tritons(reading.json);
    if (*out_is_one) {
        reading.name = json_string_value(json_object_get(reading.json, "name"));
        reading.stem = path_stem(path);
        char *image = reading.stem ? find_image(&reading, &status) : NULL;
        status = reading.stem ? status : cbn_error_memory();
        *out_is_one = image != NULL;
        if (image) {
            status = add(&reading, image, list);
        }
        free(image);
        free(reading.stem);
    }
    json_decref(reading.json);
    free(text);
    return status;
}
