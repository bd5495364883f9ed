/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_image.h"

#include "archive/part_lists.h"
#include "archive/stored_image.h"
#include "base/text_table.h"
#include "image/contents.h"
#include "image/cubin.h"
#include "image/fatbin.h"
#include "image/nvvm_container.h"
#include "image/resource_fields.h"
#include "image/tileir_read.h"
#include "loader/core/archive/cbn_archive.h"
#include "ptx/reading/ptx.h"
#include "ptx/reading/ptx_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES_SINCE = 4, DEPENDENCY_SINCE = 6 /* minor versions of the format */ };

/* What the index says that the parts of an image have. */
struct image_lists {
    struct part_lists kernels;
    struct part_lists globals;
};

/* The image that is looked at. */
struct subject {
    const cubinet_archive *archive;
    const struct listing_module *module;
    uint32_t image;
    uint32_t part;
    const struct image_lists *lists;
    const cubinet_image_info *info;
    struct global_sizes *sizes;
    struct problems *problems;
    char where[LISTING_PART_TEXT_SIZE]; /* for messages */
};

static void check_target(const struct subject *subject, const struct contents *contents)
{
    const cubinet_image_info *info = subject->info;
    if (!contents_fit(contents, info->target)) {
        char name[CUBINET_TARGET_NAME_SIZE];
        problems_add(subject->problems, "%s: the image itself is for %s", subject->where,
                     cubinet_target_name(contents->target, name));
    }
    if (info->toolkit && contents->toolkit && info->toolkit != contents->toolkit) {
        char recorded[RELEASE_TEXT_SIZE];
        char read[RELEASE_TEXT_SIZE];
        problems_add(subject->problems, "%s: the index says that CUDA %s made it, the image CUDA %s",
                     subject->where, release_text(info->toolkit, recorded),
                     release_text(contents->toolkit, read));
    }
    if (info->ptx_isa != contents->ptx_isa) {
        problems_add(subject->problems, "%s: the index says PTX ISA %u.%u, the image %u.%u", subject->where,
                     info->ptx_isa / 10, info->ptx_isa % 10, contents->ptx_isa / 10, contents->ptx_isa % 10);
    }
}

static bool differ(uint32_t recorded, uint32_t read)
{
    return recorded != CUBINET_UNKNOWN && read != CUBINET_UNKNOWN && recorded != read;
}

static void check_params(const struct subject *subject, const char *kernel,
                         const cubinet_kernel_resources *recorded, const cubinet_kernel_resources *read)
{
    if (differ(recorded->param_count, read->param_count)) {
        problems_add(subject->problems, "%s: kernel '%s': the index records %u parameters, the image has %u",
                     subject->where, kernel, recorded->param_count, read->param_count);
        return;
    }
    if (recorded->param_count == CUBINET_UNKNOWN || read->param_count == CUBINET_UNKNOWN) {
        if (recorded->param_count != CUBINET_UNKNOWN) {
            problems_add(subject->problems,
                         "%s: kernel '%s': the index records parameters, which such an image does not show",
                         subject->where, kernel);
        }
        return;
    }
    for (uint32_t i = 0; i < recorded->param_count; i++) {
        const cubinet_param *a = &recorded->params[i];
        const cubinet_param *b = &read->params[i];
        if (a->offset != b->offset || a->size != b->size) {
            problems_add(
                subject->problems,
                "%s: kernel '%s': the index records parameter %u at %u:%u, the image has it at %u:%u",
                subject->where, kernel, i, a->offset, a->size, b->offset, b->size);
        }
    }
}

/* Whether images of a kind tell a number of their kernels. */
static bool is_told(cubinet_image_kind kind, size_t offset)
{
    static const size_t by_code[] = {
        offsetof(cubinet_kernel_resources, registers),
        offsetof(cubinet_kernel_resources, local_bytes),
        offsetof(cubinet_kernel_resources, constant_bytes),
        offsetof(cubinet_kernel_resources, max_threads_per_block),
        offsetof(cubinet_kernel_resources, spill_store_bytes),
        offsetof(cubinet_kernel_resources, spill_load_bytes),
        offsetof(cubinet_kernel_resources, barriers),
    };
    for (size_t i = 0; kind == CUBINET_IMAGE_PTX && i < sizeof(by_code) / sizeof(by_code[0]); i++) {
        if (by_code[i] == offset) {
            return false;
        }
    }
    return kind == CUBINET_IMAGE_CUBIN || kind == CUBINET_IMAGE_PTX;
}

