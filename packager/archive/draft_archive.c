/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a draft from open archives. */
#include "archive/draft_put.h"

#include "archive/image_budget.h"
#include "archive/kept_sizes.h"
#include "archive/stored_image.h"
#include "image/cubin.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/link/dependency.h"
#include "loader/link/dynamic_shared.h"

#include <cubinet/version.h>

#include <stdlib.h>
#include <string.h>

enum { LAUNCHES_SINCE = 4, DEPENDENCY_SINCE = 6 /* minor versions of the format */ };

/* What an archive records of one kernel in one image, as contents. */
static cubinet_status record_kernel(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                    uint32_t kernel, struct contents *contents)
{
    cubinet_kernel_info info = {.size = sizeof(info)};
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    cubinet_status status = cubinet_archive_get_kernel(archive, module, kernel, &info);
    if (!status) {
        status = cubinet_archive_get_resources(archive, module, image, kernel, &resources);
    }
    if (status) {
        return status;
    }
    struct contents_kernel *added = contents_add_kernel(contents, info.name, strlen(info.name));
    if (!added) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; resources.param_count != CUBINET_UNKNOWN && i < resources.param_count; i++) {
        cubinet_param *param = contents_add_param(added);
        if (!param) {
            return cbn_error_memory();
        }
        *param = resources.params[i];
    }
    added->resources = resources;
    added->resources.params = added->params;
    return launch_record_read(archive, module, image, kernel, &added->launch);
}

/* A process can map only so many files, so small ones are read. */
enum { LENDING_SIZE = 1 << 20 };

static bool is_large(const cubinet_archive *archive)
{
    cubinet_archive_info info = {.size = sizeof(info)};
    return !cubinet_archive_get_info(archive, &info) && info.archive_size >= LENDING_SIZE;
}

/* Where the archive's file can stand in for memory it does, so that packing large archives takes little. */
static cubinet_status take_bytes(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                 uint32_t part, struct draft_bytes *out_bytes)
{
    const void *lent = NULL;
    cubinet_part_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_part(archive, module, image, part, &info);
    if (!status && is_large(archive)) {
        status = cbn_archive_lend_part(archive, module, image, part, &lent);
    }
    if (!status && lent) {
        *out_bytes = (struct draft_bytes){
            .data = lent, .lender = cbn_archive_retain(archive), .size = (size_t)info.raw_size};
        return CUBINET_OK;
    }
    unsigned char *data = NULL;
    size_t size = 0;
    status = status ? status : part_read(archive, module, image, part, &data, &size);
    if (!status) {
        *out_bytes = (struct draft_bytes){.data = data, .owned = data, .size = size};
    }
    return status;
}

static bool is_known_kind(cubinet_image_kind kind)
{
    return kind >= CUBINET_IMAGE_CUBIN && kind <= CUBINET_IMAGE_OPTIXIR;
}

/* Of two archives with the same image both may say where it comes from. */
static cubinet_status keep_provenance(struct draft_image *image, const cubinet_archive *archive,
                                      uint32_t module, uint32_t number)
{
    struct provenance read;
    cubinet_status status = provenance_read(archive, module, number, &read);
    if (!status) {
        provenance_settle(&image->provenance, &read);
    }
    return status;
}

/* Archives of older versions do not record which kernels take dynamic shared memory. */
static cubinet_status note_dynamic_shared(const cubinet_archive *archive, const struct draft_bytes *bytes,
                                          struct contents *contents)
{
    cubinet_archive_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_info(archive, &info);
    if (status || info.format_minor >= LAUNCHES_SINCE) {
        return status;
    }
    if (contents->target.kind == CUBINET_IMAGE_PTX) {
        const char *text = (const char *)bytes->data;
        return cbn_dynamic_shared_of_ptx(text, strnlen(text, bytes->size), contents_note_dynamic_shared,
                                         contents);
    }
    if (contents->target.kind == CUBINET_IMAGE_CUBIN) {
        cubin_note_dynamic_shared(bytes->data, bytes->size, contents);
    }
    return CUBINET_OK;
}

/* Nor which kernels wait for others. */
static void note_dependency(const cubinet_archive *archive, const struct draft_bytes *bytes,
                            struct contents *contents)
{
    cubinet_archive_info info = {.size = sizeof(info)};
    if (cubinet_archive_get_info(archive, &info) || info.format_minor >= DEPENDENCY_SINCE) {
        return;
    }
    if (contents->target.kind == CUBINET_IMAGE_PTX) {
        const char *text = (const char *)bytes->data;
        cbn_dependency_of_ptx(text, strnlen(text, bytes->size), contents_note_dependency, contents);
    } else if (contents->target.kind == CUBINET_IMAGE_CUBIN) {
        cubin_note_dependency(bytes->data, bytes->size, contents);
    }
}

