/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/draft.h"

#include "archive/kept_sizes.h"
#include "archive/stored_image.h"
#include "image/cubin.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "loader/link/dynamic_shared.h"

#include <cubinet/version.h>

#include <stdlib.h>
#include <string.h>

enum { LAUNCHES_SINCE = 4 /* minor version of the format */ };

static void image_free(struct draft_image *image)
{
    for (size_t i = 0; i < image->use_count; i++) {
        free(image->uses[i].kernel);
        free(image->uses[i].params);
        launch_record_free(&image->uses[i].launch);
    }
    free(image->uses);
    symbol_list_free(&image->symbols);
    free(image->owned);
    cbn_archive_release(image->lender);
    free(image->origin);
    provenance_free(&image->provenance);
}

static void module_free(struct draft_module *module)
{
    for (size_t i = 0; i < module->image_count; i++) {
        image_free(&module->images[i]);
    }
    for (size_t i = 0; i < module->kernel_count; i++) {
        free(module->kernels[i].name);
        free(module->kernels[i].expression);
    }
    for (size_t i = 0; i < module->global_count; i++) {
        free(module->globals[i].name);
        free(module->globals[i].expression);
    }
    free(module->images);
    free(module->kernels);
    free(module->globals);
    free(module->name);
}

void draft_drop_empty(struct draft *draft, size_t least)
{
    for (size_t i = draft->module_count; i-- > 0 && draft->module_count > least;) {
        if (draft->modules[i].image_count == 0) {
            module_free(&draft->modules[i]);
            draft->module_count--;
            memmove(draft->modules + i, draft->modules + i + 1,
                    (draft->module_count - i) * sizeof(*draft->modules));
        }
    }
}

void draft_free(struct draft *draft)
{
    for (size_t i = 0; i < draft->module_count; i++) {
        module_free(&draft->modules[i]);
    }
    free(draft->modules);
    free(draft->archive_version);
    free(draft->abi);
    property_list_free(&draft->properties);
    *draft = (struct draft){0};
}

/* Opens a gap for a zeroed row at `place` and returns it, or NULL if memory is out. Room doubles at every
 * power of two, so the count alone tells how much there is. */
static void *insert_row(void **rows, size_t *count, size_t row_size, size_t place)
{
    if ((*count & (*count - 1)) == 0) {
        void *larger = reallocarray(*rows, *count ? *count * 2 : 1, row_size);
        if (!larger) {
            return NULL;
        }
        *rows = larger;
    }
    char *row = (char *)*rows + place * row_size;
    memmove(row + row_size, row, (*count - place) * row_size);
    memset(row, 0, row_size);
    ++*count;
    return row;
}

/* Where `name` is, or belongs, among rows in byte order whose first member is a `char *` name. */
static bool find_name(const void *rows, size_t count, size_t row_size, const char *name, size_t *out_place)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        char *const *row = (char *const *)(const void *)((const char *)rows + middle * row_size);
        int order = strcmp(name, *row);
        if (order == 0) {
            *out_place = middle;
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *out_place = low;
    return false;
}

/* The row of that name, added with a copy of it if it is not there; NULL if memory is out. */
static void *named_row(void **rows, size_t *count, size_t row_size, const char *name)
{
    size_t place;
    if (find_name(*rows, *count, row_size, name, &place)) {
        return (char *)*rows + place * row_size;
    }
    char *copy = strdup(name);
    char **row = copy ? insert_row(rows, count, row_size, place) : NULL;
    if (!row) {
        free(copy);
        return NULL;
    }
    *row = copy;
    return row;
}

struct draft_module *draft_module(struct draft *draft, const char *name)
{
    void *rows = draft->modules;
    struct draft_module *module = named_row(&rows, &draft->module_count, sizeof(*module), name);
    draft->modules = rows;
    return module;
}

/* Decides between the expression that is recorded and one that is given, whichever of them came first. */
static cubinet_status settle_expression(const struct draft_module *module, const char *what, const char *name,
                                        const char *given, char **expression)
{
    if (!given || strcmp(given, name) == 0) {
        return CUBINET_OK;
    }
    if (*expression && !cbn_expression_equal(*expression, given)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "module '%s': %s '%s' is asked for as '%s' and as '%s', and an archive records one "
                         "expression; write the same in both places",
                         module->name, what, name, *expression, given);
    }
    if (*expression && strcmp(*expression, given) <= 0) {
        return CUBINET_OK;
    }
    char *copy = strdup(given);
    if (!copy) {
        return cbn_error_memory();
    }
    free(*expression);
    *expression = copy;
    return CUBINET_OK;
}

