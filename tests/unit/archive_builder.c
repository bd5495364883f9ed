/* SPDX-License-Identifier: Apache-2.0 */
#include "archive_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    ALIGNMENT = 8,
    HEADER = 48,
    ROOT_DIGEST = 32,
    MODULE_ROW = 32,
    PAGE_ROW = 32,
    IMAGE_ROW = 56,
    IMAGE_ROW_1_2 = 64,
    RESOURCE_ROW_1_0 = 80,
    RESOURCE_ROW = 92
};

/* A growing run of bytes. */
struct bytes {
    unsigned char *data;
    size_t size;
    size_t capacity;
};

static void *need(void *memory)
{
    if (!memory) {
        abort();
    }
    return memory;
}

void put(unsigned char *bytes, size_t width, uint64_t value)
{
    for (size_t i = 0; i < width; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

uint64_t get(const unsigned char *bytes, size_t width)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static unsigned char *grow(struct bytes *bytes, size_t size)
{
    if (size > PTRDIFF_MAX) {
        abort();
    }
    if (bytes->capacity < bytes->size + size + 1) {
        bytes->capacity = 2 * (bytes->size + size + 1);
        bytes->data = need(realloc(bytes->data, bytes->capacity));
    }
    memset(bytes->data + bytes->size, 0, size);
    bytes->size += size;
    return bytes->data + bytes->size - size;
}

static void append(struct bytes *bytes, const void *data, size_t size)
{
    unsigned char *place = grow(bytes, size);
    if (size > 0) {
        memcpy(place, data, size);
    }
}

static void append_number(struct bytes *bytes, size_t width, uint64_t value)
{
    put(grow(bytes, width), width, value);
}

static void align(struct bytes *bytes)
{
    grow(bytes, (ALIGNMENT - bytes->size % ALIGNMENT) % ALIGNMENT);
}

static uint32_t add_string(struct bytes *strings, const char *text)
{
    if (strings->size == 0) {
        grow(strings, 1);
    }
    if (!text || !text[0]) {
        return 0;
    }
    uint32_t offset = (uint32_t)strings->size;
    append(strings, text, strlen(text) + 1);
    return offset;
}

static void digest(const void *first, size_t first_size, const void *second, size_t second_size,
                   unsigned char out[16])
{
    struct bytes both = {0};
    append(&both, first, first_size);
    append(&both, second, second_size);
    XXH128_canonical_t form;
    XXH128_canonicalFromHash(&form, XXH3_128bits(both.data, both.size));
    memcpy(out, form.digest, 16);
    free(both.data);
}

/* A table that is to be laid out. */
struct table {
    uint16_t id;
    uint16_t stride;
    struct bytes rows;
};

/* A row of `width` bytes, made `wider`. */
static unsigned char *add_row(struct table *table)
{
    return grow(&table->rows, table->stride);
}

static int by_id(const void *a, const void *b)
{
    const struct table *first = a, *second = b;
    return (first->id & 0x7fff) - (second->id & 0x7fff);
}

/* Appends a directory and its tables; offsets count from `start` in `out`. Frees the rows. */
static void lay_out(struct bytes *out, size_t start, struct table *tables, size_t count)
{
    qsort(tables, count, sizeof(*tables), by_id);
    size_t directory = out->size;
    grow(out, 4 + 12 * count);
    put(out->data + directory, 2, count);
    for (size_t i = 0; i < count; i++) {
        align(out);
        unsigned char *entry = out->data + directory + 4 + 12 * i;
        put(entry, 2, tables[i].id);
        put(entry + 2, 2, tables[i].stride);
        put(entry + 4, 4, out->size - start);
        put(entry + 8, 4, tables[i].rows.size / tables[i].stride);
        append(out, tables[i].rows.data, tables[i].rows.size);
        free(tables[i].rows.data);
    }
}

static void add_unknown(struct table *table, uint16_t id)
{
    *table = (struct table){.id = id, .stride = 3};
    append(&table->rows, "abcdef", 6);
}

/* A zstd frame, perhaps after a prefix. */
static struct bytes pack(const void *data, size_t size, const void *prefix, size_t prefix_size,
                         bool has_checksum)
{
    struct bytes frame = {0};
    unsigned char *place = grow(&frame, ZSTD_compressBound(size));
    ZSTD_CCtx *context = need(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 19);
    if (prefix) {
        ZSTD_CCtx_refPrefix(context, prefix, prefix_size);
    }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, has_checksum);
    frame.size = ZSTD_compress2(context, place, frame.size, data, size);
    ZSTD_freeCCtx(context);
    if (ZSTD_isError(frame.size)) {
        abort();
    }
    return frame;
}

/* The stored form of an image. */
static struct bytes store(const struct build_image *image)
{
    struct bytes stored = {0};
    size_t size = strlen(image->text);
    if (!image->compress) {
        append(&stored, image->text, size);
        return stored;
    }
    const char *base = image->compress == 2 ? image->base->text : NULL;
    return pack(image->text, size, base, base ? strlen(base) : 0, base && !image->is_unchecked);
}

static void add_image(struct table *table, const struct build_image *image, uint64_t offset)
{
    struct bytes stored = store(image);
    unsigned char *row = add_row(table);
    put(row, 1, image->kind);
    put(row + 1, 1, (unsigned char)image->suffix);
    put(row + 2, 2, image->number);
    put(row + 4, 1, (uint64_t)image->compress);
    put(row + 8, 4, image->toolkit);
    put(row + 12, 4, image->isa_or_floor);
    put(row + 16, 8, offset);
    put(row + 24, 8, stored.size);
    put(row + 32, 8, strlen(image->text));
    digest(stored.data, stored.size, NULL, 0, row + 40);
    if (image->base) {
        put(row + IMAGE_ROW, 4, image->base_module);
        put(row + IMAGE_ROW + 4, 4, image->base_row);
    }
    free(stored.data);
}

static void add_resource(struct table *table, const struct build_resource *resource)
{
    unsigned char *row = add_row(table);
    put(row, 4, resource->image);
    put(row + 4, 4, resource->kernel);
    for (uint32_t i = 0; i < 16; i++) {
        put(row + 8 + 4 * i, 4, resource->base + i);
    }
    put(row + 72, 4, resource->first_param);
    put(row + 76, 2, resource->param_count);
    put(row + 78, 2, resource->param_bytes);
    for (uint32_t i = 0; table->stride >= RESOURCE_ROW && i < 3; i++) {
        put(row + RESOURCE_ROW_1_0 + 4 * i, 4, resource->base + 16 + i);
    }
}

static void add_pieces(struct table *pieces, struct table *symbols, struct bytes *strings,
                       const struct build_module *module)
{
    uint32_t first = 0;
    for (size_t i = 0; i < module->piece_count; i++) {
        const struct build_piece *piece = &module->pieces[i];
        unsigned char *row = add_row(pieces);
        put(row, 4, piece->image);
        put(row + 4, 4, first);
        put(row + 8, 4, piece->defined);
        put(row + 12, 4, piece->needed);
        put(row + 16, 4, piece->flags);
        first += piece->defined + piece->needed;
    }
    for (size_t i = 0; i < module->symbol_count; i++) {
        const struct build_symbol *symbol = &module->symbols[i];
        unsigned char *row = add_row(symbols);
        put(row, 4, add_string(strings, symbol->name));
        put(row + 4, 4, add_string(strings, symbol->expression));
        put(row + 8, 4, add_string(strings, symbol->type));
        put(row + 12, 4, symbol->flags);
    }
}

static void put_sides(unsigned char *place, const uint32_t sides[3])
{
    for (size_t i = 0; i < 3; i++) {
        put(place + 4 * i, 4, sides[i]);
    }
}

static void add_launches(struct table *launches, struct table *hidden, struct table *names,
                         struct bytes *strings, const struct build_module *module)
{
    uint32_t first_hidden = 0;
    uint32_t first_name = 0;
    for (size_t i = 0; i < module->launch_count; i++) {
        const struct build_launch *launch = &module->launches[i];
        unsigned char *row = add_row(launches);
        put(row, 4, launch->resource);
        put(row + 4, 4, launch->flags);
        put(row + 8, 4, launch->dynamic_shared);
        put_sides(row + 12, launch->block);
        put_sides(row + 24, launch->grid_factor);
        put_sides(row + 36, launch->cluster);
        put(row + 48, 4, launch->hidden ? first_hidden : 0);
        put(row + 52, 2, launch->hidden);
        put(row + 54, 2, launch->names);
        put(row + 56, 4, launch->names ? first_name : 0);
        first_hidden += launch->hidden;
        first_name += launch->names;
    }
    for (size_t i = 0; i < module->hidden_count; i++) {
        unsigned char *row = add_row(hidden);
        put(row, 4, module->hidden[i].param);
        put(row + 4, 4, module->hidden[i].kind);
        put(row + 8, 8, module->hidden[i].bytes);
        put(row + 16, 4, module->hidden[i].alignment);
        put(row + 20, 4, module->hidden[i].dimensions);
    }
    for (size_t i = 0; i < module->param_name_count; i++) {
        unsigned char *row = add_row(names);
        put(row, 4, add_string(strings, module->param_names[i].name));
        put(row + 4, 4, add_string(strings, module->param_names[i].type));
    }
}

/* `offsets`: of the module's images in the archive. */
static struct bytes build_block(const struct build_archive *archive, const struct build_module *module,
                                const uint64_t *offsets)
{
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
        HIDDEN,
        NAMES,
        UNKNOWN
    };
    uint16_t wider = archive->wider;
    struct table tables[] = {
        [STRINGS] = {.id = 0x8001, .stride = 1},
        [IMAGES] = {.id = 0x8020,
                    .stride = (uint16_t)((archive->is_1_2 ? IMAGE_ROW_1_2 : IMAGE_ROW) + wider)},
        [KERNELS] = {.id = 0x8021, .stride = (uint16_t)(8 + wider)},
        [RESOURCES] = {.id = 0x8022,
                       .stride = (uint16_t)((archive->is_1_0 ? RESOURCE_ROW_1_0 : RESOURCE_ROW) + wider)},
        [PARAMS] = {.id = 0x8023, .stride = (uint16_t)(8 + wider)},
        [GLOBALS] = {.id = 0x8024, .stride = (uint16_t)(24 + wider)},
        [PIECES] = {.id = 0x0025, .stride = (uint16_t)(20 + wider)},
        [SYMBOLS] = {.id = 0x0026, .stride = (uint16_t)(16 + wider)},
        [LAUNCHES] = {.id = 0x0027, .stride = (uint16_t)(64 + wider)},
        [HIDDEN] = {.id = 0x0028, .stride = (uint16_t)(24 + wider)},
        [NAMES] = {.id = 0x0029, .stride = (uint16_t)(8 + wider)},
        [UNKNOWN] = {0},
    };
    struct bytes *strings = &tables[STRINGS].rows;
    add_string(strings, "");
    for (size_t i = 0; i < module->image_count; i++) {
        add_image(&tables[IMAGES], &module->images[i], offsets[i]);
    }
    for (size_t i = 0; i < module->kernel_count; i++) {
        unsigned char *row = add_row(&tables[KERNELS]);
        put(row, 4, add_string(strings, module->kernels[i].name));
        put(row + 4, 4, add_string(strings, module->kernels[i].expression));
    }
    for (size_t i = 0; i < module->resource_count; i++) {
        add_resource(&tables[RESOURCES], &module->resources[i]);
    }
    for (size_t i = 0; i < module->param_count; i++) {
        unsigned char *row = add_row(&tables[PARAMS]);
        put(row, 4, module->params[i].offset);
        put(row + 4, 4, module->params[i].size);
    }
    for (size_t i = 0; i < module->global_count; i++) {
        unsigned char *row = add_row(&tables[GLOBALS]);
        put(row, 4, add_string(strings, module->globals[i].name));
        put(row + 4, 4, add_string(strings, module->globals[i].expression));
        put(row + 8, 8, module->globals[i].bytes);
        put(row + 16, 4, module->globals[i].flags);
    }
    add_pieces(&tables[PIECES], &tables[SYMBOLS], strings, module);
    add_launches(&tables[LAUNCHES], &tables[HIDDEN], &tables[NAMES], strings, module);
    if (archive->unknown_table) {
        add_unknown(&tables[UNKNOWN], archive->unknown_table);
    }
    struct bytes block = {0};
    size_t count = UNKNOWN + 1;
    for (size_t i = count; i-- > LAUNCHES;) {
        if (i == UNKNOWN ? !archive->unknown_table : !module->launch_count) {
            tables[i] = tables[--count];
        }
    }
    lay_out(&block, 0, tables, count);
    return block;
}