/* Whether something is recorded that nobody can have read from the image. */
static bool is_made_up(const struct subject *subject, const struct resource_field *field, uint32_t recorded,
                       uint32_t read)
{
    cubinet_image_kind kind = subject->info->target.kind;
    /* Machine code that has launch bounds tells their threads, not their blocks. */
    bool is_lost = kind == CUBINET_IMAGE_CUBIN && read == CUBINET_UNKNOWN &&
                   field->offset == offsetof(cubinet_kernel_resources, min_blocks);
    return recorded != CUBINET_UNKNOWN && (is_lost || !is_told(kind, field->offset));
}

static void check_resources(const struct subject *subject, const char *kernel,
                            const cubinet_kernel_resources *recorded, const cubinet_kernel_resources *read)
{
    for (size_t i = 0; i < resource_field_count; i++) {
        const struct resource_field *field = &resource_fields[i];
        for (size_t j = 0; j < field->count; j++) {
            uint32_t a = resource_value(recorded, field, j);
            uint32_t b = resource_value(read, field, j);
            if (is_made_up(subject, field, a, b)) {
                problems_add(subject->problems,
                             "%s: kernel '%s': the index records %s %u, which such an image does not show",
                             subject->where, kernel, field->name, a);
            } else if (differ(a, b)) {
                problems_add(subject->problems, "%s: kernel '%s': the index records %s %u, the image has %u",
                             subject->where, kernel, field->name, a, b);
            }
        }
    }
    check_params(subject, kernel, recorded, read);
}

/* Older archives record nothing of it. */
static void check_launch(const struct subject *subject, uint32_t number, const struct contents_kernel *kernel)
{
    cubinet_archive_info archive = {.size = sizeof(archive)};
    cubinet_launch_record recorded = {.size = sizeof(recorded)};
    bool takes_some = kernel->launch.known.flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED;
    if (takes_some && !cubinet_archive_get_info(subject->archive, &archive) &&
        archive.format_minor >= LAUNCHES_SINCE &&
        !cubinet_archive_get_launch_record(subject->archive, subject->module->number, subject->image, number,
                                           &recorded) &&
        !(recorded.flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED)) {
        problems_add(
            subject->problems,
            "%s: kernel '%s': the image takes dynamic shared memory, and the index does not record it",
            subject->where, kernel->name);
    }
}

/* What the code shows of a flag against the record, both ways. */
static void check_dependency(const struct subject *subject, uint32_t number,
                             const struct contents_kernel *kernel)
{
    static const struct {
        uint32_t flag;
        const char *what;
    } flags[] = {{CUBINET_RECORD_WAITS, "waits for the kernel before it"},
                 {CUBINET_RECORD_TRIGGERS, "lets the kernel after it start"}};
    cubinet_archive_info archive = {.size = sizeof(archive)};
    cubinet_launch_record recorded = {.size = sizeof(recorded)};
    if (cubinet_archive_get_info(subject->archive, &archive) || archive.format_minor < DEPENDENCY_SINCE ||
        cubinet_archive_get_launch_record(subject->archive, subject->module->number, subject->image, number,
                                          &recorded)) {
        return;
    }
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        bool is_recorded = recorded.flags & flags[i].flag;
        bool is_shown = kernel->launch.known.flags & flags[i].flag;
        if (is_recorded && !is_shown) {
            problems_add(subject->problems,
                         "%s: kernel '%s': the index records that it %s, and its code does not",
                         subject->where, kernel->name, flags[i].what);
        } else if (is_shown && !is_recorded) {
            problems_add(subject->problems, "%s: kernel '%s' %s, and the index does not record it",
                         subject->where, kernel->name, flags[i].what);
        }
    }
}

static int compare_kernel(const void *name, const void *kernel)
{
    return strcmp(name, ((const struct contents_kernel *)kernel)->name);
}

