/* SPDX-License-Identifier: Apache-2.0 */
/* The fatbins of a linked program or shared library, and the images in them. */
#ifndef SLIM_FILE_H
#define SLIM_FILE_H

#include "loader/core/archive/elf_file.h"
#include "loader/link/fatbin.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section with fatbins that the CUDA runtime is given. */
struct slim_section {
    size_t number;
    uint64_t offset;
    uint64_t size;
    size_t segment; /* that loads it */
};

struct slim_image {
    struct cbn_fatbin_entry entry; /* in the file */
    bool stays;
    unsigned char *packed; /* the entry, compressed; NULL: it stays as it is */
    size_t packed_size;
};

/* What becomes of a fatbin. */
enum slim_fate {
    SLIM_UNCHOSEN,    /* nothing was asked for */
    SLIM_CHOSEN,      /* the images that somebody gets stay */
    SLIM_FOR_NOBODY,  /* no GPU that was named gets anything of it: it stays as it is */
    SLIM_NOT_READ,    /* an entry of another form, or one that can't be read: the same */
    SLIM_RELOCATABLE, /* code that is to be linked: the same */
};

struct slim_fatbin {
    uint64_t offset; /* in the file */
    uint64_t size;   /* with its header */
    uint64_t room;   /* `size`, and the zeros up to whatever comes next */
    uint64_t new_size;
    size_t first_image;
    size_t image_count;
    enum slim_fate fate;
};

struct slim_file {
    struct cbn_elf_file elf;       /* in the caller's memory */
    struct slim_section *sections; /* by offset */
    size_t section_count;
    struct slim_fatbin *fatbins; /* by offset */
    size_t fatbin_count;
    struct slim_image *images; /* fatbin by fatbin */
    size_t image_count;
    uint64_t linked_later; /* bytes of fatbins for a link on the user's machine (__nv_relfatbin) */
    uint64_t foreign;      /* bytes among the fatbins that are something else */
};

/* Reads what stays in the caller's memory. CUBINET_ERROR_INVALID_ARGUMENT for a file without fatbins, or one
 * that is not linked; CUBINET_ERROR_DAMAGED for one that is cut off, or in which fatbins overlap anything.
 * The caller frees the result. */
cubinet_status slim_file_read(const void *bytes, size_t size, struct slim_file *out_file);
void slim_file_free(struct slim_file *file);

#endif
