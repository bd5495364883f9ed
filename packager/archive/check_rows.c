/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_rows.h"

#include "archive/check_launches.h"
#include "archive/check_names.h"
#include "base/text_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The minor version since which there are kinds of images that others lack. */
enum {
    TILEIR_AND_OPTIXIR_SINCE = 3,
    BASES_SINCE = 2,
    PARTS_SINCE = 5,
    GLOBAL_FLAGS = CBN_GLOBAL_CONSTANT | CBN_GLOBAL_MANAGED
};

/* The block that is looked at. */
struct subject {
    const struct cbn_block *block;
    const struct listing_module *module;
    unsigned minor;
    struct problems *problems;
};

/* For messages: a row of the image table. */
static const char *image_text(const struct subject *subject, uint32_t row, char text[LISTING_PART_TEXT_SIZE])
{
    uint32_t image = cbn_block_row_image(subject->block, row);
    uint32_t part = row - cbn_block_first_row(subject->block, image);
    return listing_part_text(subject->module, image, part, text);
}

/* LTO-IR is linked by the release that made it and later ones: nothing older can be right. */
static void check_releases(const struct subject *subject, uint32_t image, const cubinet_image_info *info)
{
    char text[LISTING_PART_TEXT_SIZE];
    if (info->toolkit && !is_release(info->toolkit)) {
        problems_add(subject->problems, "%s: the index says that toolkit %u made it, which is not a release",
                     image_text(subject, image, text), info->toolkit);
    }
    if (info->link_floor && !is_release(info->link_floor)) {
        problems_add(subject->problems,
                     "%s: the index says that nvJitLink %u links it, which is not a release",
                     image_text(subject, image, text), info->link_floor);
    } else if (info->toolkit && info->link_floor && info->link_floor != info->toolkit) {
        char floor[RELEASE_TEXT_SIZE];
        char toolkit[RELEASE_TEXT_SIZE];
        problems_add(
            subject->problems,
            "%s: the index says that nvJitLink %s links it, and that CUDA %s made it: the oldest that "
            "links it is of that release",
            image_text(subject, image, text), release_text(info->link_floor, floor),
            release_text(info->toolkit, toolkit));
    }
}

/* Whether a row has something where a base would be. */
static bool names_base(const struct subject *subject, const unsigned char *row)
{
    uint32_t stride = subject->block->images.stride;
    bool names_image = subject->minor >= BASES_SINCE && stride >= CBN_IMAGE_SIZE_WITH_BASE &&
                       (cbn_get32(row + CBN_IMAGE_BASE_MODULE) || cbn_get32(row + CBN_IMAGE_BASE_IMAGE));
    return names_image || (subject->minor >= PARTS_SINCE && stride >= CBN_IMAGE_SIZE_WITH_BASE_PART &&
                           cbn_get32(row + CBN_IMAGE_BASE_PART));
}

static void check_images(const struct subject *subject)
{
    const struct cbn_table *images = &subject->block->images;
    for (uint32_t i = 0; i < images->count; i++) {
        char text[LISTING_PART_TEXT_SIZE];
        const cubinet_image_info info = cbn_block_row(subject->block, i);
        bool is_new = info.target.kind == CUBINET_IMAGE_TILEIR || info.target.kind == CUBINET_IMAGE_OPTIXIR;
        check_releases(subject, i, &info);
        if (is_new && subject->minor < TILEIR_AND_OPTIXIR_SINCE) {
            problems_add(subject->problems,
                         "%s: images of its kind are of format 1.%d, and the archive says 1.%u",
                         image_text(subject, i, text), TILEIR_AND_OPTIXIR_SINCE, subject->minor);
        }
        if (info.encoding != CUBINET_ENCODING_ZSTD_BASE && names_base(subject, cbn_row(images, i))) {
            problems_add(subject->problems, "%s: the index names a base, and the image has none",
                         image_text(subject, i, text));
        }
    }
}

/* A row without a list of parameters says nothing where one would be. */
static void check_resources(const struct subject *subject)
{
    const struct cbn_table *resources = &subject->block->resources;
    for (uint32_t i = 0; i < resources->count; i++) {
        char text[LISTING_PART_TEXT_SIZE];
        const unsigned char *row = cbn_row(resources, i);
        if (cbn_get16(row + CBN_RESOURCE_PARAM_COUNT) == CBN_PARAM_COUNT_UNKNOWN &&
            (cbn_get32(row + CBN_RESOURCE_FIRST_PARAM) || cbn_get16(row + CBN_RESOURCE_PARAM_BYTES))) {
            problems_add(subject->problems,
                         "%s: kernel '%s': the index places parameters that it does not know",
                         image_text(subject, cbn_get32(row + CBN_RESOURCE_IMAGE), text),
                         subject->module->kernels[cbn_get32(row + CBN_RESOURCE_KERNEL)].name);
        }
    }
}