/* An image of an archive and its parts, on their way into a draft. */
struct archive_image {
    const cubinet_archive *archive;
    uint32_t module;
    uint32_t image;
    cubinet_image_info info;
    struct contents *contents; /* for each part */
    struct draft_bytes *bytes;
};

static cubinet_status record_kernels(const struct archive_image *image)
{
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(image->archive, image->module, &info);
    for (uint32_t i = 0; !status && i < info.kernel_count; i++) {
        uint32_t part;
        if (cbn_archive_image_has_kernel(image->archive, image->module, image->image, i)) {
            status = cubinet_archive_find_part(image->archive, image->module, image->image, i, &part);
            status = status ? status
                            : record_kernel(image->archive, image->module, image->image, i,
                                            &image->contents[part]);
        }
    }
    return status;
}

/* The variables that parts have. Their sizes and expressions are the module's. */
static cubinet_status record_globals(const struct archive_image *image)
{
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(image->archive, image->module, &info);
    for (uint32_t i = 0; !status && i < info.global_count; i++) {
        cubinet_global_info global = {.size = sizeof(global)};
        uint32_t part;
        if (cbn_archive_find_global_part(image->archive, image->module, image->image, i, &part)) {
            status = cubinet_archive_get_global(image->archive, image->module, i, &global);
            if (!status && !contents_add_global(&image->contents[part], global.name, strlen(global.name))) {
                status = cbn_error_memory();
            }
        }
    }
    return status;
}

static cubinet_status record_part(const struct archive_image *image, uint32_t part)
{
    struct contents *contents = &image->contents[part];
    cubinet_status status =
        take_bytes(image->archive, image->module, image->image, part, &image->bytes[part]);
    if (!status) {
        note_dependency(image->archive, &image->bytes[part], contents);
        image->bytes[part].contents = contents;
        status = note_dynamic_shared(image->archive, &image->bytes[part], contents);
    }
    return status;
}

static cubinet_status record_image(const struct archive_image *image)
{
    for (uint32_t i = 0; i < image->info.part_count; i++) {
        image->contents[i] = (struct contents){
            .target = image->info.target, .toolkit = image->info.toolkit, .ptx_isa = image->info.ptx_isa};
    }
    cubinet_status status = record_kernels(image);
    if (!status) {
        status = image->info.part_count > 1 ? record_globals(image)
                                            : symbol_list_read(image->archive, image->module, image->image,
                                                               &image->info, &image->contents[0].symbols);
    }
    for (uint32_t i = 0; !status && i < image->info.part_count; i++) {
        status = record_part(image, i);
    }
    return status;
}

/* Takes over what was recorded, also on failure. */
static cubinet_status put_image(struct draft_module *to, const struct archive_image *image,
                                const char *origin)
{
    struct draft_image *added = NULL;
    cubinet_status status =
        draft_put(to, image->info.target, image->bytes, image->info.part_count, origin, &added);
    for (uint32_t i = 0; !status && i < image->info.part_count; i++) {
        added[i].link_floor = image->info.link_floor;
    }
    return status ? status : keep_provenance(added, image->archive, image->module, image->image);
}

static void archive_image_free(struct archive_image *image)
{
    for (uint32_t i = 0; image->contents && i < image->info.part_count; i++) {
        contents_free(&image->contents[i]);
    }
    free(image->contents);
    free(image->bytes);
}

static cubinet_status add_archive_image(struct draft_module *to, const cubinet_archive *archive,
                                        uint32_t module, uint32_t number, const char *origin)
{
    struct archive_image image = {archive, module, number, {.size = sizeof(image.info)}, NULL, NULL};
    cubinet_status status = cubinet_archive_get_image(archive, module, number, &image.info);
    if (status) {
        return status;
    }
    if (!is_known_kind(image.info.target.kind)) {
        return cbn_error(
            CUBINET_ERROR_NEWER_FORMAT,
            "module '%s' has an image of kind %d, which cubinet %s does not know: update Cubinet, or "
            "leave the module out",
            to->name, (int)image.info.target.kind, cubinet_version());
    }
    image.contents = calloc(image.info.part_count, sizeof(*image.contents));
    image.bytes = calloc(image.info.part_count, sizeof(*image.bytes));
    status = image.contents && image.bytes ? record_image(&image) : cbn_error_memory();
    if (!status) {
        status = put_image(to, &image, origin);
    } else {
        for (uint32_t i = 0; image.bytes && i < image.info.part_count; i++) {
            draft_bytes_free(&image.bytes[i]);
        }
    }
    archive_image_free(&image);
    return status;
}

/* What is taken of an archive's module. */
struct taken {
    const cubinet_archive *archive;
    uint32_t module;
    cubinet_module_info info;
    const bool *wanted; /* for each image; NULL: all */
};

