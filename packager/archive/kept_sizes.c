/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/kept_sizes.h"

#include "image/cubin.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "ptx/reading/ptx.h"

#include <stdlib.h>
#include <string.h>

/* A module's variables, in byte order of names. */
struct globals {
    cubinet_global_info *items;
    uint32_t count;
};

static cubinet_status read_globals(const cubinet_archive *archive, uint32_t module, struct globals *globals)
{
    globals->items = calloc((size_t)globals->count + 1, sizeof(*globals->items));
    cubinet_status status = globals->items ? CUBINET_OK : cbn_error_memory();
    for (uint32_t i = 0; !status && i < globals->count; i++) {
        globals->items[i].size = sizeof(globals->items[i]);
        status = cubinet_archive_get_global(archive, module, i, &globals->items[i]);
    }
    return status;
}

static int compare_name(const void *name, const void *global)
{
    return strcmp(name, ((const cubinet_global_info *)global)->name);
}

static void add_contents(const struct globals *globals, int number, const struct contents *contents,
                         struct global_sizes *sizes)
{
    for (size_t i = 0; i < contents->global_count && globals->count > 0; i++) {
        const cubinet_global_info *global = bsearch(contents->globals[i].name, globals->items, globals->count,
                                                    sizeof(*globals->items), compare_name);
        if (global) {
            global_sizes_add(sizes, (struct global_sighting){(uint32_t)(global - globals->items), number,
                                                             contents->globals[i].bytes,
                                                             contents_global_flags(&contents->globals[i])});
        }
    }
}

static cubinet_status add_part(const cubinet_archive *archive, uint32_t module, uint32_t image, uint32_t part,
                               const struct globals *globals, struct kept_sizes *kept)
{
    struct contents contents = {0};
    struct cbn_image_bytes bytes;
    cubinet_target target = kept->images[kept->image_count - 1].target;
    if (target.kind != CUBINET_IMAGE_CUBIN && target.kind != CUBINET_IMAGE_PTX) {
        return CUBINET_OK;
    }
    cubinet_status status = cbn_archive_take_part(archive, module, image, part, false, &bytes);
    if (status) {
        return status;
    }
    bool is_read = target.kind == CUBINET_IMAGE_CUBIN ? !cubin_read(bytes.data, bytes.size, &contents)
                                                      : !ptx_read(bytes.data, bytes.size, &contents);
    if (is_read) {
        add_contents(globals, target.number, &contents, &kept->sizes);
    }
    contents_free(&contents);
    free(bytes.owned);
    return kept->sizes.failed ? cbn_error_memory() : CUBINET_OK;
}

static cubinet_status read_images(const cubinet_archive *archive, uint32_t module, const bool *wanted,
                                  uint32_t image_count, const struct globals *globals,
                                  struct kept_sizes *kept)
{
    cubinet_status status = CUBINET_OK;
    kept->images = calloc((size_t)image_count + 1, sizeof(*kept->images));
    if (!kept->images) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; !status && i < image_count; i++) {
        if (wanted[i]) {
            cubinet_image_info *info = &kept->images[kept->image_count++];
            info->size = sizeof(*info);
            status = cubinet_archive_get_image(archive, module, i, info);
            for (uint32_t j = 0; !status && j < info->part_count; j++) {
                status = add_part(archive, module, i, j, globals, kept);
            }
        }
    }
    global_sizes_sort(&kept->sizes);
    return status;
}

cubinet_status kept_sizes_read(const cubinet_archive *archive, uint32_t module, const bool *kept,
                               struct kept_sizes *out_sizes)
{
    struct kept_sizes sizes = {0};
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(archive, module, &info);
    struct globals globals = {.count = info.global_count};
    if (!status) {
        status = read_globals(archive, module, &globals);
    }
    if (!status && globals.count > 0) {
        status = read_images(archive, module, kept, info.image_count, &globals, &sizes);
    }
    free(globals.items);
    if (status) {
        kept_sizes_free(&sizes);
        return status;
    }
    *out_sizes = sizes;
    return CUBINET_OK;
}

void kept_sizes_free(struct kept_sizes *sizes)
{
    free(sizes->images);
    global_sizes_free(&sizes->sizes);
    *sizes = (struct kept_sizes){0};
}

struct global_facts kept_sizes_of(const struct kept_sizes *sizes, uint32_t global,
                                  struct global_facts recorded)
{
    return global_sizes_settle(&sizes->sizes, global, recorded, sizes->images, sizes->image_count);
}
