/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions, scans, sorts, histograms and compaction: kernels whose blocks work on tiles of so many values
 * for each thread. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whole numbers so small that every order of summation gives the same sum. */
enum { SMALL = 16, TILES_OF_A_BLOCK = 8 };

static size_t tile_size(const struct run *run)
{
    return run_threads(run) * run_template_number(run, 2);
}

static void small_numbers(struct run *run, enum number type, size_t count)
{
    void *numbers = run_input(run, count * number_bytes(type));
    for (size_t i = 0; i < count; i++) {
        number_put(type, numbers, i, run_random(run) % SMALL);
    }
}

static void prepare_reduce(struct run *run)
{
    enum number type = run_template_type(run);
    int tiles = (int)run_blocks(run) * TILES_OF_A_BLOCK - 5; /* not the same number for every block */
    small_numbers(run, type, (size_t)tiles * tile_size(run));
    run_output(run, run_blocks(run) * number_bytes(type), 0xff);
    RUN_VALUE(run, tiles);
}

static void verify_reduce(struct run *run)
{
    enum number type = run_template_type(run);
    size_t tiles = run_blocks(run) * TILES_OF_A_BLOCK - 5;
    for (size_t block = 0; block < run_blocks(run); block++) {
        double sum = 0;
        for (size_t tile = block; tile < tiles; tile += run_blocks(run)) {
            for (size_t i = 0; i < tile_size(run); i++) {
                sum += number_get(type, run_before(run, 0), tile * tile_size(run) + i);
            }
        }
        run_expect(run, block, number_get(type, run_after(run, 1), block), sum, 0);
    }
}

const struct check check_reduce = {prepare_reduce, verify_reduce};

static void prepare_scan(struct run *run)
{
    enum number type = run_template_type(run);
    size_t count = run_blocks(run) * tile_size(run);
    small_numbers(run, type, count);
    run_output(run, count * number_bytes(type), 0xff);
    run_output(run, run_blocks(run) * number_bytes(type), 0xff);
}

static void verify_scan(struct run *run)
{
    enum number type = run_template_type(run);
    for (size_t block = 0; block < run_blocks(run); block++) {
        double sum = 0;
        for (size_t i = block * tile_size(run); i < (block + 1) * tile_size(run); i++) {
            sum += number_get(type, run_before(run, 0), i);
            run_expect(run, i, number_get(type, run_after(run, 1), i), sum, 0);
        }
        run_expect(run, block, number_get(type, run_after(run, 2), block), sum, 0);
    }
}

const struct check check_scan = {prepare_scan, verify_scan};

/* A key of a radix sort, or a value of a merge sort, and where it was. */
struct item {
    uint64_t key;
    size_t index;
};

static int compare_items(const void *a, const void *b)
{
    const struct item *left = a;
    const struct item *right = b;
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    return left->index < right->index ? -1 : left->index > right->index;
}

static struct item *new_items(size_t count)
{
    struct item *items = malloc(count * sizeof(*items));
    if (!items) {
        fprintf(stderr, "corpus_check: no memory to sort %zu items\n", count);
        exit(1);
    }
    return items;
}

static size_t key_bytes(const struct run *run)
{
    return strstr(run->kernel, "long long") ? 8 : 4;
}

static uint64_t key_get(const struct run *run, const void *keys, size_t i)
{
    return key_bytes(run) == 8 ? ((const uint64_t *)keys)[i] : ((const uint32_t *)keys)[i];
}

static void key_put(const struct run *run, void *keys, size_t i, uint64_t key)
{
    if (key_bytes(run) == 8) {
        ((uint64_t *)keys)[i] = key;
    } else {
        ((uint32_t *)keys)[i] = (uint32_t)key;
    }
}