cubinet_status draft_add_kernel(struct draft_module *module, const char *name, const char *expression)
{
    void *rows = module->kernels;
    struct draft_kernel *kernel = named_row(&rows, &module->kernel_count, sizeof(*kernel), name);
    module->kernels = rows;
    if (!kernel) {
        return cbn_error_memory();
    }
    return settle_expression(module, "kernel", name, expression, &kernel->expression);
}

cubinet_status draft_add_global(struct draft_module *module, const char *name, const char *expression,
                                uint64_t bytes, unsigned flags)
{
    void *rows = module->globals;
    struct draft_global *global = named_row(&rows, &module->global_count, sizeof(*global), name);
    module->globals = rows;
    if (!global) {
        return cbn_error_memory();
    }
    if (bytes > global->bytes) {
        global->bytes = bytes;
    }
    global->is_constant = global->is_constant || (flags & DRAFT_CONSTANT);
    global->is_managed = global->is_managed || (flags & DRAFT_MANAGED);
    return settle_expression(module, "global", name, expression, &global->expression);
}

static unsigned flags_of(bool is_constant, bool is_managed)
{
    return (is_constant ? DRAFT_CONSTANT : 0U) | (is_managed ? DRAFT_MANAGED : 0U);
}

unsigned draft_global_flags(const struct contents_global *global)
{
    return flags_of(global->is_constant, global->is_managed);
}

static cubinet_status add_use(struct draft_image *image, const struct contents_kernel *kernel)
{
    void *rows = image->uses;
    struct draft_use *use = named_row(&rows, &image->use_count, sizeof(*use), kernel->name);
    image->uses = rows;
    if (!use) {
        return cbn_error_memory();
    }
    use->resources = kernel->resources;
    use->resources.params = NULL;
    launch_record_free(&use->launch);
    cubinet_status status = launch_record_copy(&kernel->launch, &use->launch);
    if (status) {
        return status;
    }
    uint32_t count = kernel->resources.param_count;
    if (count == 0 || count == CUBINET_UNKNOWN) {
        return CUBINET_OK;
    }
    cubinet_param *params = reallocarray(use->params, count, sizeof(*params));
    if (!params) {
        return cbn_error_memory();
    }
    memcpy(params, kernel->params, count * sizeof(*params));
    use->params = params;
    use->resources.params = params;
    return CUBINET_OK;
}

static cubinet_status add_contents(struct draft_module *module, struct draft_image *image,
                                   const struct contents *contents)
{
    image->toolkit = contents->toolkit;
    image->ptx_isa = contents->ptx_isa;
    cubinet_status status = symbol_list_copy(&contents->symbols, &image->symbols);
    for (size_t i = 0; !status && i < contents->kernel_count; i++) {
        status = draft_add_kernel(module, contents->kernels[i].name, contents->kernels[i].expression);
        if (!status) {
            status = add_use(image, &contents->kernels[i]);
        }
    }
    for (size_t i = 0; !status && i < contents->global_count; i++) {
        const struct contents_global *global = &contents->globals[i];
        status = draft_add_global(module, global->name, NULL, global->bytes, draft_global_flags(global));
    }
    return status;
}

/* Where an image of that target is, or belongs. */
static bool find_image(const struct draft_module *module, cubinet_target target, size_t *out_place)
{
    size_t place = 0;
    int order = 1;
    while (place < module->image_count &&
           (order = cubinet_target_compare(target, module->images[place].target)) > 0) {
        place++;
    }
    *out_place = place;
    return place < module->image_count && order == 0;
}

static cubinet_status refuse_second(const struct draft_module *module, const struct draft_image *first,
                                    const char *origin)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "module '%s' has two different images for %s: one from '%s', one from '%s'",
                     module->name, cubinet_target_name(first->target, name), first->origin, origin);
}

/* Of one image that comes twice, what either says of launches is recorded, and must not contradict. */
static cubinet_status settle_launches(const struct draft_module *module, struct draft_image *image,
                                      const struct contents *contents)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < contents->kernel_count; i++) {
        const struct contents_kernel *kernel = &contents->kernels[i];
        size_t place;
        if (find_name(image->uses, image->use_count, sizeof(*image->uses), kernel->name, &place)) {
            status = launch_record_settle(&image->uses[place].launch, &kernel->launch);
        }
        if (status) {
            char name[CUBINET_TARGET_NAME_SIZE];
            status = cbn_error_context(status, "module '%s', %s: kernel '%s'", module->name,
                                       cubinet_target_name(image->target, name), kernel->name);
        }
    }
    return status;
}

