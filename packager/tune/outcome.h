/* SPDX-License-Identifier: Apache-2.0 */
/* What was found for one set and extent on a kind of GPU: every candidate's fate, and the choice. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "loader/core/support/text_list.h"
#include "tune/candidates.h"

#include <cubinet/target.h>

#include <jansson.h>

enum trial_state {
    TRIAL_TIMED,   /* its results are right, and it has a time */
    TRIAL_REFUSED, /* the library or the driver does not launch it */
    TRIAL_WRONG,   /* wrong results */
    TRIAL_CRASHED, /* it ended the context or the process */
    TRIAL_HUNG,    /* it took longer than the limit */
    TRIAL_STATE_COUNT
};

struct trial {
    struct candidate candidate;
    enum trial_state state;
    char *reason;  /* why it has no time; NULL: it has */
    double time;   /* nanoseconds: the median */
    double noise;  /* half the width of its 95 % interval */
    uint32_t used; /* rounds that count */
};

struct outcome {
    uint32_t set;    /* of the description */
    uint32_t extent; /* of the set */
    char gpu[96];
    uint32_t compute; /* 10 × major + minor */
    uint32_t multiprocessors;
    uint32_t driver_version;
    char target[CUBINET_TARGET_NAME_SIZE]; /* of the image that was measured */
    unsigned char digest[16];
    uint32_t toolkit;
    struct cbn_text_list kernels; /* lowered names of the set's instances, in the description's order */
    struct trial *trials;         /* the default comes first, if it could be told */
    size_t trial_count;
    size_t chosen;    /* number of a trial */
    bool has_default; /* trial 0 is what would be launched without tuning, and has a time */
    uint32_t rounds;
    uint32_t sm_clock; /* MHz; 0: not known */
    uint32_t memory_clock;
    bool is_cold;
    bool is_checked;
    uint64_t date;
    double seconds; /* that it took */
    char *error;    /* why nothing was chosen; NULL: a trial was */
};

void outcome_free(struct outcome *outcome);

/* Whether the choice is the default. */
bool outcome_keeps_default(const struct outcome *outcome);

/* How much faster the choice is than the default: 1 is as fast. 0: not known. */
double outcome_gain(const struct outcome *outcome);

/* As JSON for machines, and back: what the tuner's processes send each other, what is kept for --resume, and
 * --json. NULL without memory. */
json_t *outcome_to_json(const struct outcome *outcome, const struct tune_description *description);

/* CUBINET_ERROR_INVALID_ARGUMENT unless it is an outcome of the description's. */
cubinet_status outcome_from_json(const json_t *object, const struct tune_description *description,
                                 struct outcome *out_outcome);

#endif
