/* SPDX-License-Identifier: Apache-2.0 */
/* The tuning records of a module as an archive lists them. */
#ifndef TUNING_ORDER_H
#define TUNING_ORDER_H

#include "archive/draft.h"

/* A record, and the row of the image table that it is true of. */
struct ordered_tuning {
    const struct draft_tuning *tuning;
    uint32_t row; /* UINT32_MAX: of none, the record is void */
};

/* The images' digests, each made when it is first needed. */
struct code_digests {
    const struct draft_module *module;
    struct code_digest *rows;
};

cubinet_status code_digests_start(const struct draft_module *module, struct code_digests *out_digests);
void code_digests_end(struct code_digests *digests);

/* The row of the image table that a record is true of: it has the record's target, digest and kernel.
 * UINT32_MAX: there is none. */
uint32_t code_digests_find(struct code_digests *digests, const cubinet_tuning *tuning);

/* Records in the order of an archive. Of several of one key (what, GPU, target, extent), one is listed: one
 * that is not void, and of these the latest. The caller frees the array. */
cubinet_status tuning_order(const struct draft_module *module, struct ordered_tuning **out_list,
                            size_t *out_count);

/* The order of keys without the digest, and of GPUs alone. */
int tuning_compare_keys(const cubinet_tuning *a, const cubinet_tuning *b);
int tuning_compare_gpus(const cubinet_tuning *a, const cubinet_tuning *b);

/* Whether the first record says more of the same key: it is of a later date, or as late and faster. */
bool tuning_is_later(const cubinet_tuning *a, const cubinet_tuning *b);

#endif
