/* SPDX-License-Identifier: Apache-2.0 */
/* A module's block: docs/reference/format.md, "A module's block". */
#include "loader/core/archive/block.h"

#include "loader/core/archive/digest.h"
#include "loader/core/select/target.h"
#include "loader/core/support/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRINGS,
    IMAGES,
    KERNELS,
    RESOURCES,
    PARAMS,
    GLOBALS,
    PIECES,
    SYMBOLS,
    LAUNCHES,
    HIDDEN_PARAMS,
    PARAM_NAMES,
    SEALS,
    ORIGINS,
    SOURCES,
    PARTS,
    PART_GLOBALS,
    TUNED_SETS,
    INSTANCES,
    GPUS,
    TUNINGS,
    BLOCK_TABLES
};

static const struct cbn_table_kind block_tables[BLOCK_TABLES] = {
    [STRINGS] = {CBN_TABLE_STRINGS, 1},
    [IMAGES] = {CBN_TABLE_IMAGES, CBN_IMAGE_SIZE},
    [KERNELS] = {CBN_TABLE_KERNELS, CBN_KERNEL_SIZE},
    [RESOURCES] = {CBN_TABLE_RESOURCES, CBN_RESOURCE_SIZE_1_0},
    [PARAMS] = {CBN_TABLE_PARAMS, CBN_PARAM_SIZE},
    [GLOBALS] = {CBN_TABLE_GLOBALS, CBN_GLOBAL_SIZE},
    [PIECES] = {CBN_TABLE_PIECES, CBN_PIECE_SIZE},
    [SYMBOLS] = {CBN_TABLE_SYMBOLS, CBN_SYMBOL_SIZE},
    [LAUNCHES] = {CBN_TABLE_LAUNCHES, CBN_LAUNCH_SIZE},
    [HIDDEN_PARAMS] = {CBN_TABLE_HIDDEN_PARAMS, CBN_HIDDEN_SIZE},
    [PARAM_NAMES] = {CBN_TABLE_PARAM_NAMES, CBN_PARAM_NAME_SIZE},
    [SEALS] = {CBN_TABLE_IMAGE_SEALS, CBN_SEAL_SIZE},
    [ORIGINS] = {CBN_TABLE_ORIGINS, CBN_ORIGIN_SIZE},
    [SOURCES] = {CBN_TABLE_SOURCES, CBN_SOURCE_SIZE},
    [PARTS] = {CBN_TABLE_PARTS, CBN_PARTS_SIZE},
    [PART_GLOBALS] = {CBN_TABLE_PART_GLOBALS, CBN_PART_GLOBAL_SIZE},
    [TUNED_SETS] = {CBN_TABLE_TUNED_SETS, CBN_TUNED_SET_SIZE},
    [INSTANCES] = {CBN_TABLE_INSTANCES, CBN_INSTANCE_SIZE},
    [GPUS] = {CBN_TABLE_GPUS, CBN_GPU_SIZE},
    [TUNINGS] = {CBN_TABLE_TUNINGS, CBN_TUNING_SIZE},
};

static cubinet_status row_error(const char *table, uint32_t row, const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "%s %u: %s", table, (unsigned)row, what);
}

static void read_piece(const struct cbn_block *block, uint32_t image_row, cubinet_image_info *info)
{
    const unsigned char *row = cbn_block_piece(block, image_row);
    if (row) {
        bool is_complete = cbn_get32(row + CBN_PIECE_FLAGS) & CBN_PIECE_COMPLETE;
        info->flags = CUBINET_IMAGE_IS_PIECE | (is_complete ? CUBINET_IMAGE_SYMBOLS_COMPLETE : 0);
        info->defined_count = cbn_get32(row + CBN_PIECE_DEFINED);
        info->needed_count = cbn_get32(row + CBN_PIECE_NEEDED);
    }
}