/* Rows of modules from `first` on, with room for what is only known once everything has its place. */
static void add_modules(const struct build_archive *archive, size_t first, size_t count, struct table *rows,
                        struct bytes *strings)
{
    for (size_t i = first; i < first + count; i++) {
        put(add_row(rows), 4, add_string(strings, archive->modules[i].name));
    }
}

/* How many modules the page has that starts with `first`. */
static size_t page_count(const struct build_archive *archive, size_t first)
{
    size_t rest = archive->module_count - first;
    return rest < archive->page_modules ? rest : archive->page_modules;
}

static void add_pages(const struct build_archive *archive, struct table *rows, struct bytes *strings)
{
    for (size_t i = 0; i < archive->module_count; i += archive->page_modules) {
        unsigned char *row = add_row(rows);
        put(row, 4, add_string(strings, archive->modules[i].name));
        put(row + 12, 4, page_count(archive, i));
    }
}

static void put_header(const struct build_archive *archive, unsigned char *header)
{
    bool is_paged = archive->page_modules > 0;
    memcpy(header,
           "\x89"
           "CBNT\r\n\x1a",
           8);
    put(header + 8, 2, 1);
    put(header + 10, 2, is_paged ? 3 : archive->is_1_0 ? 0 : archive->is_1_2 ? 2 : 1);
    put(header + 12, 2, 1);
    put(header + 14, 2, is_paged ? 3 : archive->is_1_2 ? 2 : 0);
}

