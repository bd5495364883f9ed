/* SPDX-License-Identifier: Apache-2.0 */
/* Which candidate is the fastest: rounds in which each that is still in the race is timed once, in random
 * order.
 *
 * Two candidates are compared by the ratios of their times in the rounds that both were in, so that clocks
 * which change from round to round make no difference. Of the ratios, as of a candidate's times, outliers are
 * left out: what is further from the median than five times the scaled median of the distances from it (MAD ×
 * 1.4826). The interval of a median is 1.2533 × MAD × 1.4826 / √n × Student's t for 95 %.
 *
 * A candidate is told apart from the fastest if it is slower by more than half the resolution and the
 * interval together; the default, by the whole resolution and the interval. It leaves the race then, or after
 * a few rounds if its best time is twice the fastest one's worst. The answer is the simplest of those that
 * can't be told apart from the fastest. The race ends when one is left, when every ratio is known to within
 * half the resolution, when the answer was the same for many rounds, or at the bound of rounds. */
#ifndef RACE_H
#define RACE_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct race_rules {
    uint32_t most_rounds;
    double resolution; /* share of the time: 0.01 */
    uint64_t seed;
    bool has_default; /* it is entry 0 */
    bool keeps_all;   /* all candidates stay for all rounds: their times are wanted */
};

struct race_entry {
    double *times;  /* nanoseconds, of the first `count` rounds */
    uint32_t count; /* rounds that it was in */
    bool is_in;
};

struct race {
    struct race_rules rules;
    struct race_entry *entries; /* the simplest first: the default is number 0 */
    size_t count;
    double *room;    /* for the times of all rounds, twice */
    uint32_t rounds; /* that are over */
    size_t answer;
    uint32_t steady; /* rounds in which the answer was the same */
};

enum { RACE_LEAST_ROUNDS = 8 };

/* entrants: which of them are in it; the others have no times. At least one is. */
cubinet_status race_start(const struct race_rules *rules, const bool *entrants, size_t count,
                          struct race *out_race);
void race_free(struct race *race);

/* Writes the numbers of those in the race in the order of the next round; returns how many. `order` has room
 * for all. */
size_t race_order(const struct race *race, size_t *order);

/* The time of one in this round. */
void race_put(struct race *race, size_t entry, double time);

/* Ends a round; false: the race is over. */
bool race_go_on(struct race *race);

struct race_time {
    double median; /* nanoseconds */
    double noise;  /* half the width of its 95 % interval */
    uint32_t used; /* times without outliers */
};
struct race_time race_time_of(const struct race *race, size_t entry);

/* The ratio of two candidates' times, and half the width of its interval. */
struct race_time race_ratio(const struct race *race, size_t slow, size_t fast);

/* The median of values, which are put in another order, its interval and outliers as above. room: for as many
 * values */
struct race_time race_median(double *values, size_t count, double *room);

#endif