/* In contents that are in order. */
static const struct contents_kernel *find_kernel(const struct contents *contents, const char *name)
{
    return contents->kernel_count == 0 ? NULL
                                       : bsearch(name, contents->kernels, contents->kernel_count,
                                                 sizeof(*contents->kernels), compare_kernel);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static bool is_listed(const struct subject *subject, const struct part_lists *lists, uint32_t number)
{
    uint32_t first = lists->starts[subject->part];
    return bsearch(&number, lists->items + first, lists->starts[subject->part + 1] - first, sizeof(number),
                   compare_numbers) != NULL;
}

/* Numbers in the module of what the index records for the part, and of what else is in it. */
struct numbers {
    uint32_t *items;
    size_t count;
};

/* With room for `more`. */
static bool numbers_start(const struct subject *subject, const struct part_lists *lists, size_t more,
                          struct numbers *out_numbers)
{
    uint32_t first = lists->starts[subject->part];
    size_t count = lists->starts[subject->part + 1] - first;
    uint32_t *items = calloc(count + more + 1, sizeof(*items));
    if (!items) {
        subject->problems->lines.failed = true;
        return false;
    }
    memcpy(items, lists->items + first, count * sizeof(*items));
    *out_numbers = (struct numbers){items, count};
    return true;
}

/* In ascending order, each once. */
static void numbers_sort(struct numbers *numbers)
{
    size_t count = 0;
    if (numbers->count > 1) {
        qsort(numbers->items, numbers->count, sizeof(*numbers->items), compare_numbers);
    }
    for (size_t i = 0; i < numbers->count; i++) {
        if (count == 0 || numbers->items[count - 1] != numbers->items[i]) {
            numbers->items[count++] = numbers->items[i];
        }
    }
    numbers->count = count;
}

/* Compares a kernel of the module. Returns whether the index records it for this image. */
static bool check_kernel(const struct subject *subject, uint32_t number, const struct contents *contents)
{
    const char *name = subject->module->kernels[number].name;
    const struct contents_kernel *kernel = find_kernel(contents, name);
    if (!is_listed(subject, &subject->lists->kernels, number)) {
        if (kernel) {
            problems_add(subject->problems, "%s: kernel '%s' is in the image, but not recorded for it",
                         subject->where, name);
        }
        return kernel != NULL;
    }
    cubinet_kernel_resources recorded = {.size = sizeof(recorded)};
    if (cubinet_archive_get_resources(subject->archive, subject->module->number, subject->image, number,
                                      &recorded)) {
        problems_add(subject->problems, "%s: %s", subject->where, cubinet_error_message());
    } else if (!kernel) {
        problems_add(subject->problems, "%s: kernel '%s' is recorded, but not in the image", subject->where,
                     name);
    } else {
        check_resources(subject, name, &recorded, &kernel->resources);
        check_launch(subject, number, kernel);
        check_dependency(subject, number, kernel);
    }
    return kernel != NULL;
}

static void check_kernels(const struct subject *subject, const struct contents *contents)
{
    size_t known = 0;
    struct numbers numbers;
    if (!numbers_start(subject, &subject->lists->kernels, contents->kernel_count, &numbers)) {
        return;
    }
    for (size_t i = 0; i < contents->kernel_count; i++) {
        uint32_t kernel;
        if (listing_find_kernel(subject->module, contents->kernels[i].name, &kernel)) {
            numbers.items[numbers.count++] = kernel;
        }
    }
    numbers_sort(&numbers);
    for (size_t i = 0; i < numbers.count; i++) {
        known += check_kernel(subject, numbers.items[i], contents);
    }
    free(numbers.items);
    if (known < contents->kernel_count) {
        problems_add(subject->problems, "%s: %zu kernels in the image are not recorded for the module",
                     subject->where, contents->kernel_count - known);
    }
}

static bool is_same_symbol(const struct symbol *a, const struct symbol *b)
{
    bool has_types = b && a->type && b->type;
    return b && a->is_defined == b->is_defined && a->is_variable == b->is_variable &&
           a->is_weak == b->is_weak && (!has_types || strcmp(a->type, b->type) == 0);
}

/* LTO-IR is under a cipher, so nothing may be recorded of its kernels. */
static void check_untold(const struct subject *subject)
{
    cubinet_kernel_resources unknown;
    memset(&unknown, 0xff, sizeof(unknown));
    for (uint32_t i = 0; i < subject->module->kernel_count; i++) {
        cubinet_kernel_resources recorded = {.size = sizeof(recorded)};
        if (is_listed(subject, &subject->lists->kernels, i) &&
            !cubinet_archive_get_resources(subject->archive, subject->module->number, subject->image, i,
                                           &recorded)) {
            check_resources(subject, subject->module->kernels[i].name, &recorded, &unknown);
        }
    }
}

/* Reports symbols of one list that the other lacks. */
static void check_listed(const struct subject *subject, const struct symbol_list *list,
                         const struct symbol_list *other, const char *what)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct symbol *symbol = &list->items[i];
        const struct symbol *there = symbol_list_find(other, symbol->name);
        if (!is_same_symbol(symbol, there)) {
            problems_add(subject->problems, "%s: %s '%s' is %s as one that it %s", subject->where,
                         symbol->is_variable ? "variable" : "function", symbol->name, what,
                         symbol->is_defined ? "defines" : "needs");
        }
    }
}

