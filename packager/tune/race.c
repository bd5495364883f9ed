/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/race.h"

#include "loader/core/support/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEADY_ROUNDS = 10, STEADY_LEAST = 15, HOPELESS_ROUNDS = 2 };

cubinet_status race_start(const struct race_rules *rules, const bool *entrants, size_t count,
                          struct race *out_race)
{
    struct race race = {.rules = *rules, .count = count};
    race.entries = calloc(count, sizeof(*race.entries));
    race.room = calloc((size_t)rules->most_rounds + 1, 2 * sizeof(*race.room));
    if (!race.entries || !race.room) {
        race_free(&race);
        return cbn_error_memory();
    }
    race.answer = count;
    for (size_t i = 0; i < count; i++) {
        race.entries[i].is_in = entrants[i];
        race.entries[i].times = calloc(rules->most_rounds, sizeof(double));
        if (!race.entries[i].times) {
            race_free(&race);
            return cbn_error_memory();
        }
        if (entrants[i] && race.answer == count) {
            race.answer = i;
        }
    }
    *out_race = race;
    return CUBINET_OK;
}

void race_free(struct race *race)
{
    for (size_t i = 0; race->entries && i < race->count; i++) {
        free(race->entries[i].times);
    }
    free(race->entries);
    free(race->room);
    *race = (struct race){0};
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t bits = *state += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
}

size_t race_order(const struct race *race, size_t *order)
{
    uint64_t state = race->rules.seed + (uint64_t)race->rounds * 0x632be59bd9b4e019;
    size_t count = 0;
    for (size_t i = 0; i < race->count; i++) {
        if (race->entries[i].is_in) {
            order[count++] = i;
        }
    }
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)(next_random(&state) % i);
        size_t kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    return count;
}

void race_put(struct race *race, size_t entry, double time)
{
    struct race_entry *put = &race->entries[entry];
    if (put->count < race->rules.most_rounds) {
        put->times[put->count++] = time > 0 ? time : 1;
    }
}

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double middle(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* The median of the distances from a value, scaled to a normal distribution's standard deviation. */
static double deviation(const double *values, size_t count, double from, double *room)
{
    for (size_t i = 0; i < count; i++) {
        room[i] = fabs(values[i] - from);
    }
    qsort(room, count, sizeof(*room), compare_numbers);
    return 1.4826 * middle(room, count);
}

/* Student's t for 95 %, nearly: 2.78 for 5 values, 2.05 for 30. */
static double student(size_t count)
{
    double freedom = (double)(count - 1);
    return 1.96 + 2.4 / freedom + 3.4 / (freedom * freedom);
}

struct race_time race_median(double *values, size_t count, double *room)
{
    if (count == 0) {
        return (struct race_time){0};
    }
    qsort(values, count, sizeof(*values), compare_numbers);
    double median = middle(values, count);
    double spread = deviation(values, count, median, room);
    size_t first = 0;
    size_t last = count;
    while (spread > 0 && median - values[first] > 5 * spread) {
        first++;
    }
    while (spread > 0 && values[last - 1] - median > 5 * spread) {
        last--;
    }
    struct race_time time = {.used = (uint32_t)(last - first)};
    time.median = middle(values + first, time.used);
    spread = deviation(values + first, time.used, time.median, room);
    time.noise = time.used > 1 ? 1.2533 * spread / sqrt((double)time.used) * student(time.used) : time.median;
    return time;
}

static struct race_time median_of_copy(const struct race *race, const double *times, const double *divisors,
                                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        race->room[i] = divisors ? times[i] / divisors[i] : times[i];
    }
    return race_median(race->room, count, race->room + race->rules.most_rounds);
}

struct race_time race_time_of(const struct race *race, size_t entry)
{
    return median_of_copy(race, race->entries[entry].times, NULL, race->entries[entry].count);
}

struct race_time race_ratio(const struct race *race, size_t slow, size_t fast)
{
    const struct race_entry *a = &race->entries[slow];
    const struct race_entry *b = &race->entries[fast];
    return median_of_copy(race, a->times, b->times, a->count < b->count ? a->count : b->count);
}

static double extreme(const struct race_entry *entry, bool is_largest)
{
    double found = entry->times[0];
    for (uint32_t i = 1; i < entry->count; i++) {
        if (is_largest == (entry->times[i] > found)) {
            found = entry->times[i];
        }
    }
    return found;
}

static bool is_hopeless(const struct race *race, size_t entry, size_t fastest)
{
    return race->rounds >= HOPELESS_ROUNDS &&
           extreme(&race->entries[entry], false) > 2 * extreme(&race->entries[fastest], true);
}

/* The one with the least median of those that were in all rounds. */
static size_t find_fastest(const struct race *race)
{
    size_t fastest = race->count;
    double least = 0;
    for (size_t i = 0; i < race->count; i++) {
        const struct race_entry *entry = &race->entries[i];
        if (!entry->is_in || entry->count < race->rounds) {
            continue;
        }
        double median = race_time_of(race, i).median;
        if (fastest == race->count || median < least) {
            fastest = i;
            least = median;
        }
    }
    return fastest;
}

/* What a round showed: the answer, and whether more rounds could change it. */
struct standing {
    size_t answer;
    size_t left;
    bool is_exact;
};

static struct standing judge(struct race *race, size_t fastest)
{
    struct standing standing = {.answer = race->count, .is_exact = true};
    double resolution = race->rules.resolution;
    for (size_t i = 0; i < race->count; i++) {
        struct race_entry *entry = &race->entries[i];
        if (!entry->is_in) {
            continue;
        }
        struct race_time ratio =
            i == fastest ? (struct race_time){.median = 1} : race_ratio(race, i, fastest);
        double least = i == 0 && race->rules.has_default ? resolution : resolution / 2;
        bool is_apart = race->rounds >= RACE_LEAST_ROUNDS && ratio.median - ratio.noise > 1 + least;
        bool is_slower = is_apart || is_hopeless(race, i, fastest);
        entry->is_in = !is_slower || race->rules.keeps_all;
        standing.left += !is_slower;
        if (!is_slower && standing.answer == race->count) {
            standing.answer = i;
        }
        standing.is_exact &= is_slower || ratio.noise <= resolution / 2;
    }
    return standing;
}

bool race_go_on(struct race *race)
{
    race->rounds++;
    struct standing standing = judge(race, find_fastest(race));
    race->steady = standing.answer == race->answer ? race->steady + 1 : 0;
    race->answer = standing.answer;
    if (race->rounds >= race->rules.most_rounds) {
        return false;
    }
    if (race->rules.keeps_all || race->rounds < RACE_LEAST_ROUNDS) {
        return true;
    }
    bool is_steady = race->steady >= STEADY_ROUNDS && race->rounds >= STEADY_LEAST;
    return standing.left > 1 && !standing.is_exact && !is_steady;
}