cubinet_image_info cbn_block_row(const struct cbn_block *block, uint32_t number)
{
    const unsigned char *row = cbn_row(&block->images, number);
    cubinet_image_info info = {
        .size = sizeof(info),
        .target =
            {
                .kind = (cubinet_image_kind)row[CBN_IMAGE_KIND],
                .number = cbn_get16(row + CBN_IMAGE_NUMBER),
                .suffix = row[CBN_IMAGE_SUFFIX],
            },
        .toolkit = cbn_get32(row + CBN_IMAGE_TOOLKIT),
        .encoding = (cubinet_encoding)row[CBN_IMAGE_ENCODING],
        .offset = block->offset_base + cbn_get64(row + CBN_IMAGE_OFFSET),
        .stored_size = cbn_get64(row + CBN_IMAGE_STORED_SIZE),
        .raw_size = cbn_get64(row + CBN_IMAGE_RAW_SIZE),
        .base_module = CUBINET_UNKNOWN,
        .base_image = CUBINET_UNKNOWN,
        .base_part = CUBINET_UNKNOWN,
        .part_count = 1,
    };
    if (info.encoding == CUBINET_ENCODING_ZSTD_BASE && block->images.stride >= CBN_IMAGE_SIZE_WITH_BASE) {
        info.base_module = cbn_get32(row + CBN_IMAGE_BASE_MODULE);
        info.base_image = cbn_get32(row + CBN_IMAGE_BASE_IMAGE);
        info.base_part =
            block->images.stride >= CBN_IMAGE_SIZE_WITH_BASE_PART ? cbn_get32(row + CBN_IMAGE_BASE_PART) : 0;
    }
    uint32_t isa_or_floor = cbn_get32(row + CBN_IMAGE_ISA_OR_FLOOR);
    info.ptx_isa = info.target.kind == CUBINET_IMAGE_PTX ? isa_or_floor : 0;
    info.link_floor = info.target.kind == CUBINET_IMAGE_LTOIR ? isa_or_floor : 0;
    memcpy(info.digest, row + CBN_IMAGE_DIGEST, sizeof(info.digest));
    read_piece(block, number, &info);
    return info;
}

cubinet_image_info cbn_block_image(const struct cbn_block *block, uint32_t image)
{
    cubinet_image_info info = cbn_block_row(block, cbn_block_first_row(block, image));
    if (cbn_block_part_count(block, image) > 1) {
        const struct cbn_part_set *set = &block->parts->images[image];
        info.part_count = set->count;
        info.stored_size = set->stored_size;
        info.raw_size = set->raw_size;
        info.base_module = CUBINET_UNKNOWN;
        info.base_image = CUBINET_UNKNOWN;
        info.base_part = CUBINET_UNKNOWN;
        memcpy(info.digest, set->digest.bytes, sizeof(info.digest));
    }
    return info;
}

static bool is_target(cubinet_target target)
{
    return target.kind != 0 && target.number >= 10 && target.number <= 9999 &&
           cbn_target_suffix_fits(target.kind, target.suffix);
}

/* Kinds that this version knows and that have nothing to say there. */
static bool has_isa_or_floor(cubinet_image_kind kind)
{
    return kind != CUBINET_IMAGE_CUBIN && kind != CUBINET_IMAGE_TILEIR && kind != CUBINET_IMAGE_OPTIXIR;
}

/* A row that is too short to name a base can't have the encoding that needs one. */
static bool is_encoding(const struct cbn_block *block, const unsigned char *row)
{
    bool names_base = block->images.stride >= CBN_IMAGE_SIZE_WITH_BASE;
    return row[CBN_IMAGE_ENCODING] <= (names_base ? CUBINET_ENCODING_ZSTD_BASE : CUBINET_ENCODING_ZSTD);
}

static bool sizes_agree(const cubinet_image_info *image)
{
    if (image->encoding == CUBINET_ENCODING_RAW && image->raw_size != image->stored_size) {
        return false;
    }
    return image->raw_size > 0 && image->stored_size > 0;
}

/* The rows of one image are alike, but for their bytes. */
static bool follows(const struct cbn_block *block, uint32_t row, const cubinet_image_info *previous,
                    const cubinet_image_info *image)
{
    int order = cubinet_target_compare(previous->target, image->target);
    if (row == 0 || cbn_block_row_image(block, row - 1) != cbn_block_row_image(block, row)) {
        return order < 0;
    }
    return order == 0 && image->target.kind <= CUBINET_IMAGE_PTX && previous->toolkit == image->toolkit &&
           previous->ptx_isa == image->ptx_isa;
}