static void check_globals(const struct subject *subject)
{
    for (uint32_t i = 0; i < subject->block->globals.count; i++) {
        uint32_t flags = cbn_get32(cbn_row(&subject->block->globals, i) + CBN_GLOBAL_FLAGS);
        if (flags & ~(uint32_t)GLOBAL_FLAGS) {
            problems_add(subject->problems,
                         "module '%s', global '%s': the index records flags 0x%x, of which 0x%x exist",
                         subject->module->name, subject->module->globals[i].name, flags,
                         (unsigned)GLOBAL_FLAGS);
        }
    }
}

/* "b32" or "b8[16]"; what follows it, or NULL. */
static const char *skip_type(const char *at)
{
    if (*at != 'b' || !isdigit((unsigned char)at[1])) {
        return NULL;
    }
    at += 1 + strspn(at + 1, "0123456789");
    if (*at == '[') {
        size_t digits = strspn(at + 1, "0123456789");
        return digits > 0 && at[1 + digits] == ']' ? at + digits + 2 : NULL;
    }
    return at;
}

/* Types with commas between, or nothing; what follows, or NULL. */
static const char *skip_types(const char *at)
{
    if (*at != 'b') {
        return at;
    }
    for (at = skip_type(at); at && *at == ','; at = skip_type(at + 1)) {
    }
    return at;
}

static bool is_type(const char *type, bool is_variable)
{
    if (is_variable) {
        const char *end = strncmp(type, "b8[", 3) == 0 ? skip_type(type) : NULL;
        return end && *end == '\0';
    }
    const char *at = skip_types(type);
    at = at && *at == '(' ? skip_types(at + 1) : NULL;
    return at && strcmp(at, ")") == 0;
}

static void check_symbols(const struct subject *subject)
{
    const struct cbn_block *block = subject->block;
    for (uint32_t i = 0; i < block->symbols.count; i++) {
        const unsigned char *row = cbn_row(&block->symbols, i);
        const char *type = cbn_string_at(&block->strings, row + CBN_SYMBOL_TYPE);
        if (type[0] && !is_type(type, (cbn_get32(row + CBN_SYMBOL_FLAGS) & CBN_SYMBOL_VARIABLE) != 0)) {
            problems_add(subject->problems, "module '%s', symbol '%s': '%s' is not a type",
                         subject->module->name, cbn_string_at(&block->strings, row + CBN_SYMBOL_NAME), type);
        }
    }
}

static void check_pieces(const struct subject *subject)
{
    for (uint32_t i = 0; i < subject->block->pieces.count; i++) {
        char text[LISTING_PART_TEXT_SIZE];
        const unsigned char *row = cbn_row(&subject->block->pieces, i);
        uint32_t flags = cbn_get32(row + CBN_PIECE_FLAGS);
        if (flags & ~(uint32_t)CBN_PIECE_COMPLETE) {
            problems_add(subject->problems,
                         "%s: the index records flags 0x%x of the piece, of which 0x%x exist",
                         image_text(subject, cbn_get32(row + CBN_PIECE_IMAGE), text), flags,
                         (unsigned)CBN_PIECE_COMPLETE);
        }
    }
}

static void check_sources(const struct subject *subject)
{
    const struct cbn_block *block = subject->block;
    for (uint32_t i = 0; i < block->sources.count; i++) {
        const char *name = cbn_string_at(&block->strings, cbn_row(&block->sources, i) + CBN_SOURCE_NAME);
        if (strchr(name, '/')) {
            problems_add(subject->problems, "module '%s': the name of source '%s' has a folder",
                         subject->module->name, name);
        }
    }
}

void check_rows(const struct cbn_block *block, const struct listing_module *module, unsigned minor,
                uint64_t *io_names_left, struct problems *problems)
{
    const struct subject subject = {block, module, minor, problems};
    check_images(&subject);
    check_resources(&subject);
    check_globals(&subject);
    check_symbols(&subject);
    check_pieces(&subject);
    check_sources(&subject);
    check_launches(block, module, minor, problems);
    check_names(block, module, io_names_left, problems);
}
