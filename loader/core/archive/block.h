/* SPDX-License-Identifier: Apache-2.0 */
/* The block of one module: its images, kernels, their resources and parameters, its globals, and of images
 * that are made to be linked what they define and need.
 *
 * A block is a checked copy, so what it says stays true and readable whatever happens to the archive's bytes
 * afterwards. */
#ifndef CBN_BLOCK_H
#define CBN_BLOCK_H

#include "loader/core/archive/block_parts.h"
#include "loader/core/archive/tables.h"
#include "loader/core/archive/trust.h"
#include "loader/core/archive/unpack.h"

#include <cubinet/launch_record.h>

#include <stdatomic.h>

struct cbn_block {
    const char *module; /* name */
    uint32_t size;      /* of `bytes` */
    uint64_t told;      /* bytes that its records tell again and again: see cbn_block_tell() */
    struct cbn_table strings;
    struct cbn_table images;
    struct cbn_table kernels;
    struct cbn_table resources;
    struct cbn_table params;
    struct cbn_table globals;
    struct cbn_table pieces;
    struct cbn_table symbols;
    struct cbn_table launches;
    struct cbn_table hidden_params;
    struct cbn_table param_names;
    struct cbn_table origins;
    struct cbn_table sources;
    struct cbn_table part_rows;
    struct cbn_table part_globals;
    struct cbn_table tuned_sets;
    struct cbn_table instances;
    struct cbn_table gpus;
    struct cbn_table tunings;
    struct cbn_table seals;            /* of the image table's rows, as many as rows if they are needed */
    struct cbn_parts *parts;           /* NULL: no image consists of parts */
    uint64_t offset_base;              /* what offsets of images count from, in the file */
    cubinet_param *param_list;         /* the parameter table in the form that programs see */
    cubinet_hidden_param *hidden_list; /* and those of the launch records */
    cubinet_param_name *name_list;
    const char **instance_list; /* the names of the instance table */
    /* Of the images, as far as they are known: image_identity.c. NULL before the first is. */
    _Atomic(struct cbn_known_identity *) identities;
    unsigned char bytes[]; /* and after them the module's name */
};

/* A block in the archive's index, and what is known of it before it is read. */
struct cbn_stored_block {
    const unsigned char *bytes; /* which nobody alters meanwhile */
    uint32_t size;
    uint32_t raw_size;             /* 0: it is not compressed */
    const struct cbn_block *base;  /* what it was compressed after; NULL: nothing */
    const unsigned char *digest;   /* of the stored bytes; NULL: they are known to be sound */
    const struct cbn_trust *trust; /* NULL: nothing has to be trusted */
    const unsigned char *seal;     /* of the stored bytes, with trust */
    uint64_t limit;                /* greatest raw size */
    /* Where the stored bytes of images may lie. */
    uint64_t images_start;
    uint64_t images_end;
    const char *module; /* name */
};

/* Checks a block's digest, copies or decompresses it, and checks the rules for what is in it. The message
 * names neither archive nor module. */
cubinet_status cbn_block_create(const struct cbn_stored_block *stored, struct cbn_unpack_spare *spare,
                                struct cbn_block **out_block);

/* How many bytes the records of a kind may tell, after those before it. */
static inline uint64_t cbn_block_told_room(const struct cbn_block *block)
{
    return cbn_shared_room(block->size) - block->told;
}

/* Counts what the records of a kind tell, for which there is room. No more than strings may share anyway does
 * not count, so that it need not be known exactly. */
static inline void cbn_block_tell(struct cbn_block *block, uint64_t bytes)
{
    block->told += bytes > cbn_string_room(block->size) ? bytes : 0;
}

/* The rules for what is recorded of where the images come from. */
cubinet_status cbn_block_check_origins(struct cbn_block *block);

/* The rules for launch records, and their lists in the form that programs see. */
cubinet_status cbn_block_check_launches(const struct cbn_block *block);
cubinet_status cbn_block_convert_launches(struct cbn_block *block);

/* The rules for tuning records, and the names of instances in the form that programs see. */
cubinet_status cbn_block_check_tunings(struct cbn_block *block);
cubinet_status cbn_block_convert_tunings(struct cbn_block *block);

/* The name of the kernel that a row of the tuning table chose. */
static inline const char *cbn_tuning_kernel(const struct cbn_block *block, const unsigned char *row)
{
    return cbn_string_at(&block->strings, cbn_row(&block->instances, cbn_get32(row + CBN_TUNING_INSTANCE)) +
                                              CBN_INSTANCE_NAME);
}

void cbn_block_free(struct cbn_block *block);

static inline uint32_t cbn_block_image_count(const struct cbn_block *block)
{
    return block->parts ? block->parts->image_count : block->images.count;
}

/* The row of the image table for an image, of parts the first; and how many rows it has. */
static inline uint32_t cbn_block_first_row(const struct cbn_block *block, uint32_t image)
{
    return block->parts ? block->parts->images[image].first_row : image;
}

static inline uint32_t cbn_block_part_count(const struct cbn_block *block, uint32_t image)
{
    return block->parts ? block->parts->images[image].count : 1;
}

/* The image that a row of the image table belongs to. */
static inline uint32_t cbn_block_row_image(const struct cbn_block *block, uint32_t row)
{
    return block->parts ? block->parts->row_images[row] : row;
}

/* The row of the image table for a part of an image. CUBINET_ERROR_NOT_FOUND if there is no such image or
 * part.
 */
cubinet_status cbn_block_find_row(const struct cbn_block *block, uint32_t image, uint32_t part,
                                  uint32_t *out_row);

/* What the block says of an image. */
cubinet_image_info cbn_block_image(const struct cbn_block *block, uint32_t image);

/* What a row of the image table says: of an image or a part. */
cubinet_image_info cbn_block_row(const struct cbn_block *block, uint32_t row);

/* The row of the resource table for a kernel in an image; NULL if there is none. */
const unsigned char *cbn_block_resources(const struct cbn_block *block, uint32_t image, uint32_t kernel);

/* The row of the piece table for a row of the image table; NULL if there is none. */
const unsigned char *cbn_block_piece(const struct cbn_block *block, uint32_t row);

#endif