static bool is_wanted(const struct taken *taken, uint32_t image)
{
    return !taken->wanted || taken->wanted[image];
}

static bool has_wanted(const struct taken *taken)
{
    for (uint32_t i = 0; i < taken->info.image_count; i++) {
        if (is_wanted(taken, i)) {
            return true;
        }
    }
    return false;
}

/* Whether a kernel is in an image that is wanted. */
static bool has_wanted_kernel(const struct taken *taken, uint32_t kernel)
{
    for (uint32_t i = 0; taken->wanted && i < taken->info.image_count; i++) {
        if (taken->wanted[i] && cbn_archive_image_has_kernel(taken->archive, taken->module, i, kernel)) {
            return true;
        }
    }
    return !taken->wanted;
}

static cubinet_status add_archive_kernels(struct draft_module *to, const struct taken *taken)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < taken->info.kernel_count; i++) {
        cubinet_kernel_info info = {.size = sizeof(info)};
        if (has_wanted_kernel(taken, i)) {
            status = cubinet_archive_get_kernel(taken->archive, taken->module, i, &info);
            status = status ? status : draft_add_kernel(to, info.name, info.expression);
        }
    }
    return status;
}

/* Which image has which global is not recorded, so that all of them stay. */
static cubinet_status add_archive_globals(struct draft_module *to, const struct taken *taken)
{
    struct kept_sizes sizes = {0};
    cubinet_status status =
        taken->wanted ? kept_sizes_read(taken->archive, taken->module, taken->wanted, &sizes) : CUBINET_OK;
    for (uint32_t i = 0; !status && i < taken->info.global_count; i++) {
        cubinet_global_info info = {.size = sizeof(info)};
        status = cubinet_archive_get_global(taken->archive, taken->module, i, &info);
        if (!status) {
            const struct global_facts facts =
                kept_sizes_of(&sizes, i, (struct global_facts){info.bytes, info.flags});
            status = draft_add_global(to, info.name, info.expression, facts.bytes, facts.flags);
        }
    }
    kept_sizes_free(&sizes);
    return status;
}

/* Of chosen images, those that are true of them: a slice has no use for void ones. */
static cubinet_status add_archive_tunings(struct draft_module *to, const struct taken *taken)
{
    uint32_t count = 0;
    const char *const *told = NULL; /* instances that the draft has */
    cubinet_status status = cubinet_archive_get_tuning_count(taken->archive, taken->module, &count);
    for (uint32_t i = 0; !status && i < count; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning)};
        status = cubinet_archive_get_tuning(taken->archive, taken->module, i, &tuning);
        bool is_void = tuning.image == CUBINET_UNKNOWN;
        bool is_known = grid_rule_name(tuning.grid_rule) != NULL; /* otherwise of a newer version */
        if (!status && is_known && (is_void ? !taken->wanted : is_wanted(taken, tuning.image))) {
            const char *const *instances = tuning.instances;
            tuning.instance_count = instances == told ? 0 : tuning.instance_count; /* of the same set */
            status = draft_put_tuning(to, &tuning);
            told = instances;
        }
    }
    return status;
}

cubinet_status draft_add_archive_images(struct draft *draft, const cubinet_archive *archive, uint32_t module,
                                        const bool *wanted, const char *origin)
{
    struct taken taken = {archive, module, {.size = sizeof(taken.info)}, wanted};
    cubinet_status status = cubinet_archive_get_module(archive, module, &taken.info);
    if (status || !has_wanted(&taken)) {
        return status;
    }
    struct draft_module *to = draft_module(draft, taken.info.name);
    if (!to) {
        return cbn_error_memory();
    }
    status = add_archive_kernels(to, &taken);
    if (!status) {
        status = add_archive_globals(to, &taken);
    }
    for (uint32_t i = 0; !status && i < taken.info.image_count; i++) {
        if (is_wanted(&taken, i)) {
            status = add_archive_image(to, archive, module, i, origin);
        }
    }
    return status ? status : add_archive_tunings(to, &taken);
}

cubinet_status draft_add_archive_tunings(struct draft_module *to, const cubinet_archive *archive,
                                         uint32_t module)
{
    const struct taken all = {.archive = archive, .module = module};
    return add_archive_tunings(to, &all);
}

cubinet_status draft_add_archive_module(struct draft *draft, const cubinet_archive *archive, uint32_t module,
                                        const char *origin)
{
    return draft_add_archive_images(draft, archive, module, NULL, origin);
}

cubinet_status draft_add_archive(struct draft *draft, const cubinet_archive *archive, const char *origin)
{
    cubinet_status status = image_budget_check(archive);
    uint32_t count = cubinet_archive_get_module_count(archive);
    for (uint32_t i = 0; !status && i < count; i++) {
        status = draft_add_archive_module(draft, archive, i, origin);
    }
    return status;
}