/* Every fourth key has neighbours that are equal, so that their order can be seen to stay. */
static void prepare_radix_sort(struct run *run)
{
    size_t count = run_blocks(run) * tile_size(run);
    void *keys = run_input(run, count * key_bytes(run));
    for (size_t i = 0; i < count; i++) {
        uint64_t key = (uint64_t)run_random(run) << 32 | run_random(run);
        key_put(run, keys, i, i % 4 == 0 ? 7 : key);
    }
    run_output(run, count * key_bytes(run), 0xff);
    run_output(run, count * sizeof(uint32_t), 0xff);
}

static void verify_radix_sort(struct run *run)
{
    size_t count = tile_size(run);
    const uint32_t *indices = run_after(run, 2);
    struct item *items = new_items(count);
    for (size_t first = 0; first < run_blocks(run) * count; first += count) {
        for (size_t i = 0; i < count; i++) {
            items[i] = (struct item){key_get(run, run_before(run, 0), first + i), i};
        }
        qsort(items, count, sizeof(*items), compare_items);
        for (size_t i = 0; i < count; i++) {
            run_expect_bits(run, first + i, key_get(run, run_after(run, 1), first + i), items[i].key);
            run_expect_bits(run, first + i, indices[first + i], items[i].index);
        }
    }
    free(items);
}

const struct check check_radix_sort = {prepare_radix_sort, verify_radix_sort};

/* Few enough magnitudes that many are equal but for the sign, in which the order has to stay. */
static void prepare_merge_sort(struct run *run)
{
    enum number type = run_template_type(run);
    size_t count = run_blocks(run) * tile_size(run);
    run_numbers(run, type, count, -500, 500);
    void *numbers = run->arguments[0].host;
    for (size_t i = 0; i < count; i++) {
        number_put(type, numbers, i, floor(number_get(type, numbers, i)));
    }
    run_output(run, count * number_bytes(type), 0xff);
}

static void verify_merge_sort(struct run *run)
{
    enum number type = run_template_type(run);
    size_t count = tile_size(run);
    struct item *items = new_items(count);
    for (size_t first = 0; first < run_blocks(run) * count; first += count) {
        for (size_t i = 0; i < count; i++) {
            items[i] = (struct item){(uint64_t)fabs(number_get(type, run_before(run, 0), first + i)), i};
        }
        qsort(items, count, sizeof(*items), compare_items);
        for (size_t i = 0; i < count; i++) {
            run_expect(run, first + i, number_get(type, run_after(run, 1), first + i),
                       number_get(type, run_before(run, 0), first + items[i].index), 0);
        }
    }
    free(items);
}

const struct check check_merge_sort = {prepare_merge_sort, verify_merge_sort};

/* A picture's values: some are more frequent than others. */
static void prepare_histogram(struct run *run)
{
    int tiles = (int)run_blocks(run) * TILES_OF_A_BLOCK - 5;
    size_t count = (size_t)tiles * tile_size(run);
    unsigned char *samples = run_input(run, count);
    for (size_t i = 0; i < count; i++) {
        samples[i] = (unsigned char)(run_random(run) % 128 + run_random(run) % 129);
    }
    run_output(run, 256 * sizeof(uint32_t), 0);
    RUN_VALUE(run, tiles);
}

static void verify_histogram(struct run *run)
{
    const unsigned char *samples = run_before(run, 0);
    const uint32_t *counts = run_after(run, 1);
    uint32_t expected[256] = {0};
    for (size_t i = 0; i < run->arguments[0].bytes; i++) {
        expected[samples[i]]++;
    }
    for (size_t bin = 0; bin < 256; bin++) {
        run_expect_bits(run, bin, counts[bin], expected[bin]);
    }
}

const struct check check_histogram = {prepare_histogram, verify_histogram};

static void prepare_compact(struct run *run)
{
    enum number type = run_template_type(run);
    size_t count = run_blocks(run) * tile_size(run);
    unsigned char floor_value[sizeof(double)];
    run_numbers(run, type, count, -100, 100);
    run_output(run, count * number_bytes(type), 0);
    run_output(run, run_blocks(run) * sizeof(int32_t), 0xff);
    number_put(type, floor_value, 0, 20);
    run_value(run, floor_value, number_bytes(type));
}

