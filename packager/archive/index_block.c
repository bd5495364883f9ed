/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/index_block.h"

#include "archive/launch_tables.h"
#include "archive/provenance_tables.h"
#include "archive/table_writer.h"
#include "archive/tuning_tables.h"
#include "loader/core/archive/format.h"
#include "loader/core/archive/resource_row.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static void put_base(unsigned char *row, const struct stored_image *stored)
{
    if (stored->encoding == CUBINET_ENCODING_ZSTD_BASE) {
        cbn_put32(row + CBN_IMAGE_BASE_MODULE, stored->base_module);
        cbn_put32(row + CBN_IMAGE_BASE_IMAGE, stored->base_image);
        cbn_put32(row + CBN_IMAGE_BASE_PART, stored->base_part);
    }
}

/* A base may be a part only for a module that has parts itself, which older readers refuse anyway. */
static size_t image_row_size(const struct index_writer *writer, const struct draft_module *module)
{
    if (writer->options->zstd_level == 0) {
        return CBN_IMAGE_SIZE;
    }
    return draft_has_parts(module) ? CBN_IMAGE_SIZE_WITH_BASE_PART : CBN_IMAGE_SIZE_WITH_BASE;
}

/* In a compressed block offsets count from the end of the index, whose place depends on how well that
 * compresses. */
static void add_images(const struct index_writer *writer, struct table_set *set,
                       const struct stored_image *stored, const struct draft_module *module)
{
    size_t size = image_row_size(writer, module);
    uint64_t start = writer->options->zstd_level ? 0 : writer->places->index_end;
    struct buffer *rows = table_set_add(set, CBN_TABLE_IMAGES, (uint16_t)size);
    for (size_t i = 0; i < module->image_count; i++) {
        const struct draft_image *image = stored[i].image;
        unsigned char row[CBN_IMAGE_SIZE_WITH_BASE_PART] = {0};
        row[CBN_IMAGE_KIND] = (unsigned char)image->target.kind;
        row[CBN_IMAGE_SUFFIX] = (unsigned char)image->target.suffix;
        cbn_put16(row + CBN_IMAGE_NUMBER, (uint16_t)image->target.number);
        row[CBN_IMAGE_ENCODING] = (unsigned char)stored[i].encoding;
        cbn_put32(row + CBN_IMAGE_TOOLKIT, image->toolkit);
        cbn_put32(row + CBN_IMAGE_ISA_OR_FLOOR,
                  image->target.kind == CUBINET_IMAGE_PTX ? image->ptx_isa : image->link_floor);
        cbn_put64(row + CBN_IMAGE_OFFSET, start + stored[i].offset);
        cbn_put64(row + CBN_IMAGE_STORED_SIZE, stored[i].size);
        cbn_put64(row + CBN_IMAGE_RAW_SIZE, image->size);
        memcpy(row + CBN_IMAGE_DIGEST, stored[i].digest.bytes, CBN_DIGEST_SIZE);
        put_base(row, &stored[i]);
        buffer_append(rows, row, size);
    }
}

static void add_kernels(struct table_set *set, struct buffer *strings, const struct draft_module *module)
{
    struct buffer *rows = table_set_add(set, CBN_TABLE_KERNELS, CBN_KERNEL_SIZE);
    for (size_t i = 0; i < module->kernel_count; i++) {
        unsigned char row[CBN_KERNEL_SIZE];
        cbn_put32(row + CBN_KERNEL_NAME, table_string(strings, module->kernels[i].name));
        cbn_put32(row + CBN_KERNEL_EXPRESSION, table_string(strings, module->kernels[i].expression));
        buffer_append(rows, row, sizeof(row));
    }
}

/* The row of the list's first parameter. Images of a kernel nearly always agree about its parameters, so the
 * list that was written last for the kernel is used again. */
static uint32_t add_params(struct buffer *params, const cubinet_kernel_resources *resources, uint32_t *last)
{
    uint32_t count = resources->param_count;
    if (count == 0 || count == CUBINET_UNKNOWN) {
        return 0;
    }
    size_t start = params->size;
    for (uint32_t i = 0; i < count; i++) {
        unsigned char row[CBN_PARAM_SIZE];
        cbn_put32(row + CBN_PARAM_OFFSET, resources->params[i].offset);
        cbn_put32(row + CBN_PARAM_BYTES, resources->params[i].size);
        buffer_append(params, row, sizeof(row));
    }
    size_t size = (size_t)count * CBN_PARAM_SIZE;
    size_t before = (size_t)*last * CBN_PARAM_SIZE;
    if (!params->failed && before + size <= start &&
        memcmp(params->data + before, params->data + start, size) == 0) {
        params->size = start;
        return *last;
    }
    *last = (uint32_t)(start / CBN_PARAM_SIZE);
    return *last;
}

