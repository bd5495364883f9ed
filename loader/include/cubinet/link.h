/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Linking pieces of device code on the machine that runs them: LTO-IR of archives, and what the program
 * brings. docs/linking.md has the rules and an example.
 */
#ifndef CUBINET_LINK_H
#define CUBINET_LINK_H

#include <stddef.h>
#include <stdint.h>

#include <cubinet/cache.h>
#include <cubinet/export.h>
#include <cubinet/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a piece in memory is. */
typedef enum cubinet_piece_kind {
    CUBINET_PIECE_ANY = 0,     /**< one of the others: nvJitLink finds out which */
    CUBINET_PIECE_CUBIN = 1,   /**< a cubin, such as nvcc -rdc=true -cubin makes */
    CUBINET_PIECE_PTX = 2,     /**< PTX text, with or without a NUL at its end */
    CUBINET_PIECE_LTOIR = 3,   /**< LTO-IR, as nvrtcGetLTOIR() gives it */
    CUBINET_PIECE_FATBIN = 4,  /**< a fatbin */
    CUBINET_PIECE_OBJECT = 5,  /**< a host object file with relocatable device code in it */
    CUBINET_PIECE_LIBRARY = 6, /**< a static library of such object files */
} cubinet_piece_kind;

/** How exact arithmetic is where a piece leaves it to the link (LTO-IR does). Bits. */
typedef enum cubinet_math {
    CUBINET_MATH_FLUSH_DENORMALS = 1 << 0,      /**< -ftz=1 */
    CUBINET_MATH_APPROXIMATE_DIVISION = 1 << 1, /**< -prec-div=0 */
    CUBINET_MATH_APPROXIMATE_SQRT = 1 << 2,     /**< -prec-sqrt=0 */
    CUBINET_MATH_NO_FMA = 1 << 3,               /**< -fma=0: multiplications and additions stay apart */
    CUBINET_MATH_FAST = 7,                      /**< the first three */
} cubinet_math;

/** How to link. Zero-initialise, then set `size`. Strings and arrays are copied. */
typedef struct cubinet_link_options {
    size_t size;            /**< sizeof(cubinet_link_options) */
    int no_optimization;    /**< 1: -O0 instead of -O3 */
    int debug;              /**< 1: debug information, -g */
    int lineinfo;           /**< 1: line tables, -lineinfo */
    uint32_t max_registers; /**< for each thread; 0: no limit of the link's own */
    uint32_t math;          /**< bits of cubinet_math */
    /** 'a' or 'f': pieces in memory use features of the device's architecture (or family) alone, so the code
     * is made for sm_90a (or sm_100f); archives and PTX say so themselves. 0: none does. */
    int suffix;
    /** Kernels to keep, by name expression or lowered name; the others are dropped. NULL: all are kept. */
    const char *const *kernels_used;
    size_t kernels_used_count;
    /** Variables to keep although no code uses them, because the host does: by name expression or lowered
     * name. They count only with `drop_unused_variables`. */
    const char *const *variables_used;
    size_t variables_used_count;
    int drop_unused_variables; /**< 1: variables that no code uses are dropped */
    /** More options, as nvJitLink takes them, behind the others. */
    const char *const *raw_options;
    size_t raw_option_count;
    /** Path of libnvJitLink; NULL: it is looked for as docs/linking.md says. */
    const char *nvjitlink;
    cubinet_cache *cache; /**< NULL: the process's own, which the environment describes */
    int no_cache;         /**< 1: neither */
} cubinet_link_options;

#ifdef __cplusplus
}
#endif

#endif