/* An image without a record of symbols needs none. */
static void check_finished(const struct subject *subject, const struct symbol_list *read)
{
    size_t defined = symbol_list_defined(read);
    if (defined < read->count) {
        problems_add(subject->problems, "%s: it needs %s '%s', and nothing is recorded of what it needs",
                     subject->where, read->items[defined].is_variable ? "variable" : "function",
                     read->items[defined].name);
    }
}

/* PTX shows what it defines and needs; LTO-IR doesn't. */
static void check_symbols(const struct subject *subject, const char *ptx, size_t size)
{
    struct symbol_list recorded = {0};
    struct symbol_list read = {0};
    if (symbol_list_read(subject->archive, subject->module->number, subject->image, subject->info,
                         &recorded) ||
        ptx_symbols_read(ptx, size, &read)) {
        problems_add(subject->problems, "%s: %s", subject->where, cubinet_error_message());
    } else if (!recorded.is_recorded) {
        check_finished(subject, &read);
    } else {
        symbol_list_drop_weak_variables(&read);
        check_listed(subject, &recorded, &read, "recorded, but not in the image");
        check_listed(subject, &read, &recorded, "in the image, but not recorded");
    }
    symbol_list_free(&recorded);
    symbol_list_free(&read);
}

/* LTO-IR and OptiX-IR tell their target, but for the suffix, and nothing else. */
static cubinet_status read_container(const struct subject *subject, const unsigned char *data, size_t size,
                                     struct contents *contents)
{
    cubinet_status status = nvvm_container_target(data, size, &contents->target);
    contents->target.suffix = subject->info->target.suffix;
    return status;
}

/* That of a fatbin is filed as a fatbin of its entry, which tells the suffix, too. */
static cubinet_status read_ltoir(const struct subject *subject, const unsigned char *data, size_t size,
                                 struct contents *contents)
{
    struct fatbin_reader reader = {.bytes = data, .size = size};
    struct cbn_fatbin_entry entry;
    bool found = false;
    if (!cbn_fatbin_is(data, size)) {
        return read_container(subject, data, size, contents);
    }
    cubinet_status status = fatbin_next(&reader, &found, &entry);
    if (!status && found) {
        contents->target = entry.target;
    }
    return status;
}

static cubinet_status read_contents(const struct subject *subject, const unsigned char *data, size_t size,
                                    struct contents *contents)
{
    switch (subject->info->target.kind) {
    case CUBINET_IMAGE_CUBIN:
        return cubin_read(data, size, contents);
    case CUBINET_IMAGE_PTX:
        return ptx_read((const char *)data, size, contents);
    case CUBINET_IMAGE_TILEIR:
        return tileir_read(data, size, contents);
    case CUBINET_IMAGE_OPTIXIR:
        return read_container(subject, data, size, contents);
    case CUBINET_IMAGE_LTOIR:
        return read_ltoir(subject, data, size, contents);
    }
    return CUBINET_OK;
}

static int compare_global(const void *name, const void *global)
{
    return strcmp(name, ((const struct contents_global *)global)->name);
}