cubinet_status draft_add_launch(const struct draft_module *module, struct draft_image *image,
                                const char *kernel, const struct launch_record *record)
{
    size_t place;
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_target_name(image->target, name);
    if (!find_name(image->uses, image->use_count, sizeof(*image->uses), kernel, &place)) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "module '%s': its image for %s has no kernel '%s'",
                         module->name, name, kernel);
    }
    struct draft_use *use = &image->uses[place];
    cubinet_status status = launch_record_fits(record, &use->resources);
    if (!status) {
        status = launch_record_override(&use->launch, record);
    }
    if (use->resources.param_count == CUBINET_UNKNOWN) {
        launch_record_free_names(&use->launch);
    }
    return status ? cbn_error_context(status, "module '%s', %s: kernel '%s'", module->name, name, kernel)
                  : CUBINET_OK;
}

/* An image's bytes, on their way into a draft. */
struct image_bytes {
    const unsigned char *data;
    unsigned char *owned;
    cubinet_archive *lender;
    size_t size;
};

static void image_bytes_free(struct image_bytes *bytes)
{
    free(bytes->owned);
    cbn_archive_release(bytes->lender);
}

static cubinet_status add_image(struct draft_module *module, cubinet_target target, struct image_bytes bytes,
                                const struct contents *contents, const char *origin,
                                struct draft_image **out_image)
{
    size_t place;
    if (find_image(module, target, &place)) {
        struct draft_image *there = &module->images[place];
        bool equal = there->size == bytes.size && memcmp(there->data, bytes.data, bytes.size) == 0;
        image_bytes_free(&bytes);
        if (!equal) {
            return refuse_second(module, there, origin);
        }
        cubinet_status status = contents ? settle_launches(module, there, contents) : CUBINET_OK;
        if (status) {
            return status;
        }
        if (out_image) {
            *out_image = there;
        }
        return CUBINET_OK;
    }

    char *origin_copy = strdup(origin);
    void *rows = module->images;
    struct draft_image *image =
        origin_copy ? insert_row(&rows, &module->image_count, sizeof(*image), place) : NULL;
    module->images = rows;
    if (!image) {
        free(origin_copy);
        image_bytes_free(&bytes);
        return cbn_error_memory();
    }
    *image = (struct draft_image){.target = target,
                                  .data = bytes.data,
                                  .owned = bytes.owned,
                                  .lender = bytes.lender,
                                  .size = bytes.size,
                                  .origin = origin_copy};
    cubinet_status status = contents ? add_contents(module, image, contents) : CUBINET_OK;
    if (!status && out_image) {
        *out_image = image;
    }
    return status;
}

cubinet_status draft_add_image(struct draft_module *module, cubinet_target target, unsigned char *data,
                               size_t size, const struct contents *contents, const char *origin,
                               struct draft_image **out_image)
{
    struct image_bytes bytes = {.data = data, .owned = data, .size = size};
    return add_image(module, target, bytes, contents, origin, out_image);
}

