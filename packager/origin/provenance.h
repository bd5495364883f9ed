/* SPDX-License-Identifier: Apache-2.0 */
/* Where an image comes from: what was compiled, how, and by what (docs/guide/provenance.md). */
#ifndef PROVENANCE_H
#define PROVENANCE_H

#include "loader/core/archive/format.h"

#include <cubinet/archive.h>

#include <cubinet/status.h>
#include <stdbool.h>

/* All zero: it is not known. The members are cubinet_origin's; digests that were not taken are zeros. */
struct provenance {
    char *source;
    char *options;
    char *compiler;
    unsigned char source_sha256[CBN_SHA256_SIZE];
    unsigned char inputs_sha256[CBN_SHA256_SIZE];
};

bool provenance_is_known(const struct provenance *provenance);

/* An order of all that are known, in which equal ones are alike. */
int provenance_compare(const struct provenance *a, const struct provenance *b);

cubinet_status provenance_copy(const struct provenance *from, struct provenance *out_copy);

/* Reads what an archive records of an image: perhaps that it is not known. */
cubinet_status provenance_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                               struct provenance *out_provenance);

/* Decides between what is known and what another archive says, which is taken over: what says more stays, or
 * else the first in order, whichever came first. */
void provenance_settle(struct provenance *provenance, struct provenance *other);

void provenance_free(struct provenance *provenance);

/* How much of it is recorded: `cubinet compile --provenance`. */
enum provenance_detail {
    PROVENANCE_OPTIONS, /* the source's name, the options, the compiler: what a comment does not change */
    PROVENANCE_NONE,
    PROVENANCE_SOURCES, /* and digests of what was compiled */
};

cubinet_status provenance_detail_read(const char *word, enum provenance_detail *out_detail);

#endif