static struct bytes build_root(const struct build_archive *archive)
{
    enum { STRINGS, INFO, MODULES, UNKNOWN };
    bool is_paged = archive->page_modules > 0;
    struct table tables[] = {
        [STRINGS] = {.id = 0x8001, .stride = 1},
        [INFO] = {.id = 0x8010, .stride = (uint16_t)(8 + archive->wider)},
        [MODULES] = {.id = is_paged ? 0x8012 : 0x8011,
                     .stride = (uint16_t)((is_paged ? PAGE_ROW : MODULE_ROW) + archive->wider)},
        [UNKNOWN] = {0},
    };
    struct bytes *strings = &tables[STRINGS].rows;
    unsigned char *info = add_row(&tables[INFO]);
    put(info, 4, add_string(strings, archive->version));
    put(info + 4, 4, add_string(strings, archive->producer));
    if (is_paged) {
        add_pages(archive, &tables[MODULES], strings);
    } else {
        add_modules(archive, 0, archive->module_count, &tables[MODULES], strings);
    }
    if (archive->unknown_table) {
        add_unknown(&tables[UNKNOWN], archive->unknown_table);
    }
    struct bytes root = {0};
    put_header(archive, grow(&root, HEADER));
    lay_out(&root, 0, tables, archive->unknown_table ? 4 : 3);
    put(root.data + 28, 4, root.size);
    return root;
}