static cubinet_status check_images(const struct cbn_block *block, const struct cbn_stored_block *stored)
{
    if (block->images.count == 0) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it has no image");
    }
    if (cbn_block_image_count(block) > CBN_IMAGES_MAX) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it has %u images, and a module has at most %d",
                         (unsigned)cbn_block_image_count(block), CBN_IMAGES_MAX);
    }
    cubinet_image_info previous = {0};
    for (uint32_t i = 0; i < block->images.count; i++) {
        const unsigned char *row = cbn_row(&block->images, i);
        cubinet_image_info image = cbn_block_row(block, i);
        if (!is_target(image.target) || !follows(block, i, &previous, &image)) {
            return row_error("image", i, "malformed or misplaced target");
        }
        if (!is_encoding(block, row)) {
            return row_error("image", i, "unknown encoding");
        }
        if (row[CBN_IMAGE_ZERO] || row[CBN_IMAGE_ZERO + 1] || row[CBN_IMAGE_ZERO + 2] ||
            (!has_isa_or_floor(image.target.kind) && cbn_get32(row + CBN_IMAGE_ISA_OR_FLOOR))) {
            return row_error("image", i, "a reserved member is set");
        }
        if (!sizes_agree(&image)) {
            return row_error("image", i, "sizes that contradict each other");
        }
        if (image.offset < stored->images_start || image.offset > stored->images_end ||
            image.stored_size > stored->images_end - image.offset) {
            return row_error("image", i, "it lies outside the archive");
        }
        previous = image;
    }
    return CUBINET_OK;
}

/* Kernels and globals alike start with a lowered name and an expression, and are sorted by the name. Says how
 * many bytes both of a row have at most, each with its NUL. */
static cubinet_status check_names(const struct cbn_block *block, const struct cbn_table *table,
                                  const char *what, uint64_t *out_longest)
{
    const char *previous = "";
    uint64_t room = cbn_string_room(block->size);
    *out_longest = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const unsigned char *row = cbn_row(table, i);
        uint64_t before = room;
        const char *name = cbn_take_name(&block->strings, cbn_get32(row + CBN_KERNEL_NAME), &room);
        if (!name || strcmp(previous, name) >= 0) {
            return row_error(what, i, "missing, malformed or misplaced name");
        }
        if (!cbn_take_name(&block->strings, cbn_get32(row + CBN_KERNEL_EXPRESSION), &room)) {
            return row_error(what, i, "missing or malformed expression");
        }
        *out_longest = before - room > *out_longest ? before - room : *out_longest;
        previous = name;
    }
    return CUBINET_OK;
}

static cubinet_status check_globals(const struct cbn_block *block)
{
    for (uint32_t i = 0; i < block->globals.count; i++) {
        if (cbn_get32(cbn_row(&block->globals, i) + CBN_GLOBAL_ZERO)) {
            return row_error("global", i, "a reserved member is set");
        }
    }
    uint64_t longest;
    return check_names(block, &block->globals, "global", &longest);
}

/* Rows may share parameters, for which there is room. */
static bool take_params(const struct cbn_block *block, const unsigned char *row, uint64_t *io_room)
{
    uint32_t first = cbn_get32(row + CBN_RESOURCE_FIRST_PARAM);
    uint32_t count = cbn_get16(row + CBN_RESOURCE_PARAM_COUNT);
    if (count == CBN_PARAM_COUNT_UNKNOWN || count == 0) {
        return true;
    }
    if (first > block->params.count || count > block->params.count - first ||
        (uint64_t)count * CBN_PARAM_SIZE > *io_room) {
        return false;
    }
    *io_room -= (uint64_t)count * CBN_PARAM_SIZE;
    return true;
}

/* Kernels' names are told of each of their images, and have room to be told that often. `longest` spares
 * looking at them: nearly all are together no longer than they may be in any case. */
static cubinet_status check_told(struct cbn_block *block, uint64_t longest)
{
    uint64_t before = cbn_block_told_room(block);
    uint64_t room = before;
    if (longest * block->resources.count <= cbn_string_room(block->size)) {
        return CUBINET_OK;
    }
    for (uint32_t i = 0; i < block->resources.count; i++) {
        uint32_t number = cbn_get32(cbn_row(&block->resources, i) + CBN_RESOURCE_KERNEL);
        const unsigned char *kernel = cbn_row(&block->kernels, number);
        if (!cbn_take_string(&block->strings, cbn_get32(kernel + CBN_KERNEL_NAME), &room) ||
            !cbn_take_string(&block->strings, cbn_get32(kernel + CBN_KERNEL_EXPRESSION), &room)) {
            return row_error("resources", i, "too long a name of a kernel in so many images");
        }
    }
    cbn_block_tell(block, before - room);
    return CUBINET_OK;
}

static cubinet_status check_resources(struct cbn_block *block)
{
    uint64_t previous = 0;
    uint64_t before = cbn_block_told_room(block);
    uint64_t room = before;
    for (uint32_t i = 0; i < block->resources.count; i++) {
        const unsigned char *row = cbn_row(&block->resources, i);
        uint32_t image = cbn_get32(row + CBN_RESOURCE_IMAGE);
        uint32_t kernel = cbn_get32(row + CBN_RESOURCE_KERNEL);
        if (image >= block->images.count || kernel >= block->kernels.count) {
            return row_error("resources", i, "of an image or kernel that is not there");
        }
        uint64_t pair = (uint64_t)image << 32 | kernel;
        if (i > 0 && pair <= previous) {
            return row_error("resources", i, "out of order");
        }
        if (!take_params(block, row, &room)) {
            return row_error("resources", i, "parameters that are not there, or shared by too many");
        }
        previous = pair;
    }
    cbn_block_tell(block, before - room);
    return CUBINET_OK;
}

