/* SPDX-License-Identifier: Apache-2.0 */
/* An open archive from the inside: for the files of core/ that read it. */
#ifndef CBN_OPENED_H
#define CBN_OPENED_H

#include "block.h"
#include "tables.h"
#include "trust.h"
#include "unpack.h"

#include <cubinet/archive.h>

#include <stdatomic.h>
#include <stdbool.h>

/* A mapped file. */
struct cbn_mapping {
    void *start; /* NULL: none */
    size_t size;
};

struct cubinet_archive {
    atomic_uint references;
    struct cbn_mapping mapping; /* which ends with the archive */
    bool is_mapped;             /* the bytes are in it: all of them, or those inside a program */
    const unsigned char *bytes;
    size_t size;
    void *owner; /* of the bytes, if somebody lent them for as long as the archive lives */
    void (*let_go)(void *owner);
    bool is_sound;           /* no digest has to be compared any more */
    uint64_t max_image_size; /* 0: the default, see cbn_frame_limit() */
    struct cbn_trust *trust; /* NULL: the program gave no public keys, and takes any archive */
    struct cbn_unpack_spare spare;

    const unsigned char *index;
    uint32_t index_size;
    uint16_t format_major;
    uint16_t format_minor;
    struct cbn_table strings; /* of the root */
    struct cbn_table info;
    struct cbn_table modules;
    struct cbn_table seals;      /* of the modules' blocks, as many as modules in a signed archive */
    struct cbn_table signatures; /* no row: it is not signed */
    struct cbn_table properties;

    /* For each module its block once it is used, NULL before. Untouched memory until then. */
    _Atomic(struct cbn_block *) *blocks;

    char name[]; /* for messages: its path in quotes, or "the archive in memory" */
};

/* Adds to a message that says what is wrong inside an archive which archive it is. CUBINET_OK and other
 * failures pass. */
cubinet_status cbn_archive_refuse(const cubinet_archive *archive, cubinet_status status);

/* Checks the root: header, tables, modules. Fills the archive's members from `index` to `modules`. */
cubinet_status cbn_root_read(struct cubinet_archive *archive);

/* The block of a module, which is read and checked if this is its first use. Any number of threads may ask at
 * the same time. It lives as long as the archive. */
cubinet_status cbn_archive_block(const cubinet_archive *archive, uint32_t module,
                                 const struct cbn_block **out_block);

#endif