/* Appends a page without its blocks. */
static void append_page(const struct build_archive *archive, size_t first, struct bytes *index)
{
    struct table tables[] = {
        {.id = 0x8001, .stride = 1},
        {.id = 0x8011, .stride = (uint16_t)(MODULE_ROW + archive->wider)},
        {0},
    };
    add_string(&tables[0].rows, "");
    add_modules(archive, first, page_count(archive, first), &tables[1], &tables[0].rows);
    if (archive->unknown_table) {
        add_unknown(&tables[2], archive->unknown_table);
    }
    lay_out(index, index->size, tables, archive->unknown_table ? 3 : 2);
}

/* Appends the blocks of modules that are listed together: from `set` on, with their rows at `rows`. */
static void append_blocks(const struct build_archive *archive, size_t first_module, size_t count, size_t set,
                          size_t rows, const uint64_t *offsets, struct bytes *index)
{
    struct bytes first = {0}; /* block, where they are packed: the others are after it */
    for (size_t i = 0; i < count; i++) {
        struct bytes block = build_block(archive, &archive->modules[first_module + i], offsets);
        offsets += archive->modules[first_module + i].image_count;
        align(index);
        size_t place = index->size;
        unsigned char *row = index->data + rows + i * (size_t)(MODULE_ROW + archive->wider);
        if (archive->packs_blocks) {
            put(row + 12, 4, block.size);
            struct bytes frame = pack(block.data, block.size, first.data, first.size, first.data != NULL);
            if (i == 0) {
                first = block;
            } else {
                free(block.data);
            }
            block = frame;
        }
        put(row + 4, 4, place - set);
        put(row + 8, 4, block.size);
        append(index, block.data, block.size);
        free(block.data);
    }
    free(first.data);
}