/* `count` symbols from `first` on, which exist, are in order and have names and types. */
static cubinet_status check_symbols(const struct cbn_block *block, uint32_t first, uint32_t count,
                                    uint64_t *io_room)
{
    const char *previous = "";
    for (uint32_t i = first; i < first + count; i++) {
        const unsigned char *row = cbn_row(&block->symbols, i);
        const char *name = cbn_take_name(&block->strings, cbn_get32(row + CBN_SYMBOL_NAME), io_room);
        if (!name || strcmp(previous, name) >= 0) {
            return row_error("symbol", i, "missing, malformed or misplaced name");
        }
        if (!cbn_take_name(&block->strings, cbn_get32(row + CBN_SYMBOL_EXPRESSION), io_room) ||
            !cbn_take_name(&block->strings, cbn_get32(row + CBN_SYMBOL_TYPE), io_room)) {
            return row_error("symbol", i, "missing or malformed expression or type");
        }
        previous = name;
    }
    return CUBINET_OK;
}

/* Each piece's symbols follow those of the piece before it. */
static cubinet_status check_pieces(const struct cbn_block *block)
{
    uint32_t next_image = 0;
    uint32_t next_symbol = 0;
    uint64_t room = cbn_string_room(block->size);
    for (uint32_t i = 0; i < block->pieces.count; i++) {
        const unsigned char *row = cbn_row(&block->pieces, i);
        uint32_t image = cbn_get32(row + CBN_PIECE_IMAGE);
        uint32_t defined = cbn_get32(row + CBN_PIECE_DEFINED);
        uint32_t needed = cbn_get32(row + CBN_PIECE_NEEDED);
        if (image < next_image || image >= block->images.count) {
            return row_error("piece", i, "out of order, or of an image that is not there");
        }
        if (cbn_get32(row + CBN_PIECE_FIRST_SYMBOL) != next_symbol ||
            defined > block->symbols.count - next_symbol ||
            needed > block->symbols.count - next_symbol - defined) {
            return row_error("piece", i, "symbols that are not there");
        }
        cubinet_status status = check_symbols(block, next_symbol, defined, &room);
        if (!status) {
            status = check_symbols(block, next_symbol + defined, needed, &room);
        }
        if (status) {
            return status;
        }
        next_image = image + 1;
        next_symbol += defined + needed;
    }
    return next_symbol == block->symbols.count ? CUBINET_OK
                                               : row_error("symbol", next_symbol, "it belongs to no piece");
}

static cubinet_status read_tables(struct cbn_block *block, uint32_t size)
{
    struct cbn_table tables[BLOCK_TABLES];
    cubinet_status status = cbn_tables_read(block->bytes, size, 0, block_tables, BLOCK_TABLES, tables);
    if (!status) {
        block->strings = tables[STRINGS];
        block->images = tables[IMAGES];
        block->kernels = tables[KERNELS];
        block->resources = tables[RESOURCES];
        block->params = tables[PARAMS];
        block->globals = tables[GLOBALS];
        block->pieces = tables[PIECES];
        block->symbols = tables[SYMBOLS];
        block->launches = tables[LAUNCHES];
        block->hidden_params = tables[HIDDEN_PARAMS];
        block->param_names = tables[PARAM_NAMES];
        block->seals = tables[SEALS];
        block->origins = tables[ORIGINS];
        block->sources = tables[SOURCES];
        block->part_rows = tables[PARTS];
        block->part_globals = tables[PART_GLOBALS];
        block->tuned_sets = tables[TUNED_SETS];
        block->instances = tables[INSTANCES];
        block->gpus = tables[GPUS];
        block->tunings = tables[TUNINGS];
    }
    return status;
}

static cubinet_status check_seals(const struct cbn_block *block, const struct cbn_stored_block *stored)
{
    if (block->seals.count != 0 && block->seals.count != block->images.count) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it has %u images, and %u digests of images",
                         (unsigned)block->images.count, (unsigned)block->seals.count);
    }
    if (stored->trust && block->seals.count == 0) {
        return cbn_error(CUBINET_ERROR_NOT_TRUSTED, "the signature does not cover its images");
    }
    return CUBINET_OK;
}

