/* SPDX-License-Identifier: Apache-2.0 */
/* Sound archives for test_format.c to break. */
#ifndef FORMAT_BASES_H
#define FORMAT_BASES_H

#include "archive_builder.h"

enum format_base {
    PLAIN,        /* the modules below, with a licence, a version and an ABI tag */
    PACKED,       /* the same, compressed */
    PAGED,        /* with so many more modules that pages list them */
    SIGNED,       /* PLAIN with a signature */
    SIGNED_PAGED, /* PAGED with a signature */
    AFTER_BASE,   /* format 1.2: one module of PTX for 7.5, and for 8.0 compressed after that */
    PARTS,        /* a module with an image of parts, and one without */
    PACKED_PARTS, /* the same, compressed */
    TUNED,        /* modules with tuning records, the first with an image of parts */
    BASES
};

/* The modules of PLAIN, and the rows of their tables. */
enum { CODE, LAUNCH, LINK, PAIR_1, PAIR_2, TEXT, TILE, PLAIN_MODULES };
enum { LINK_HELPER, LINK_STATE, LINK_OTHER };     /* symbols, of which the last is needed */
enum { LAUNCH_PROGRAM, LAUNCH_QUIET };            /* kernels, and resources; the first has a launch record */
enum { TEXT_PTX, TEXT_LTOIR };                    /* images */
enum { TEXT_FLOAT, TEXT_INT, TEXT_KERNELS };      /* kernels; and resources, of PTX and then of LTO-IR */
enum { TEXT_COUNT, TEXT_TABLE };                  /* globals, the one managed and the other constant */
enum { CODE_EMPTY, CODE_RECURSIVE, CODE_SHAPES }; /* kernels, and resources */
enum { CODE_FLAGS, CODE_TABLE };                  /* globals */

/* The modules of PARTS, and the rows of the first. */
enum { GIANT, WHOLE };
enum { GIANT_ALL, GIANT_ADD, GIANT_SCAN, GIANT_SORT }; /* images: one of all, and parts */
enum { GIANT_USE_ADD = 4, GIANT_USE_ZERO, GIANT_USE_SCAN, GIANT_USE_SORT }; /* resources of the parts */
enum { GIANT_STATE, GIANT_TABLE }; /* globals, the one of the first part and the other of the second */

/* The modules of TUNED, and the rows of the second. */
enum { TUNED_GIANT, TUNED_TEXT, TUNED_WHOLE };
enum { TUNED_FLOAT, TUNED_ANY };                                                 /* sets */
enum { FLOAT_ALONE, ANY_FLOAT, ANY_INT };                                        /* instances */
enum { H100, H200, TUNED_GPUS };                                                 /* GPUs */
enum { FLOAT_SHORT, FLOAT_LONG, FLOAT_H200, ANY_VOID, ANY_KEPT, TUNED_TUNINGS }; /* tunings */

/* The last string of the root, a property, has so many bytes. */
enum { FORMAT_LONG_TEXT = 1400 };

struct built format_base(enum format_base base);

/* The public key of SIGNED, with which it may be opened. */
const char *format_public_key(void);

#endif
