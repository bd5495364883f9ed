/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a tuning record for an extent, and what to launch by it. */
#ifndef CBN_TUNED_CHOICE_H
#define CBN_TUNED_CHOICE_H

#include "loader/driver/tuned_index.h"

#include <cubinet/launch.h>

struct cbn_tuned_choice {
    struct cbn_tuned_record *record; /* NULL: there is none for the extent */
    enum cubinet_untuned_reason reason;
    bool is_exact;
    uint32_t grid[3]; /* if a record is used */
};

/* Whether the record is to be used. */
static inline bool cbn_tuned_is_used(const struct cbn_tuned_choice *choice)
{
    return choice->reason == CUBINET_UNTUNED_NOT;
}

/* Chooses among the records of a group. No side of the extent is 0. */
void cbn_tuned_choose(const struct cubinet_module *module, const struct cbn_tuned_index *index,
                      const struct cbn_tuned_group *group, const uint64_t extent[3],
                      const cubinet_suggest_options *options, struct cbn_tuned_choice *out_choice);

/* Chooses among the records of a kernel, whose module has settled. */
cubinet_status cbn_tuned_choose_for(const cubinet_kernel *kernel, const uint64_t extent[3],
                                    const cubinet_suggest_options *options,
                                    struct cbn_tuned_choice *out_choice);

/* The configuration of a record that is to be used. */
void cbn_tuned_config(const cubinet_kernel *kernel, const struct cbn_tuned_choice *choice,
                      const uint64_t extent[3], cubinet_launch_config *out_config);

/* Elements that a block handles along an axis in one round. */
uint64_t cbn_tuned_per_block(const cubinet_tuning *tuning, int axis);

#endif