/* Where a table's row lies in an index without its zip file. */
static size_t row_in(const struct bytes *index, int set, uint16_t table)
{
    struct built found = {.bytes = index->data, .size = index->size};
    return built_row(&found, set, table, 0);
}

/* Each page with its blocks after it. */
static void append_pages(const struct build_archive *archive, const uint64_t *offsets, struct bytes *index)
{
    size_t row = row_in(index, BUILT_ROOT, 0x8012);
    for (size_t first = 0; first < archive->module_count; first += archive->page_modules) {
        size_t count = page_count(archive, first);
        align(index);
        size_t start = index->size;
        append_page(archive, first, index);
        put(index->data + row + 4, 4, start);
        put(index->data + row + 8, 4, index->size - start);
        size_t rows = row_in(index, BUILT_PAGE((int)(first / archive->page_modules)), 0x8011);
        append_blocks(archive, first, count, start, rows, offsets, index);
        for (size_t i = first; i < first + count; i++) {
            offsets += archive->modules[i].image_count;
        }
        row += (size_t)(PAGE_ROW + archive->wider);
    }
}

static struct bytes build_index(const struct build_archive *archive, const uint64_t *offsets)
{
    struct bytes index = build_root(archive);
    if (archive->page_modules > 0 && archive->module_count > 0) {
        append_pages(archive, offsets, &index);
    } else {
        size_t rows = archive->module_count > 0 ? row_in(&index, BUILT_ROOT, 0x8011) : 0;
        append_blocks(archive, 0, archive->module_count, 0, rows, offsets, &index);
    }
    put(index.data + 24, 4, index.size);
    return index;
}