static cubinet_status check_tables(struct cbn_block *block, const struct cbn_stored_block *stored)
{
    uint64_t longest = 0;
    cubinet_status status = check_images(block, stored);
    if (!status) {
        status = check_names(block, &block->kernels, "kernel", &longest);
    }
    if (!status) {
        status = check_globals(block);
    }
    if (!status) {
        status = check_resources(block);
    }
    if (!status) {
        status = check_told(block, longest);
    }
    if (!status) {
        status = check_pieces(block);
    }
    if (!status) {
        status = cbn_block_check_launches(block);
    }
    if (!status) {
        status = cbn_block_check_origins(block);
    }
    if (!status) {
        status = cbn_block_check_parts(block);
    }
    if (!status) {
        status = cbn_block_check_tunings(block);
    }
    return status ? status : check_seals(block, stored);
}

/* The table's rows may lie at any address and be longer than programs know them. */
static cubinet_status convert_params(struct cbn_block *block)
{
    if (block->params.count == 0) {
        return CUBINET_OK;
    }
    block->param_list = calloc(block->params.count, sizeof(*block->param_list));
    if (!block->param_list) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < block->params.count; i++) {
        const unsigned char *row = cbn_row(&block->params, i);
        block->param_list[i] = (cubinet_param){
            .offset = cbn_get32(row + CBN_PARAM_OFFSET),
            .size = cbn_get32(row + CBN_PARAM_BYTES),
        };
    }
    return CUBINET_OK;
}

/* Room for a block and the module's name after it. */
static struct cbn_block *create(const struct cbn_stored_block *stored, uint32_t size)
{
    size_t name_size = strlen(stored->module) + 1;
    struct cbn_block *block = malloc(sizeof(*block) + size + name_size);
    if (block) {
        *block = (struct cbn_block){.module = memcpy(block->bytes + size, stored->module, name_size),
                                    .size = size};
    }
    return block;
}

/* The copy of a block, nothing but its digest checked. */
static cubinet_status copy(const struct cbn_stored_block *stored, struct cbn_unpack_spare *spare,
                           struct cbn_block **out_block)
{
    if (stored->digest && !cbn_digest_matches(stored->bytes, stored->size, stored->digest)) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it does not have the digest that the archive says");
    }
    struct cbn_frame frame = {.bytes = stored->bytes, .size = stored->size, .raw_size = stored->raw_size};
    if (stored->base) {
        frame.prefix = stored->base->bytes;
        frame.prefix_size = stored->base->size;
    }
    cubinet_status status = stored->raw_size ? cbn_frame_check(&frame, stored->limit) : CUBINET_OK;
    if (status) {
        return status;
    }
    struct cbn_block *block = create(stored, stored->raw_size ? stored->raw_size : stored->size);
    if (!block) {
        return cbn_error_memory();
    }
    if (stored->raw_size) {
        status = cbn_frame_unpack(spare, &frame, block->bytes);
    } else {
        memcpy(block->bytes, stored->bytes, stored->size);
    }
    if (status) {
        cbn_block_free(block);
        return status;
    }
    *out_block = block;
    return CUBINET_OK;
}

cubinet_status cbn_block_create(const struct cbn_stored_block *stored, struct cbn_unpack_spare *spare,
                                struct cbn_block **out_block)
{
    struct cbn_block *block = NULL;
    if (stored->trust && !cbn_trust_matches(stored->trust, stored->bytes, stored->size, stored->seal)) {
        return cbn_error(CUBINET_ERROR_NOT_TRUSTED, "its part of the index was altered after it was signed");
    }
    cubinet_status status = copy(stored, spare, &block);
    if (status) {
        return status;
    }
    block->offset_base = stored->raw_size ? stored->images_start : 0;
    status = read_tables(block, block->size);
    if (!status) {
        status = cbn_block_read_parts(block);
    }
    if (!status) {
        status = check_tables(block, stored);
    }
    if (!status) {
        status = convert_params(block);
    }
    if (!status) {
        status = cbn_block_convert_launches(block);
    }
    if (!status) {
        status = cbn_block_convert_tunings(block);
    }
    if (status) {
        cbn_block_free(block);
        return status;
    }
    *out_block = block;
    return CUBINET_OK;
}

void cbn_block_free(struct cbn_block *block)
{
    if (block) {
        free(block->param_list);
        free(block->hidden_list);
        free(block->name_list);
        free(block->instance_list);
        cbn_parts_free(block->parts);
        free(atomic_load_explicit(&block->identities, memory_order_relaxed));
        free(block);
    }
}