static void verify_compact(struct run *run)
{
    enum number type = run_template_type(run);
    const int32_t *counts = run_after(run, 2);
    for (size_t block = 0; block < run_blocks(run); block++) {
        size_t first = block * tile_size(run);
        size_t kept = first;
        for (size_t i = first; i < first + tile_size(run); i++) {
            double value = number_get(type, run_before(run, 0), i);
            if (value > 20) {
                run_expect(run, kept, number_get(type, run_after(run, 1), kept), value, 0);
                kept++;
            }
        }
        run_expect(run, block, counts[block], (double)(kept - first), 0);
    }
}

const struct check check_compact = {prepare_compact, verify_compact};

enum { SLOTS = 1 << 21 };

static uint64_t mix(uint64_t key)
{
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdu;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53u;
    return key ^ key >> 33;
}

/* The slot of a key, or the empty one where the search for it ends. */
static uint64_t slot_of(const struct run *run, const void *slots, uint64_t key)
{
    uint64_t slot = mix(key) & (SLOTS - 1);
    while (key_get(run, slots, slot) != key && key_get(run, slots, slot) != 0) {
        slot = (slot + 1) & (SLOTS - 1);
    }
    return slot;
}

static bool is_insert(const struct run *run)
{
    return strncmp(run->kernel, "insert", strlen("insert")) == 0;
}

/* Keys are numbers from 1 on, times an odd number: no two are equal, and none is 0. `find` is given twice as
 * many as there are in the table. */
static void prepare_hash_table(struct run *run)
{
    int count = (int)(run_blocks(run) * run_threads(run)) - 7;
    uint64_t mask = SLOTS - 1;
    void *slots;
    if (is_insert(run)) {
        run_output(run, SLOTS * key_bytes(run), 0);
        slots = NULL;
    } else {
        slots = run_input(run, SLOTS * key_bytes(run));
        memset(slots, 0, SLOTS * key_bytes(run));
    }
    RUN_VALUE(run, mask);
    void *keys = run_input(run, (size_t)count * key_bytes(run));
    for (size_t i = 0; i < (size_t)count; i++) {
        key_put(run, keys, i, (i + 1) * 0x9e3779b97f4a7c15u);
        if (slots && i % 2 == 0) {
            uint64_t key = key_get(run, keys, i);
            key_put(run, slots, slot_of(run, slots, key), key);
        }
    }
    if (slots) {
        run_output(run, (size_t)count * sizeof(int64_t), 0x77);
    }
    RUN_VALUE(run, count);
}

/* Which of two keys gets a slot that both want is open, so of the table it is asked that it has every key,
 * where a search finds it, and nothing else. */
static void verify_insert(struct run *run)
{
    size_t count = run->arguments[2].bytes / key_bytes(run);
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = key_get(run, run_before(run, 2), i);
        uint64_t slot = slot_of(run, run_after(run, 0), key);
        run_expect_bits(run, i, key_get(run, run_after(run, 0), slot), key);
    }
    for (size_t slot = 0; slot < SLOTS; slot++) {
        taken += key_get(run, run_after(run, 0), slot) != 0;
    }
    run_expect_bits(run, count, taken, count);
}

static void verify_find(struct run *run)
{
    size_t count = run->arguments[2].bytes / key_bytes(run);
    const int64_t *found = run_after(run, 3);
    for (size_t i = 0; i < count; i++) {
        uint64_t slot = slot_of(run, run_before(run, 0), key_get(run, run_before(run, 2), i));
        run_expect_bits(run, i, (uint64_t)found[i], i % 2 == 0 ? slot : UINT64_MAX);
    }
}

static void verify_hash_table(struct run *run)
{
    if (is_insert(run)) {
        verify_insert(run);
    } else {
        verify_find(run);
    }
}

const struct check check_hash_table = {prepare_hash_table, verify_hash_table};
