/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics of times, which candidates leave the race, and which one is chosen. */
#include "unit.h"

#include "tune/candidates.h"
#include "tune/race.h"

#include <cubinet/tuning.h>

#include <math.h>
#include <stdlib.h>

static uint64_t random_state;

static double random_share(void)
{
    uint64_t bits = random_state += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return (double)((bits ^ bits >> 31) >> 11) * 0x1p-53;
}

static void leaves_outliers_out(void **state)
{
    double values[] = {10, 10.1, 9.9, 10.05, 9.95, 10, 50};
    double equal[] = {3, 3, 3};
    double one[] = {7};
    double room[COUNT(values)];
    (void)state;
    struct race_time time = race_median(values, COUNT(values), room);
    assert_int_equal(time.used, 6);
    assert_true(fabs(time.median - 10) < 0.01);
    assert_true(time.noise > 0.01 && time.noise < 0.2);
    time = race_median(equal, COUNT(equal), room);
    assert_true(time.median == 3 && time.noise == 0 && time.used == 3);
    time = race_median(one, 1, room);
    assert_true(time.median == 7 && time.noise == 7);
    time = race_median(NULL, 0, NULL);
    assert_int_equal(time.used, 0);
}

/* Times of candidates, each with a random part. Drift makes a round slower as a whole. */
struct course {
    const double *times;
    size_t count;
    double noise;
    double drift;
};

static struct race run(const struct course *course, const struct race_rules *rules)
{
    struct race race;
    bool entrants[16];
    size_t order[16];
    bool goes_on = true;
    for (size_t i = 0; i < course->count; i++) {
        entrants[i] = course->times[i] > 0;
    }
    assert_int_equal(race_start(rules, entrants, course->count, &race), CUBINET_OK);
    while (goes_on) {
        size_t count = race_order(&race, order);
        double clock = 1 + course->drift * race.rounds;
        for (size_t i = 0; i < count; i++) {
            race_put(&race, order[i],
                     course->times[order[i]] * clock * (1 + course->noise * (random_share() - 0.5)));
        }
        goes_on = race_go_on(&race);
    }
    return race;
}

static const struct race_rules normal = {
    .most_rounds = 60, .resolution = 0.01, .seed = 1, .has_default = true};

static void finds_the_fastest(void **state)
{
    const double times[] = {120, 100, 140, 111, 500};
    const struct course course = {.times = times, .count = COUNT(times), .noise = 0.02, .drift = 0.01};
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        random_state = seed;
        struct race race = run(&course, &normal);
        assert_int_equal(race.answer, 1);
        assert_true(race.rounds < 60);
        assert_false(race.entries[4].is_in);
        assert_true(race.entries[4].count < RACE_LEAST_ROUNDS);
        race_free(&race);
    }
}

static void keeps_the_default_within_noise(void **state)
{
    const double times[] = {100.5, 100, 100.2, 100.4};
    const double refused[] = {0, 100, 100.2, 130};
    const struct course course = {.times = times, .count = COUNT(times), .noise = 0.02};
    const struct course other = {.times = refused, .count = COUNT(refused), .noise = 0.02};
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        random_state = seed;
        struct race race = run(&course, &normal);
        assert_int_equal(race.answer, 0);
        race_free(&race);
        race = run(&other, &normal);
        assert_int_equal(race.answer, 1);
        assert_int_equal(race.entries[0].count, 0);
        race_free(&race);
    }
}

/* A candidate that is simpler by its place is chosen up to half the resolution, the default up to all of it.
 */
static void takes_the_simpler_of_two(void **state)
{
    const double near[] = {110, 100.3, 100};
    const double far[] = {110, 100.8, 100};
    const double own[] = {100.8, 110, 100};
    (void)state;
    random_state = 1;
    struct race race = run(&(struct course){.times = near, .count = 3}, &normal);
    assert_int_equal(race.answer, 1);
    race_free(&race);
    race = run(&(struct course){.times = far, .count = 3}, &normal);
    assert_int_equal(race.answer, 2);
    race_free(&race);
    race = run(&(struct course){.times = own, .count = 3}, &normal);
    assert_int_equal(race.answer, 0);
    race_free(&race);
}

static void stops_at_the_bound(void **state)
{
    const double times[] = {100, 100, 100};
    const struct course course = {.times = times, .count = COUNT(times), .noise = 0.5};
    struct race_rules rules = normal;
    (void)state;
    random_state = 3;
    rules.most_rounds = 10;
    struct race race = run(&course, &rules);
    assert_int_equal(race.rounds, 10);
    race_free(&race);
    rules.keeps_all = true;
    const double apart[] = {100, 300};
    race = run(&(struct course){.times = apart, .count = 2}, &rules);
    assert_int_equal(race.entries[1].count, 10);
    race_free(&race);
}

static void orders_rounds_the_same_each_time(void **state)
{
    bool entrants[12];
    size_t first[12];
    size_t second[12];
    struct race race;
    (void)state;
    for (size_t i = 0; i < COUNT(entrants); i++) {
        entrants[i] = i != 5;
    }
    assert_int_equal(race_start(&normal, entrants, COUNT(entrants), &race), CUBINET_OK);
    assert_int_equal(race_order(&race, first), 11);
    assert_int_equal(race_order(&race, second), 11);
    assert_memory_equal(first, second, 11 * sizeof(first[0]));
    race.rounds = 1;
    race_order(&race, second);
    assert_memory_not_equal(first, second, 11 * sizeof(first[0]));
    race_free(&race);
}

static void orders_candidates_by_simplicity(void **state)
{
    const struct candidate plain = {
        .block = {256, 1, 1}, .grid_value = {1, 1, 1}, .grid_rule = CUBINET_GRID_PER_THREAD};
    struct candidate others[7];
    (void)state;
    for (size_t i = 0; i < COUNT(others); i++) {
        others[i] = plain;
    }
    others[0].instance = 1;
    others[1].cluster[0] = others[1].cluster[1] = others[1].cluster[2] = 1;
    others[2].shared = 16;
    others[3].grid_limit[0] = others[3].grid_limit[1] = others[3].grid_limit[2] = 4;
    others[4].grid_value[0] = 2;
    others[5].block[0] = 512;
    others[6].block[0] = 128;
    others[6].block[1] = 2;
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_true(candidate_compare(&plain, &others[i]) < 0);
        assert_true(candidate_compare(&others[i], &plain) > 0);
        assert_int_equal(candidate_compare(&others[i], &others[i]), 0);
    }
    assert_true(candidate_compare(&others[1], &others[0]) < 0);
    assert_true(candidate_compare(&others[2], &others[1]) < 0);
    assert_true(candidate_compare(&others[6], &others[5]) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_outliers_out),
        cmocka_unit_test(finds_the_fastest),
        cmocka_unit_test(keeps_the_default_within_noise),
        cmocka_unit_test(takes_the_simpler_of_two),
        cmocka_unit_test(stops_at_the_bound),
        cmocka_unit_test(orders_rounds_the_same_each_time),
        cmocka_unit_test(orders_candidates_by_simplicity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