static bool has_global(const struct contents *contents, const char *name)
{
    return contents->global_count > 0 && bsearch(name, contents->globals, contents->global_count,
                                                 sizeof(*contents->globals), compare_global);
}

/* Of an image of parts it is recorded which part has which of the module's globals. */
static void check_part_globals(const struct subject *subject, const struct contents *contents)
{
    struct numbers numbers;
    if (subject->info->part_count == 1 ||
        !numbers_start(subject, &subject->lists->globals, contents->global_count, &numbers)) {
        return;
    }
    for (size_t i = 0; i < contents->global_count; i++) {
        const cubinet_global_info *global = find_recorded_global(subject->module, contents->globals[i].name);
        if (global) {
            numbers.items[numbers.count++] = (uint32_t)(global - subject->module->globals);
        }
    }
    numbers_sort(&numbers);
    for (size_t i = 0; i < numbers.count; i++) {
        const char *name = subject->module->globals[numbers.items[i]].name;
        bool is_recorded = is_listed(subject, &subject->lists->globals, numbers.items[i]);
        if (is_recorded != has_global(contents, name)) {
            problems_add(subject->problems, "%s: global '%s' is %s", subject->where, name,
                         is_recorded ? "recorded, but not in the part"
                                     : "in the part, but not recorded for it");
        }
    }
    free(numbers.items);
}

/* Whether it could be read. */
static bool check_bytes(const struct subject *subject, const unsigned char *data, size_t size)
{
    struct contents contents = {0};
    if (subject->info->target.kind > CUBINET_IMAGE_OPTIXIR) {
        return false; /* it is of a kind that is not known */
    }
    if (read_contents(subject, data, size, &contents)) {
        problems_add(subject->problems, "%s: %s", subject->where, cubinet_error_message());
        return false;
    }
    contents_sort(&contents); /* what a module has is looked up in it */
    check_target(subject, &contents);
    if (subject->info->target.kind == CUBINET_IMAGE_LTOIR) {
        check_untold(subject);
    } else {
        check_kernels(subject, &contents);
    }
    check_globals(subject->module, subject->image, &contents, subject->sizes);
    check_part_globals(subject, &contents);
    if (subject->info->target.kind == CUBINET_IMAGE_PTX) {
        check_symbols(subject, (const char *)data, size);
    }
    contents_free(&contents);
    return true;
}

static cubinet_status lists_make(const cubinet_archive *archive, const struct listing_module *module,
                                 uint32_t image, struct image_lists *out_lists)
{
    struct image_lists lists = {0};
    cubinet_status status = part_lists_kernels(archive, module, image, &lists.kernels);
    status = status ? status : part_lists_globals(archive, module, image, &lists.globals);
    if (status) {
        part_lists_free(&lists.kernels);
        return status;
    }
    *out_lists = lists;
    return CUBINET_OK;
}

/* Whether a part could be read. */
static bool check_part(const cubinet_archive *archive, const struct listing_module *module, uint32_t image,
                       uint32_t part, const struct image_lists *lists, struct global_sizes *sizes,
                       struct problems *problems)
{
    struct subject subject = {.archive = archive,
                              .module = module,
                              .image = image,
                              .part = part,
                              .lists = lists,
                              .info = &module->images[image],
                              .sizes = sizes,
                              .problems = problems};
    unsigned char *data;
    size_t size;
    listing_part_text(module, image, part, subject.where);
    if (part_read(archive, module->number, image, part, &data, &size)) {
        problems_add(problems, "%s", cubinet_error_message()); /* which names the image itself */
        return false;
    }
    bool is_read = check_bytes(&subject, data, size);
    free(data);
    return is_read;
}

bool check_image(const cubinet_archive *archive, const struct listing_module *module, uint32_t image,
                 struct global_sizes *sizes, struct problems *problems)
{
    struct image_lists lists;
    bool are_read = true;
    if (lists_make(archive, module, image, &lists)) {
        problems->lines.failed = true;
        return false;
    }
    for (uint32_t i = 0; i < module->images[image].part_count; i++) {
        are_read = check_part(archive, module, image, i, &lists, sizes, problems) && are_read;
    }
    part_lists_free(&lists.kernels);
    part_lists_free(&lists.globals);
    return are_read;
}