static uint32_t crc32(const unsigned char *data, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

/* A zip file in the making: its entries, and the directory that will end it. */
struct zip {
    struct bytes file;
    struct bytes directory;
    uint16_t entries;
};

static void zip_fields(struct bytes *out, const char *name, const struct bytes *data)
{
    append_number(out, 2, 10); /* version needed */
    append_number(out, 2, 0);
    append_number(out, 2, 0); /* stored */
    append_number(out, 4, 0x00210000);
    append_number(out, 4, crc32(data->data, data->size));
    append_number(out, 4, data->size);
    append_number(out, 4, data->size);
    append_number(out, 2, strlen(name));
    append_number(out, 2, 0);
}

/* Returns where the entry's bytes lie. */
static uint64_t zip_add(struct zip *zip, const char *name, const struct bytes *data, uint16_t extra)
{
    size_t local = zip->file.size;
    append(&zip->file, "PK\3\4", 4);
    zip_fields(&zip->file, name, data);
    put(zip->file.data + zip->file.size - 2, 2, extra);
    append(&zip->file, name, strlen(name));
    grow(&zip->file, extra);
    append(&zip->directory, "PK\1\2\12", 6);
    zip_fields(&zip->directory, name, data);
    grow(&zip->directory, 10);
    append_number(&zip->directory, 4, local);
    append(&zip->directory, name, strlen(name));
    zip->entries++;
    uint64_t place = zip->file.size;
    append(&zip->file, data->data, data->size);
    return place;
}

static void zip_end(struct zip *zip)
{
    size_t place = zip->file.size;
    append(&zip->file, zip->directory.data, zip->directory.size);
    append(&zip->file, "PK\5\6", 4);
    append_number(&zip->file, 4, 0);
    append_number(&zip->file, 2, zip->entries);
    append_number(&zip->file, 2, zip->entries);
    append_number(&zip->file, 4, zip->directory.size);
    append_number(&zip->file, 4, place);
    append_number(&zip->file, 2, 0);
    free(zip->directory.data);
}

static size_t image_count(const struct build_archive *archive)
{
    size_t count = 0;
    for (size_t i = 0; i < archive->module_count; i++) {
        count += archive->modules[i].image_count;
    }
    return count;
}

/* Lays everything out. `offsets` is what the index says of the images; where they came to lie is returned in
 * it. In packed blocks that counts from the end of the index. */
static struct zip build_zip(const struct build_archive *archive, uint64_t *offsets)
{
    static const char *const forms[] = {"other", "cubin", "ptx", "ltoir"};
    static const char *const prefixes[] = {"other", "sm", "compute", "lto"};
    struct zip zip = {0};
    struct bytes index = build_index(archive, offsets);
    uint64_t start = zip_add(&zip, "cubinet.index", &index, archive->extra) + index.size;
    free(index.data);
    for (size_t i = 0; i < archive->module_count; i++) {
        const struct build_module *module = &archive->modules[i];
        for (size_t j = 0; j < module->image_count; j++) {
            const struct build_image *image = &module->images[j];
            const char suffix[] = {image->suffix, '\0'};
            int form = image->kind <= 3 ? image->kind : 0;
            char name[256];
            snprintf(name, sizeof(name), "%s/%s_%d%s.%s%s", module->name, prefixes[form], image->number,
                     suffix, forms[form], image->compress ? ".zst" : "");
            struct bytes stored = store(image);
            *offsets++ = zip_add(&zip, name, &stored, 0) - (archive->packs_blocks ? start : 0);
            free(stored.data);
        }
    }
    zip_end(&zip);
    return zip;
}

/* The set that lists a module. */
static int listing(const struct built *built, size_t module)
{
    return built->page_modules > 0 ? BUILT_PAGE((int)(module / built->page_modules)) : BUILT_ROOT;
}

/* Every place is as it was when the archive was built. */
static void find_parts(struct built *built)
{
    built->parts = need(calloc(2 * built->module_count + 1, sizeof(*built->parts)));
    for (size_t i = 0; i < built->module_count; i++) {
        built->parts[built->part_count++] =
            (struct built_part){built_set(built, listing(built, i)), built_module_row(built, i)};
    }
    for (size_t i = 0; built->page_modules > 0 && i < built->module_count; i += built->page_modules) {
        built->parts[built->part_count++] =
            (struct built_part){built->index, built_row(built, BUILT_ROOT, 0x8012, i / built->page_modules)};
    }
}

struct built build(const struct build_archive *archive)
{
    uint64_t *offsets = need(calloc(image_count(archive) + 1, sizeof(*offsets)));
    /* The first time tells where the images lie: the index's size, or else what its blocks say, does not
     * depend on that. */
    struct zip zip = build_zip(archive, offsets);
    free(zip.file.data);
    zip = build_zip(archive, offsets);
    free(offsets);
    struct built built = {.bytes = zip.file.data,
                          .size = zip.file.size,
                          .index = 30 + strlen("cubinet.index") + archive->extra};
    put(built.bytes + built.index + 16, 8, built.size);
    built.index_size = get(built.bytes + built.index + 24, 4);
    built.module_count = archive->module_count;
    built.page_modules = archive->page_modules;
    find_parts(&built);
    built_seal(&built);
    return built;
}

/* The directory entry of a table of the root; 0 if there is none. */
static size_t find_root_entry(const struct built *built, uint16_t table)
{
    const unsigned char *directory = built->bytes + built->index + HEADER;
    for (size_t i = 0; i < get(directory, 2); i++) {
        if (get(directory + 4 + 12 * i, 2) == table) {
            return built->index + HEADER + 4 + 12 * i;
        }
    }
    return 0;
}

struct built build_large(const struct build_archive *archive)
{
    enum { LARGE = 10000 };
    char text[LARGE + 1];
    memset(text, 'c', LARGE);
    text[LARGE] = '\0';
    const struct build_image image = {.kind = 1, .number = 80, .text = text};
    struct build_module *modules = need(calloc(archive->module_count + 1, sizeof(*modules)));
    memcpy(modules, archive->modules, archive->module_count * sizeof(*modules));
    modules[archive->module_count] =
        (struct build_module){.name = "zz large", .images = &image, .image_count = 1};
    struct build_archive large = *archive;
    large.modules = modules;
    large.module_count++;
    struct built built = build(&large);
    free(modules);
    return built;
}

struct built built_open(unsigned char *bytes, size_t size)
{
    struct built built = {
        .bytes = bytes, .size = size, .index = 30 + get(bytes + 26, 2) + get(bytes + 28, 2)};
    built.index_size = get(bytes + built.index + 24, 4);
    size_t pages = find_root_entry(&built, 0x8012);
    if (pages) {
        size_t count = get(bytes + pages + 8, 4);
        built.page_modules = get(bytes + built_row(&built, BUILT_ROOT, 0x8012, 0) + 12, 4);
        built.module_count = built.page_modules * (count - 1) +
                             get(bytes + built_row(&built, BUILT_ROOT, 0x8012, count - 1) + 12, 4);
    } else {
        built.module_count = get(bytes + find_root_entry(&built, 0x8011) + 8, 4);
    }
    find_parts(&built);
    return built;
}

void built_free(struct built *built)
{
    free(built->bytes);
    free(built->parts);
    *built = (struct built){0};
}

size_t built_module_row(const struct built *built, size_t module)
{
    size_t row = built->page_modules > 0 ? module % built->page_modules : module;
    return built_row(built, listing(built, module), 0x8011, row);
}

size_t built_set(const struct built *built, int set)
{
    if (set == BUILT_ROOT) {
        return built->index;
    }
    if (set < BUILT_ROOT) {
        size_t page = (size_t)(BUILT_PAGE(0) - set);
        return built->index + get(built->bytes + built_row(built, BUILT_ROOT, 0x8012, page) + 4, 4);
    }
    return built_set(built, listing(built, (size_t)set)) +
           get(built->bytes + built_module_row(built, (size_t)set) + 4, 4);
}

size_t built_entry(const struct built *built, int set, uint16_t table)
{
    size_t directory = built_set(built, set) + (set == BUILT_ROOT ? HEADER : 0);
    size_t count = get(built->bytes + directory, 2);
    for (size_t i = 0; i < count; i++) {
        size_t entry = directory + 4 + 12 * i;
        if (get(built->bytes + entry, 2) == table) {
            return entry;
        }
    }
    abort();
}

size_t built_row(const struct built *built, int set, uint16_t table, size_t row)
{
    size_t entry = built_entry(built, set, table);
    return built_set(built, set) + get(built->bytes + entry + 4, 4) + row * get(built->bytes + entry + 2, 2);
}

void built_seal_zip(struct built *built)
{
    unsigned char *bytes = built->bytes;
    size_t end = built->size - 22;
    for (size_t row = get(bytes + end + 16, 4); row + 46 <= end && get(bytes + row, 4) == 0x02014b50;) {
        size_t local = get(bytes + row + 42, 4);
        size_t data = local + 30 + get(bytes + local + 26, 2) + get(bytes + local + 28, 2);
        size_t size = get(bytes + row + 20, 4);
        if (data + size <= built->size) {
            uint32_t crc = crc32(bytes + data, size);
            put(bytes + row + 16, 4, crc);
            put(bytes + local + 14, 4, crc);
        }
        row += 46 + get(bytes + row + 28, 2) + get(bytes + row + 30, 2) + get(bytes + row + 32, 2);
    }
}

/* The digest of what a row at `row` lists, if it lies where it says: so far from `start`. */
static void seal_part(struct built *built, size_t start, size_t row)
{
    size_t offset = start + get(built->bytes + row + 4, 4);
    size_t size = get(built->bytes + row + 8, 4);
    size_t end = built->index + built->index_size;
    if (offset <= end && size <= end - offset) {
        digest(built->bytes + offset, size, NULL, 0, built->bytes + row + 16);
    }
}

void built_seal(struct built *built)
{
    unsigned char *index = built->bytes + built->index;
    for (size_t i = 0; i < built->part_count; i++) {
        seal_part(built, built->parts[i].start, built->parts[i].row);
    }
    size_t root = get(index + 28, 4);
    if (root >= HEADER && root <= built->size - built->index) {
        digest(index, ROOT_DIGEST, index + HEADER, root - HEADER, index + ROOT_DIGEST);
    }
    built_seal_zip(built);
}
