/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/draft_put.h"

#include "base/array.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"

#include <stdlib.h>
#include <string.h>

/* Adds a zeroed row at `place` and returns it, or NULL if memory is out. */
static void *insert_row(void **rows, size_t *count, size_t row_size, size_t place)
{
    char *larger = array_open(*rows, *count, row_size, place);
    if (!larger) {
        return NULL;
    }
    *rows = larger;
    ++*count;
    return memset(larger + place * row_size, 0, row_size);
}

static int compare_name(const void *name, const void *row)
{
    return strcmp(name, *(char *const *)row);
}

/* Where `name` is, or belongs, among rows in byte order whose first member is a `char *` name. */
static bool find_name(const void *rows, size_t count, size_t row_size, const char *name, size_t *out_place)
{
    return array_find(rows, count, row_size, name, compare_name, out_place);
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

struct draft_module *draft_find_module(const struct draft *draft, const char *name)
{
    size_t place;
    return find_name(draft->modules, draft->module_count, sizeof(*draft->modules), name, &place)
               ? &draft->modules[place]
               : NULL;
}

bool draft_image_has(const struct draft_image *image, const char *kernel)
{
    size_t place;
    return find_name(image->uses, image->use_count, sizeof(*image->uses), kernel, &place);
}

bool draft_has_parts(const struct draft_module *module)
{
    for (size_t i = 0; i < module->image_count; i++) {
        if (module->images[i].part_count > 1) {
            return true;
        }
    }
    return false;
}

size_t draft_kernel_number(const struct draft_module *module, const char *name)
{
    size_t place = 0;
    find_name(module->kernels, module->kernel_count, sizeof(*module->kernels), name, &place);
    return place;
}

size_t draft_global_number(const struct draft_module *module, const char *name)
{
    size_t place = 0;
    find_name(module->globals, module->global_count, sizeof(*module->globals), name, &place);
    return place;
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
                                uint64_t bytes, uint32_t flags)
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
    global->flags |= flags;
    return settle_expression(module, "global", name, expression, &global->expression);
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
    bool is_part = image->part_count > 1; /* which is not linked */
    cubinet_status status = is_part ? CUBINET_OK : symbol_list_copy(&contents->symbols, &image->symbols);
    for (size_t i = 0; !status && i < contents->kernel_count; i++) {
        status = draft_add_kernel(module, contents->kernels[i].name, contents->kernels[i].expression);
        if (!status) {
            status = add_use(image, &contents->kernels[i]);
        }
    }
    for (size_t i = 0; !status && i < contents->global_count; i++) {
        const struct contents_global *global = &contents->globals[i];
        status = draft_add_global(module, global->name, NULL, global->bytes, contents_global_flags(global));
        if (!status && is_part) {
            status = cbn_text_list_add(&image->globals, global->name);
        }
    }
    return status;
}

/* Where an image of that target is, of parts the first, or belongs. */
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

void draft_bytes_free(struct draft_bytes *bytes)
{
    free(bytes->owned);
    cbn_archive_release(bytes->lender);
}

static void free_all(struct draft_bytes *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        draft_bytes_free(&parts[i]);
    }
}

/* Whether `there`, the first image of its target, has these very bytes. */
static bool is_equal(const struct draft_image *there, const struct draft_bytes *parts, size_t count)
{
    for (size_t i = 0; i < count && there->part_count == count; i++) {
        if (there[i].size != parts[i].size || memcmp(there[i].data, parts[i].data, parts[i].size) != 0) {
            return false;
        }
    }
    return there->part_count == count;
}

static cubinet_status settle_second(const struct draft_module *module, struct draft_image *there,
                                    const struct draft_bytes *parts, size_t count, const char *origin)
{
    if (!is_equal(there, parts, count)) {
        return refuse_second(module, there, origin);
    }
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = parts[i].contents ? settle_launches(module, &there[i], parts[i].contents) : CUBINET_OK;
    }
    return status;
}

/* Opens a gap for `count` images at `place`; their bytes are let go if memory is out. */
static cubinet_status insert_images(struct draft_module *module, cubinet_target target,
                                    struct draft_bytes *parts, size_t count, size_t place, const char *origin)
{
    for (size_t i = 0; i < count; i++) {
        char *origin_copy = strdup(origin);
        void *rows = module->images;
        struct draft_image *image =
            origin_copy ? insert_row(&rows, &module->image_count, sizeof(*image), place + i) : NULL;
        module->images = rows;
        if (!image) {
            free(origin_copy);
            free_all(parts + i, count - i);
            return cbn_error_memory();
        }
        *image = (struct draft_image){.target = target,
                                      .data = parts[i].data,
                                      .owned = parts[i].owned,
                                      .lender = parts[i].lender,
                                      .size = parts[i].size,
                                      .origin = origin_copy,
                                      .part = (uint32_t)i,
                                      .part_count = (uint32_t)count};
    }
    return CUBINET_OK;
}

cubinet_status draft_put(struct draft_module *module, cubinet_target target, struct draft_bytes *parts,
                         size_t count, const char *origin, struct draft_image **out_first)
{
    size_t place;
    cubinet_status status = CUBINET_OK;
    if (find_image(module, target, &place)) {
        status = settle_second(module, &module->images[place], parts, count, origin);
        free_all(parts, count);
    } else {
        status = insert_images(module, target, parts, count, place, origin);
        for (size_t i = 0; !status && i < count; i++) {
            status = parts[i].contents ? add_contents(module, &module->images[place + i], parts[i].contents)
                                       : CUBINET_OK;
        }
    }
    if (!status && out_first) {
        *out_first = &module->images[place];
    }
    return status;
}

cubinet_status draft_add_image(struct draft_module *module, cubinet_target target, unsigned char *data,
                               size_t size, const struct contents *contents, const char *origin,
                               struct draft_image **out_image)
{
    struct draft_bytes bytes = {.data = data, .owned = data, .size = size, .contents = contents};
    return draft_put(module, target, &bytes, 1, origin, out_image);
}
