/* SPDX-License-Identifier: Apache-2.0 */
/* Device code somewhere in other bytes: data that a program was compiled with, a cache's record around a
 * cubin, a serialised object. */
#ifndef EMBEDDED_H
#define EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>

struct embedded {
    const unsigned char *bytes;
    size_t size;
    bool is_fatbin; /* a container; otherwise a cubin, finished or relocatable */
};

/* Steps through the fatbins and cubins that are whole, but for the last byte of the last cubin, and which
 * need no alignment. Zero-initialise, then set
 * `bytes` and `size`. */
struct embedded_reader {
    const unsigned char *bytes;
    size_t size;
    size_t at;
    size_t elf;    /* the next ELF file, if it is not before `at` */
    size_t looked; /* at sections, all in all: headers of a damaged file may be about the same ones */
};

/* False at the end. What is inside a fatbin or a cubin is not looked at. */
bool embedded_next(struct embedded_reader *reader, struct embedded *out_found);

/* How many bytes a cubin has by its own headers, which may be more than `size`; 0 if it has none or they are
 * cut off by more than the last byte. */
size_t embedded_cubin_size(const unsigned char *bytes, size_t size);

#endif
