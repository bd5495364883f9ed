/* SPDX-License-Identifier: Apache-2.0 */
/* LTO-IR in what nvcc makes: fatbins, objects, and static libraries of objects (-dlto, code=lto_80).
 * nvJitLink takes them whole, and has to be told whether there is some. */
#ifndef CBN_FATBIN_LTOIR_H
#define CBN_FATBIN_LTOIR_H

#include <cubinet/target.h>

#include <stdbool.h>
#include <stddef.h>

/* What a piece, which may have several fatbins in it, holds for a target. */
struct cbn_ltoir_inside {
    bool is_needed;     /* a fatbin has LTO-IR that links for the target, and nothing else that does */
    bool is_alone;      /* all have */
    bool is_everywhere; /* all have LTO-IR that links for the target, whatever else they have */
};

struct cbn_ltoir_inside cbn_find_ltoir(const void *data, size_t size, cubinet_target target);

/* The images of the first fatbin without LTO-IR that links for the target, as "sm_80, compute_80"; empty if
 * there is none. `text` is cut if `capacity` is short. */
void cbn_describe_without_ltoir(const void *data, size_t size, cubinet_target target, char *text,
                                size_t capacity);

#endif
