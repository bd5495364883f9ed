/* SPDX-License-Identifier: Apache-2.0 */
/* Fatbins, the containers that nvcc and fatbinary write: one image after the other, each perhaps compressed.
 * NVIDIA documents no layout; docs/reference/fatbin.md says what is known of it and how that was found out.
 */
#ifndef CBN_FATBIN_H
#define CBN_FATBIN_H

#include <cubinet/target.h>

#include <stdbool.h>
#include <stddef.h>

enum {
    /* A container. */
    CBN_FATBIN_VERSION = 4,     /* 16 bits: 1 */
    CBN_FATBIN_HEADER_SIZE = 6, /* 16 bits: 16 */
    CBN_FATBIN_SIZE = 8,        /* 64 bits: what follows the header */
    CBN_FATBIN_HEADER = 16,

    /* An entry. */
    CBN_FATBIN_ENTRY_KIND = 0,         /* 16 bits */
    CBN_FATBIN_ENTRY_VERSION = 2,      /* 16 bits */
    CBN_FATBIN_ENTRY_HEADER_SIZE = 4,  /* 32 bits */
    CBN_FATBIN_ENTRY_SIZE = 8,         /* 64 bits: what follows its header, padded */
    CBN_FATBIN_ENTRY_PACKED_SIZE = 16, /* 32 bits: without padding, if it is compressed */
    CBN_FATBIN_ENTRY_MINOR = 24, /* 16 bits: of PTX, its ISA version; of Tile IR its own; of a cubin 8 */
    CBN_FATBIN_ENTRY_MAJOR = 26,
    CBN_FATBIN_ENTRY_NUMBER = 28,   /* 32 bits: the architecture */
    CBN_FATBIN_ENTRY_FLAGS = 40,    /* 64 bits */
    CBN_FATBIN_ENTRY_RAW_SIZE = 56, /* 64 bits, if it is compressed */
    CBN_FATBIN_ENTRY_HEADER = 64,   /* the least there is of it */

    CBN_FATBIN_PTX = 1,
    CBN_FATBIN_CUBIN = 2,
    CBN_FATBIN_LTOIR = 8,
    /* As nvFatbinAddTileIR() writes it; its architecture is 0, its version in MAJOR, MINOR. */
    CBN_FATBIN_TILEIR = 0x80,

    CBN_FATBIN_LZ4 = 0x2000,
    CBN_FATBIN_ZSTD = 0x8000,
    CBN_FATBIN_SUFFIX_A = 0x100000,
    CBN_FATBIN_SUFFIX_F = 0x200000,
    CBN_FATBIN_USUAL = 0x11, /* of every entry of a Linux toolkit: 64 bits, host linux */
};

#define CBN_FATBIN_MAGIC "\x50\xed\x55\xba"
enum { CBN_FATBIN_MAGIC_SIZE = sizeof(CBN_FATBIN_MAGIC) - 1 };

/* One image in a fatbin. */
struct cbn_fatbin_entry {
    cubinet_target target;      /* as it is labelled, whatever the number; of kind 0: it is not known */
    int code;                   /* the kind as the fatbin has it */
    const unsigned char *bytes; /* the whole entry, its header too */
    size_t size;
};

/* Whether bytes start as a fatbin does. */
bool cbn_fatbin_is(const void *data, size_t size);

/* The size of the container that the bytes start with, its header too; 0 if it is of another form, or cut
 * off. */
size_t cbn_fatbin_size(const unsigned char *bytes, size_t size);

/* The entry that the bytes of a container go on with; false if it is of another form, or cut off. */
bool cbn_fatbin_read_entry(const unsigned char *bytes, size_t size, struct cbn_fatbin_entry *out_entry);

#endif