static void put_resources(unsigned char *row, const cubinet_kernel_resources *resources)
{
    bool unknown_params = resources->param_count == CUBINET_UNKNOWN;
    cbn_resource_row_put(row, resources);
    cbn_put16(row + CBN_RESOURCE_PARAM_COUNT,
              unknown_params ? CBN_PARAM_COUNT_UNKNOWN : (uint16_t)resources->param_count);
    cbn_put16(row + CBN_RESOURCE_PARAM_BYTES, unknown_params ? 0 : (uint16_t)resources->param_bytes);
}

static cubinet_status check_params(const struct draft_module *module, const struct draft_use *use)
{
    const cubinet_kernel_resources *resources = &use->resources;
    if (resources->param_count == CUBINET_UNKNOWN ||
        (resources->param_count < CBN_PARAM_COUNT_UNKNOWN && resources->param_bytes <= UINT16_MAX)) {
        return CUBINET_OK;
    }
    return cbn_error(
        CUBINET_ERROR_LIMIT,
        "module '%s': kernel '%s' has %u parameters in %u bytes, more than an archive can record",
        module->name, use->kernel, resources->param_count, resources->param_bytes);
}

struct resource_tables {
    struct buffer *rows;
    struct buffer *params;
    uint32_t *last_params; /* for each kernel, the row of the list of parameters that was written last */
};

/* Rows for every kernel of one image. The image's kernels and the module's are in the same order, so that
 * most often a kernel's row is the next one. */
static cubinet_status add_image_resources(struct resource_tables *tables, const struct draft_module *module,
                                          size_t image_row)
{
    const struct draft_image *image = &module->images[image_row];
    size_t kernel = 0;
    for (size_t i = 0; i < image->use_count; i++) {
        const struct draft_use *use = &image->uses[i];
        if (i == 0 || ++kernel == module->kernel_count ||
            strcmp(module->kernels[kernel].name, use->kernel) != 0) {
            kernel = draft_kernel_number(module, use->kernel);
        }
        cubinet_status status = check_params(module, use);
        if (status) {
            return status;
        }
        unsigned char row[CBN_RESOURCE_SIZE] = {0};
        cbn_put32(row + CBN_RESOURCE_IMAGE, (uint32_t)image_row);
        cbn_put32(row + CBN_RESOURCE_KERNEL, (uint32_t)kernel);
        cbn_put32(row + CBN_RESOURCE_FIRST_PARAM,
                  add_params(tables->params, &use->resources, &tables->last_params[kernel]));
        put_resources(row, &use->resources);
        buffer_append(tables->rows, row, sizeof(row));
    }
    return CUBINET_OK;
}

static cubinet_status add_resources(struct table_set *set, const struct draft_module *module)
{
    struct resource_tables tables = {
        .rows = table_set_add(set, CBN_TABLE_RESOURCES, CBN_RESOURCE_SIZE),
        .params = table_set_add(set, CBN_TABLE_PARAMS, CBN_PARAM_SIZE),
        .last_params = calloc(module->kernel_count + 1, sizeof(uint32_t)),
    };
    cubinet_status status = tables.last_params ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < module->image_count; i++) {
        status = add_image_resources(&tables, module, i);
    }
    free(tables.last_params);
    return status;
}

static void add_globals(struct table_set *set, struct buffer *strings, const struct draft_module *module)
{
    struct buffer *rows = table_set_add(set, CBN_TABLE_GLOBALS, CBN_GLOBAL_SIZE);
    for (size_t i = 0; i < module->global_count; i++) {
        const struct draft_global *global = &module->globals[i];
        unsigned char row[CBN_GLOBAL_SIZE] = {0};
        cbn_put32(row + CBN_GLOBAL_NAME, table_string(strings, global->name));
        cbn_put32(row + CBN_GLOBAL_EXPRESSION, table_string(strings, global->expression));
        cbn_put64(row + CBN_GLOBAL_BYTES, global->bytes);
        cbn_put32(row + CBN_GLOBAL_FLAGS, global->flags);
        buffer_append(rows, row, sizeof(row));
    }
}

static void add_symbol(struct buffer *rows, struct buffer *strings, const struct symbol *symbol)
{
    unsigned char row[CBN_SYMBOL_SIZE];
    cbn_put32(row + CBN_SYMBOL_NAME, table_string(strings, symbol->name));
    cbn_put32(row + CBN_SYMBOL_EXPRESSION, table_string(strings, symbol->expression));
    cbn_put32(row + CBN_SYMBOL_TYPE, table_string(strings, symbol->type));
    cbn_put32(row + CBN_SYMBOL_FLAGS, (symbol->is_weak ? (uint32_t)CBN_SYMBOL_WEAK : 0) |
                                          (symbol->is_variable ? (uint32_t)CBN_SYMBOL_VARIABLE : 0));
    buffer_append(rows, row, sizeof(row));
}

