/* SPDX-License-Identifier: Apache-2.0 */
/* How much of where images come from is recorded: `cubinet compile --provenance`. */
#ifndef PROVENANCE_DETAIL_H
#define PROVENANCE_DETAIL_H

#include <cubinet/status.h>

enum provenance_detail {
    PROVENANCE_OPTIONS, /* the source's name, the options, the compiler: what a comment does not change */
    PROVENANCE_NONE,
    PROVENANCE_SOURCES, /* and digests of what was compiled */
};

cubinet_status provenance_detail_read(const char *word, enum provenance_detail *out_detail);

#endif
