/* SPDX-License-Identifier: Apache-2.0 */
/* Archives for tests, built in memory from docs/reference/format.md alone: nothing here comes from the
 * library's own reader or from the command's writer. Failing to build one ends the test program. */
#ifndef ARCHIVE_BUILDER_H
#define ARCHIVE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_image {
    uint8_t kind;
    uint16_t number;
    char suffix;
    int compress; /* 1: stored as a zstd frame; 2: as one after `base`, which is that row of that module */
    uint32_t toolkit;
    uint32_t isa_or_floor;
    const char *text; /* its bytes, without the NUL */
    const struct build_image *base;
    uint32_t base_module;
    uint32_t base_row;
    bool is_unchecked; /* the frame has no checksum */
};

struct build_named {
    const char *name;
    const char *expression;
    uint64_t bytes; /* of a global */
    uint32_t flags;
};

/* A row of the resource table: members as in docs/reference/format.md. The numbers from byte 8 to 71 are
 * base, base + 1, base + 2, …, and those from byte 80 on, which version 1.0 lacks, go on from there. */
struct build_resource {
    uint32_t image;
    uint32_t kernel;
    uint32_t base;
    uint32_t first_param;
    uint16_t param_count;
    uint16_t param_bytes;
};

struct build_param {
    uint32_t offset;
    uint32_t size;
};

struct build_symbol {
    const char *name;
    const char *expression;
    const char *type;
    uint32_t flags;
};

/* Its symbols follow those of the piece before. */
struct build_piece {
    uint32_t image;
    uint32_t defined;
    uint32_t needed;
    uint32_t flags;
};

/* Its hidden parameters and names follow those of the launch before. */
struct build_launch {
    uint32_t resource;
    uint32_t flags;
    uint32_t dynamic_shared;
    uint32_t block[3];
    uint32_t grid_factor[3];
    uint32_t cluster[3];
    uint16_t hidden;
    uint16_t names;
};

struct build_hidden {
    uint32_t param;
    uint32_t kind;
    uint64_t bytes;
    uint32_t alignment;
    uint32_t dimensions;
};

struct build_param_name {
    const char *name;
    const char *type;
};

struct build_module {
    const char *name;
    const struct build_image *images;
    size_t image_count;
    const struct build_named *kernels;
    size_t kernel_count;
    const struct build_resource *resources;
    size_t resource_count;
    const struct build_param *params;
    size_t param_count;
    const struct build_named *globals;
    size_t global_count;
    const struct build_piece *pieces;
    size_t piece_count;
    const struct build_symbol *symbols;
    size_t symbol_count;
    const struct build_launch *launches; /* which version 1.4 added, as the next two */
    size_t launch_count;
    const struct build_hidden *hidden;
    size_t hidden_count;
    const struct build_param_name *param_names;
    size_t param_name_count;
};

struct build_archive {
    const char *version;
    const char *producer;
    const struct build_module *modules;
    size_t module_count;
    bool is_1_0;         /* without what version 1.1 added */
    bool is_1_2;         /* with what version 1.2 added: images may have a base */
    bool packs_blocks;   /* with that, blocks are zstd frames, and no row of them can be found */
    size_t page_modules; /* with what version 1.3 added: modules are listed in pages of so many; 0: they
                            aren't */
    uint16_t wider; /* bytes that every row is longer than its version says, as in a newer minor version */
    uint16_t unknown_table; /* id of one more table in the root and in each block; 0: none */
    uint16_t extra;         /* bytes of the zip file before the index that say nothing */
};

/* A page or block. */
struct built_part {
    size_t start; /* what its offset counts from */
    size_t row;
};

struct built {
    unsigned char *bytes;
    size_t size;
    size_t index; /* offset of the index */
    size_t index_size;
    size_t module_count;
    size_t page_modules;
    struct built_part *parts; /* everything that a row has a digest of, parts of others before those */
    size_t part_count;
};

struct built build(const struct build_archive *archive);

/* With one more module, after the others, whose image makes the file too large to be read whole when it is
 * opened. */
struct built build_large(const struct build_archive *archive);

/* An archive that somebody else has made, whose bytes, of malloc(), it takes over. */
struct built built_open(unsigned char *bytes, size_t size);
void built_free(struct built *built);

/* The root and the pages, for the functions below; a module's block is its number. */
#define BUILT_ROOT         (-1)
#define BUILT_PAGE(number) (-2 - (number))

/* Where the root, a page or a block starts, from the start of the archive. */
size_t built_set(const struct built *built, int set);

/* Where the directory entry of a table lies, and where its row does, from the start of the archive. */
size_t built_entry(const struct built *built, int set, uint16_t table);
size_t built_row(const struct built *built, int set, uint16_t table, size_t row);

/* Where the row lies that lists a module, in the root or in a page. */
size_t built_module_row(const struct built *built, size_t module);

/* Little-endian numbers of 1 to 8 bytes. */
void put(unsigned char *bytes, size_t width, uint64_t value);
uint64_t get(const unsigned char *bytes, size_t width);

/* Makes the digests of the blocks, the pages and the root right again after bytes were changed. */
void built_seal(struct built *built);

/* The checksums of all entries, in the zip directory and in the headers before them. built_seal() does that,
 * too. */
void built_seal_zip(struct built *built);

#endif