/* The pieces among the images, and their symbols. */
static void add_pieces(struct table_set *set, struct buffer *strings, const struct draft_module *module)
{
    struct buffer *pieces = table_set_add(set, CBN_TABLE_PIECES, CBN_PIECE_SIZE);
    struct buffer *symbols = table_set_add(set, CBN_TABLE_SYMBOLS, CBN_SYMBOL_SIZE);
    for (size_t i = 0; i < module->image_count; i++) {
        const struct symbol_list *list = &module->images[i].symbols;
        if (!list->is_recorded) {
            continue;
        }
        size_t defined = symbol_list_defined(list);
        unsigned char row[CBN_PIECE_SIZE];
        cbn_put32(row + CBN_PIECE_IMAGE, (uint32_t)i);
        cbn_put32(row + CBN_PIECE_FIRST_SYMBOL, (uint32_t)(symbols->size / CBN_SYMBOL_SIZE));
        cbn_put32(row + CBN_PIECE_DEFINED, (uint32_t)defined);
        cbn_put32(row + CBN_PIECE_NEEDED, (uint32_t)(list->count - defined));
        cbn_put32(row + CBN_PIECE_FLAGS, list->is_complete ? CBN_PIECE_COMPLETE : 0);
        buffer_append(pieces, row, sizeof(row));
        for (size_t j = 0; j < list->count; j++) {
            add_symbol(symbols, strings, &list->items[j]);
        }
    }
}

static void add_parts(struct table_set *set, const struct draft_module *module)
{
    struct buffer *rows = table_set_add(set, CBN_TABLE_PARTS, CBN_PARTS_SIZE);
    for (size_t i = 0; i < module->image_count; i += module->images[i].part_count) {
        if (module->images[i].part_count > 1) {
            unsigned char row[CBN_PARTS_SIZE];
            cbn_put32(row + CBN_PARTS_FIRST, (uint32_t)i);
            cbn_put32(row + CBN_PARTS_COUNT, module->images[i].part_count);
            buffer_append(rows, row, sizeof(row));
        }
    }
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static size_t count_part_globals(const struct draft_module *module)
{
    size_t count = 0;
    for (size_t i = 0; i < module->image_count; i++) {
        count += module->images[i].globals.count;
    }
    return count;
}

/* Which part has which global: in the order of globals, then images. */
static cubinet_status add_part_globals(struct table_set *set, const struct draft_module *module)
{
    struct buffer *rows = table_set_add(set, CBN_TABLE_PART_GLOBALS, CBN_PART_GLOBAL_SIZE);
    uint64_t *pairs = calloc(count_part_globals(module) + 1, sizeof(*pairs));
    size_t count = 0;
    if (!pairs) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < module->image_count; i++) {
        const struct cbn_text_list *globals = &module->images[i].globals;
        for (size_t j = 0; j < globals->count; j++) {
            pairs[count++] = (uint64_t)draft_global_number(module, globals->items[j]) << 32 | (uint32_t)i;
        }
    }
    qsort(pairs, count, sizeof(*pairs), compare_pairs);
    for (size_t i = 0; i < count; i++) {
        unsigned char row[CBN_PART_GLOBAL_SIZE];
        cbn_put32(row + CBN_PART_GLOBAL_GLOBAL, (uint32_t)(pairs[i] >> 32));
        cbn_put32(row + CBN_PART_GLOBAL_IMAGE, (uint32_t)pairs[i]);
        buffer_append(rows, row, sizeof(row));
    }
    free(pairs);
    return CUBINET_OK;
}

static void add_image_seals(const struct index_writer *writer, struct table_set *set,
                            const struct stored_image *stored, size_t count)
{
    if (writer->options->key_count == 0) {
        return;
    }
    struct buffer *rows = table_set_add(set, CBN_TABLE_IMAGE_SEALS, CBN_SEAL_SIZE);
    for (size_t i = 0; i < count; i++) {
        buffer_append(rows, stored[i].seal, CBN_SEAL_SIZE);
    }
}

cubinet_status index_block_make(const struct index_writer *writer, const struct draft_module *module,
                                const struct stored_image *stored, struct buffer *out_block)
{
    struct table_set set = {0};
    struct buffer *strings = table_set_add_strings(&set);
    add_images(writer, &set, stored, module);
    add_kernels(&set, strings, module);
    cubinet_status status = add_resources(&set, module);
    if (!status) {
        add_globals(&set, strings, module);
        add_pieces(&set, strings, module);
        launch_tables_add(&set, strings, module);
        add_parts(&set, module);
        status = add_part_globals(&set, module);
    }
    if (!status) {
        add_image_seals(writer, &set, stored, module->image_count);
        status = provenance_tables_add(&set, strings, module);
    }
    if (!status) {
        status = tuning_tables_add(&set, strings, module);
    }
    if (!status) {
        table_set_append(&set, out_block, 0);
        status = out_block->failed ? cbn_error_memory() : CUBINET_OK;
    }
    table_set_free(&set);
    return status;
}
