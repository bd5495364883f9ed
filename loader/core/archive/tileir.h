/* SPDX-License-Identifier: Apache-2.0 */
/* Bytecode of CUDA Tile IR, down to its sections: what can be said of any version. Every access is checked
 * against the bytes that there are. What functions there are is read by the packager (tileir_read.h).
 *
 * The layout is that of NVIDIA's CUDA Tile IR specification, "Binary Format", versions 13.1 to 13.4, and of
 * the reader and writer in github.com/NVIDIA/cuda-tile, lib/Bytecode, which the specification calls
 * authoritative: numbers of variable size are LEB128, whatever "PrefixVarInt" of version 13.1 says. */
#ifndef CBN_TILEIR_H
#define CBN_TILEIR_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A variable that tileiras adds to machine code, for the driver: by it tile kernels are known, which are
 * launched in another way than what was compiled tells. */
#define CBN_TILE_LAUNCH_DATA "___NV_TILE_LAUNCH_META_DATA___"

enum cbn_tileir_section {
    CBN_TILEIR_STRINGS = 1,
    CBN_TILEIR_FUNCTIONS = 2,
    CBN_TILEIR_SECTIONS = 7, /* ids that the versions up to 13.5 have: below this one */
};

/* Bytes that are read one after the other. */
struct cbn_tileir_span {
    const unsigned char *at; /* NULL: there are none */
    const unsigned char *end;
};

struct cbn_tileir {
    int number;   /* its version as targets have it: 133 for 13.3 */
    unsigned tag; /* third part of the version; 1: it uses features that are previews */
    size_t size;  /* up to the end marker and with it */
    struct cbn_tileir_span sections[CBN_TILEIR_SECTIONS];
};

/* Whether bytes start as the bytecode does. */
bool cbn_tileir_is(const void *data, size_t size);

/* Finds the sections, which stay the caller's. CUBINET_ERROR_DAMAGED, with the offset, for what is none or is
 * cut off. Sections with ids that are not known are skipped. */
cubinet_status cbn_tileir_open(const void *data, size_t size, struct cbn_tileir *out_tileir);

/* Read a number or a byte, and step over bytes. False, with nothing read, if there are too few bytes, or if
 * the number has more than 64 bits. */
bool cbn_tileir_varint(struct cbn_tileir_span *span, uint64_t *out_number);
bool cbn_tileir_byte(struct cbn_tileir_span *span, unsigned char *out_byte);
bool cbn_tileir_skip(struct cbn_tileir_span *span, uint64_t size);

#endif