/* What an archive records of one kernel in one image, as contents. A kernel that the image lacks is none. */
static cubinet_status record_kernel(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                    uint32_t kernel, struct contents *contents)
{
    if (!cbn_archive_image_has_kernel(archive, module, image, kernel)) {
        return CUBINET_OK;
    }
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
                                 const cubinet_image_info *info, struct image_bytes *out_bytes)
{
    const void *lent = NULL;
    cubinet_status status = CUBINET_OK;
    if (is_large(archive)) {
        status = cbn_archive_lend_image(archive, module, image, &lent);
    }
    if (!status && lent) {
        *out_bytes = (struct image_bytes){
            .data = lent, .lender = cbn_archive_retain(archive), .size = (size_t)info->raw_size};
        return CUBINET_OK;
    }
    unsigned char *data = NULL;
    size_t size = 0;
    status = status ? status : image_read(archive, module, image, &data, &size);
    if (!status) {
        *out_bytes = (struct image_bytes){.data = data, .owned = data, .size = size};
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
static void note_dynamic_shared(const cubinet_archive *archive, const struct image_bytes *bytes,
                                struct contents *contents)
{
    cubinet_archive_info info = {.size = sizeof(info)};
    if (cubinet_archive_get_info(archive, &info) || info.format_minor >= LAUNCHES_SINCE) {
        return;
    }
    if (contents->target.kind == CUBINET_IMAGE_PTX) {
        const char *text = (const char *)bytes->data;
        cbn_dynamic_shared_of_ptx(text, strnlen(text, bytes->size), contents_note_dynamic_shared, contents);
    } else if (contents->target.kind == CUBINET_IMAGE_CUBIN) {
        cubin_note_dynamic_shared(bytes->data, bytes->size, contents);
    }
}

static cubinet_status add_archive_image(struct draft_module *to, const cubinet_archive *archive,
                                        const cubinet_module_info *module_info, uint32_t module,
                                        uint32_t image, const char *origin)
{
    cubinet_image_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_image(archive, module, image, &info);
    if (status) {
        return status;
    }
    if (!is_known_kind(info.target.kind)) {
        return cbn_error(
            CUBINET_ERROR_NEWER_FORMAT,
            "module '%s' has an image of kind %d, which cubinet %s does not know: update Cubinet, or "
            "leave the module out",
            to->name, (int)info.target.kind, cubinet_version());
    }

    struct contents contents = {.target = info.target, .toolkit = info.toolkit, .ptx_isa = info.ptx_isa};
    for (uint32_t i = 0; !status && i < module_info->kernel_count; i++) {
        status = record_kernel(archive, module, image, i, &contents);
    }
    if (!status) {
        status = symbol_list_read(archive, module, image, &info, &contents.symbols);
    }
    struct image_bytes bytes = {0};
    if (!status) {
        status = take_bytes(archive, module, image, &info, &bytes);
    }
    if (!status) {
        note_dynamic_shared(archive, &bytes, &contents);
    }
    struct draft_image *added = NULL;
    if (!status) {
        status = add_image(to, info.target, bytes, &contents, origin, &added);
    }
    if (!status) {
        added->link_floor = info.link_floor;
        status = keep_provenance(added, archive, module, image);
    }
    contents_free(&contents);
    return status;
}

/* What is taken of an archive's module. */
struct part {
    const cubinet_archive *archive;
    uint32_t module;
    cubinet_module_info info;
    const bool *wanted; /* for each image; NULL: all */
};

static bool is_wanted(const struct part *part, uint32_t image)
{
    return !part->wanted || part->wanted[image];
}

static bool has_wanted(const struct part *part)
{
    for (uint32_t i = 0; i < part->info.image_count; i++) {
        if (is_wanted(part, i)) {
            return true;
        }
    }
    return false;
}

/* Whether a kernel is in an image that is wanted. */
static bool has_wanted_kernel(const struct part *part, uint32_t kernel)
{
    for (uint32_t i = 0; part->wanted && i < part->info.image_count; i++) {
        if (part->wanted[i] && cbn_archive_image_has_kernel(part->archive, part->module, i, kernel)) {
            return true;
        }
    }
    return !part->wanted;
}

static cubinet_status add_archive_kernels(struct draft_module *to, const struct part *part)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < part->info.kernel_count; i++) {
        cubinet_kernel_info info = {.size = sizeof(info)};
        if (has_wanted_kernel(part, i)) {
            status = cubinet_archive_get_kernel(part->archive, part->module, i, &info);
            status = status ? status : draft_add_kernel(to, info.name, info.expression);
        }
    }
    return status;
}

/* Which image has which global is not recorded, so that all of them stay. */
static cubinet_status add_archive_globals(struct draft_module *to, const struct part *part)
{
    struct kept_sizes sizes = {0};
    cubinet_status status =
        part->wanted ? kept_sizes_read(part->archive, part->module, part->wanted, &sizes) : CUBINET_OK;
    for (uint32_t i = 0; !status && i < part->info.global_count; i++) {
        cubinet_global_info info = {.size = sizeof(info)};
        status = cubinet_archive_get_global(part->archive, part->module, i, &info);
        if (!status) {
            unsigned flags =
                flags_of(info.flags & CUBINET_GLOBAL_CONSTANT, info.flags & CUBINET_GLOBAL_MANAGED);
            status =
                draft_add_global(to, info.name, info.expression, kept_sizes_of(&sizes, i, info.bytes), flags);
        }
    }
    kept_sizes_free(&sizes);
    return status;
}

cubinet_status draft_add_archive_images(struct draft *draft, const cubinet_archive *archive, uint32_t module,
                                        const bool *wanted, const char *origin)
{
    struct part part = {archive, module, {.size = sizeof(part.info)}, wanted};
    cubinet_status status = cubinet_archive_get_module(archive, module, &part.info);
    if (status || !has_wanted(&part)) {
        return status;
    }
    struct draft_module *to = draft_module(draft, part.info.name);
    if (!to) {
        return cbn_error_memory();
    }
    status = add_archive_kernels(to, &part);
    if (!status) {
        status = add_archive_globals(to, &part);
    }
    for (uint32_t i = 0; !status && i < part.info.image_count; i++) {
        if (is_wanted(&part, i)) {
            status = add_archive_image(to, archive, &part.info, module, i, origin);
        }
    }
    return status;
}

cubinet_status draft_add_archive_module(struct draft *draft, const cubinet_archive *archive, uint32_t module,
                                        const char *origin)
{
    return draft_add_archive_images(draft, archive, module, NULL, origin);
}

cubinet_status draft_add_archive(struct draft *draft, const cubinet_archive *archive, const char *origin)
{
    cubinet_status status = CUBINET_OK;
    uint32_t count = cubinet_archive_get_module_count(archive);
    for (uint32_t i = 0; !status && i < count; i++) {
        status = draft_add_archive_module(draft, archive, i, origin);
    }
    return status;
}
