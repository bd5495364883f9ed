/* SPDX-License-Identifier: Apache-2.0 */
#include "check_image.h"

#include "cbn_archive.h"
#include "contents.h"
#include "cubin.h"
#include "image_read.h"
#include "nvvm_container.h"
#include "ptx.h"
#include "ptx_symbols.h"
#include "resource_fields.h"
#include "text_table.h"
#include "tileir_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The image that is looked at. */
struct subject {
    const cubinet_archive *archive;
    const struct catalog_module *module;
    uint32_t image;
    const cubinet_image_info *info;
    struct problems *problems;
    char where[64 + CUBINET_TARGET_NAME_SIZE]; /* for messages */
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

static void check_resources(const struct subject *subject, const char *kernel,
                            const cubinet_kernel_resources *recorded, const cubinet_kernel_resources *read)
{
    for (size_t i = 0; i < resource_field_count; i++) {
        const struct resource_field *field = &resource_fields[i];
        for (size_t j = 0; j < field->count; j++) {
            uint32_t a = resource_value(recorded, field, j);
            uint32_t b = resource_value(read, field, j);
            if (differ(a, b)) {
                problems_add(subject->problems, "%s: kernel '%s': the index records %s %u, the image has %u",
                             subject->where, kernel, field->name, a, b);
            }
        }
    }
    check_params(subject, kernel, recorded, read);
}

static const struct contents_kernel *find_kernel(const struct contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->kernel_count; i++) {
        if (strcmp(contents->kernels[i].name, name) == 0) {
            return &contents->kernels[i];
        }
    }
    return NULL;
}

/* Compares a kernel of the module. Returns whether the index records it for this image. */
static bool check_kernel(const struct subject *subject, uint32_t number, const struct contents *contents)
{
    const char *name = subject->module->kernels[number].name;
    const struct contents_kernel *kernel = find_kernel(contents, name);
    if (!cbn_archive_image_has_kernel(subject->archive, subject->module->number, subject->image, number)) {
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
    }
    return kernel != NULL;
}

static void check_kernels(const struct subject *subject, const struct contents *contents)
{
    size_t known = 0;
    for (uint32_t i = 0; i < subject->module->kernel_count; i++) {
        known += check_kernel(subject, i, contents);
    }
    if (known < contents->kernel_count) {
        problems_add(subject->problems, "%s: %zu kernels in the image are not recorded for the module",
                     subject->where, contents->kernel_count - known);
    }
}

/* Reports symbols of one list that the other lacks. */
static void check_listed(const struct subject *subject, const struct symbol_list *list,
                         const struct symbol_list *other, const char *what)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct symbol *symbol = &list->items[i];
        const struct symbol *there = symbol_list_find(other, symbol->name);
        if (!there || there->is_defined != symbol->is_defined || there->is_variable != symbol->is_variable) {
            problems_add(subject->problems, "%s: %s '%s' is %s as one that it %s", subject->where,
                         symbol->is_variable ? "variable" : "function", symbol->name, what,
                         symbol->is_defined ? "defines" : "needs");
        }
    }
}

/* PTX shows what it defines and needs; LTO-IR doesn't. */
static void check_symbols(const struct subject *subject, const char *ptx, size_t size)
{
    struct symbol_list recorded = {0};
    struct symbol_list read = {0};
    if (!subject->info->is_piece) {
        return;
    }
    if (symbol_list_read(subject->archive, subject->module->number, subject->image, subject->info,
                         &recorded) ||
        ptx_symbols_read(ptx, size, &read)) {
        problems_add(subject->problems, "%s: %s", subject->where, cubinet_error_message());
    } else {
        symbol_list_drop_weak_variables(&read);
        check_listed(subject, &recorded, &read, "recorded, but not in the image");
        check_listed(subject, &read, &recorded, "in the image, but not recorded");
    }
    symbol_list_free(&recorded);
    symbol_list_free(&read);
}

/* OptiX-IR tells its target, but for the suffix, and nothing else. */
static cubinet_status read_optixir(const struct subject *subject, const unsigned char *data, size_t size,
                                   struct contents *contents)
{
    cubinet_status status = nvvm_container_target(data, size, &contents->target);
    contents->target.suffix = subject->info->target.suffix;
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
        return read_optixir(subject, data, size, contents);
    case CUBINET_IMAGE_LTOIR:
        break;
    }
    return CUBINET_OK;
}

static void check_bytes(const struct subject *subject, const unsigned char *data, size_t size)
{
    struct contents contents = {0};
    if (subject->info->target.kind == CUBINET_IMAGE_LTOIR ||
        subject->info->target.kind > CUBINET_IMAGE_OPTIXIR) {
        return; /* it tells nothing of itself, or is of a kind that is not known */
    }
    if (read_contents(subject, data, size, &contents)) {
        problems_add(subject->problems, "%s: %s", subject->where, cubinet_error_message());
        return;
    }
    check_target(subject, &contents);
    check_kernels(subject, &contents);
    if (subject->info->target.kind == CUBINET_IMAGE_PTX) {
        check_symbols(subject, (const char *)data, size);
    }
    contents_free(&contents);
}

void check_image(const cubinet_archive *archive, const struct catalog_module *module, uint32_t image,
                 struct problems *problems)
{
    struct subject subject = {.archive = archive,
                              .module = module,
                              .image = image,
                              .info = &module->images[image],
                              .problems = problems};
    char name[CUBINET_TARGET_NAME_SIZE];
    snprintf(subject.where, sizeof(subject.where), "module '%.48s', %s", module->name,
             cubinet_target_name(subject.info->target, name));
    unsigned char *data;
    size_t size;
    if (image_read(archive, module->number, image, &data, &size)) {
        problems_add(problems, "%s", cubinet_error_message()); /* which names the image itself */
        return;
    }
    check_bytes(&subject, data, size);
    free(data);
}
