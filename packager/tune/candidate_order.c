/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two candidates is the simpler, and how people read one. */
#include "tune/candidates.h"

#include <cubinet/tuning.h>

#include <string.h>

enum { FAVOURITE_THREADS = 256 };

bool candidate_is_same(const struct candidate *a, const struct candidate *b)
{
    return candidate_compare(a, b) == 0;
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static uint64_t volume(const uint32_t sides[3])
{
    return (uint64_t)sides[0] * sides[1] * sides[2];
}

/* Sides that are limited. */
static uint64_t limits(const uint32_t sides[3])
{
    return (sides[0] ? 1u : 0u) + (sides[1] ? 1u : 0u) + (sides[2] ? 1u : 0u);
}

static uint64_t distance(uint64_t threads)
{
    return threads > FAVOURITE_THREADS ? threads - FAVOURITE_THREADS : FAVOURITE_THREADS - threads;
}

static int compare_sides(const uint32_t a[3], const uint32_t b[3])
{
    int result = 0;
    for (int i = 2; !result && i >= 0; i--) {
        result = compare(a[i], b[i]);
    }
    return result;
}

int candidate_compare(const struct candidate *a, const struct candidate *b)
{
    uint64_t threads_a = volume(a->block);
    uint64_t threads_b = volume(b->block);
    const int results[] = {
        compare(a->instance, b->instance),
        compare(volume(a->cluster), volume(b->cluster)),
        compare(a->shared, b->shared),
        compare(limits(a->grid_limit), limits(b->grid_limit)),
        compare(volume(a->grid_value), volume(b->grid_value)),
        compare(distance(threads_a), distance(threads_b)),
        compare(threads_a, threads_b),
        /* The rest tells apart what is equally simple. */
        compare_sides(a->block, b->block),
        compare(a->grid_rule, b->grid_rule),
        compare_sides(a->grid_value, b->grid_value),
        compare_sides(a->grid_limit, b->grid_limit),
        compare_sides(a->cluster, b->cluster),
    };
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        if (results[i]) {
            return results[i];
        }
    }
    return 0;
}

static void write_sides(struct buffer *text, const uint32_t sides[3])
{
    buffer_printf(text, "%u", sides[0]);
    if (sides[1] > 1 || sides[2] > 1) {
        buffer_printf(text, "×%u", sides[1]);
    }
    if (sides[2] > 1) {
        buffer_printf(text, "×%u", sides[2]);
    }
}

static void write_rule(const struct candidate *candidate, struct buffer *text)
{
    static const char *const words[] = {[CUBINET_GRID_FIXED] = "grid ",
                                        [CUBINET_GRID_PER_BLOCK] = "elements per block ",
                                        [CUBINET_GRID_PER_THREAD] = "elements per thread ",
                                        [CUBINET_GRID_FLAT] = "tile "};
    if (candidate->grid_rule != CUBINET_GRID_PER_THREAD || volume(candidate->grid_value) != 1) {
        buffer_printf(text, ", %s", words[candidate->grid_rule]);
        write_sides(text, candidate->grid_value);
    }
    const uint32_t *limit = candidate->grid_limit;
    if (limit[0] || limit[1] || limit[2]) {
        buffer_printf(text, ", at most %u", limit[0]);
        if (limit[1] || limit[2]) {
            buffer_printf(text, "×%u×%u", limit[1], limit[2]);
        }
        buffer_puts(text, " blocks");
    }
}

void candidate_write(const struct tune_set *set, const struct candidate *candidate, struct buffer *text)
{
    if (set->instance_count > 1) {
        buffer_printf(text, "%s, ", set->instances[candidate->instance].kernel);
    }
    buffer_puts(text, "block ");
    write_sides(text, candidate->block);
    write_rule(candidate, text);
    if (volume(candidate->cluster)) {
        buffer_puts(text, ", cluster ");
        write_sides(text, candidate->cluster);
    }
    if (candidate->shared) {
        buffer_printf(text, ", %u B shared", candidate->shared);
    }
}
