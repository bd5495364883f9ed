/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/similar.h"

#include "loader/core/archive/digest.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    INSTRUCTION = 16, /* bytes */
    HOLDERS = 4,      /* that a slot remembers: what more images have in common tells little */
    FIRST_SLOTS = 64,
};

/* A hash and the images that have it, the last ones. */
struct similar_slot {
    uint64_t hash; /* 0: the slot is free */
    uint32_t holders[HOLDERS];
    uint32_t count; /* of all that there were */
};

/* Keeps the smallest hashes, each once. */
static void offer(struct sketch *sketch, uint64_t hash)
{
    if (sketch->count == SKETCH_SIZE && hash >= sketch->hashes[SKETCH_SIZE - 1]) {
        return;
    }
    size_t place = 0;
    while (place < sketch->count && sketch->hashes[place] < hash) {
        place++;
    }
    if (place < sketch->count && sketch->hashes[place] == hash) {
        return;
    }
    sketch->count += sketch->count < SKETCH_SIZE;
    memmove(&sketch->hashes[place + 1], &sketch->hashes[place],
            (sketch->count - place - 1) * sizeof(sketch->hashes[0]));
    sketch->hashes[place] = hash;
}

static uint64_t hash_part(const char *data, size_t size)
{
    struct cbn_digest digest = cbn_digest(data, size);
    uint64_t hash = cbn_get64(digest.bytes);
    return hash ? hash : 1;
}

struct sketch sketch_make(cubinet_image_kind kind, const void *data, size_t size)
{
    struct sketch sketch = {.count = 0};
    const char *text = data;
    for (size_t at = 0; at < size;) {
        size_t left = size - at;
        size_t part = left < INSTRUCTION ? left : INSTRUCTION;
        if (kind == CUBINET_IMAGE_PTX) {
            const char *end = memchr(text + at, '\n', left);
            part = end ? (size_t)(end - text) - at + 1 : left;
        }
        offer(&sketch, hash_part(text + at, part));
        at += part;
    }
    return sketch;
}

/* The slot of a hash, or the free one where it belongs. There is always a free one. */
static struct similar_slot *find_slot(const struct similar *similar, uint64_t hash)
{
    size_t place = hash & (similar->slot_count - 1);
    while (similar->slots[place].hash && similar->slots[place].hash != hash) {
        place = (place + 1) & (similar->slot_count - 1);
    }
    return &similar->slots[place];
}

static cubinet_status make_room(struct similar *similar)
{
    if (2 * (similar->used + SKETCH_SIZE) <= similar->slot_count) {
        return CUBINET_OK;
    }
    struct similar larger = {.slot_count = similar->slot_count ? 2 * similar->slot_count : FIRST_SLOTS,
                             .used = similar->used};
    larger.slots = calloc(larger.slot_count, sizeof(*larger.slots));
    if (!larger.slots) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < similar->slot_count; i++) {
        if (similar->slots[i].hash) {
            *find_slot(&larger, similar->slots[i].hash) = similar->slots[i];
        }
    }
    free(similar->slots);
    *similar = larger;
    return CUBINET_OK;
}

cubinet_status similar_add(struct similar *similar, const struct sketch *sketch, uint32_t number)
{
    cubinet_status status = make_room(similar);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < sketch->count; i++) {
        struct similar_slot *slot = find_slot(similar, sketch->hashes[i]);
        similar->used += slot->hash == 0;
        slot->hash = sketch->hashes[i];
        slot->holders[slot->count++ % HOLDERS] = number;
    }
    return CUBINET_OK;
}

/* Images that share hashes with one that is looked at, and how many. */
struct votes {
    uint32_t numbers[SKETCH_SIZE * HOLDERS];
    uint32_t counts[SKETCH_SIZE * HOLDERS];
    size_t count;
};

static void vote(struct votes *votes, uint32_t number)
{
    size_t i = 0;
    while (i < votes->count && votes->numbers[i] != number) {
        i++;
    }
    if (i == votes->count) {
        votes->numbers[votes->count++] = number;
        votes->counts[i] = 0;
    }
    votes->counts[i]++;
}

/* Takes the winner out of the votes. */
static uint32_t take_best(struct votes *votes)
{
    size_t best = 0;
    for (size_t i = 1; i < votes->count; i++) {
        if (votes->counts[i] > votes->counts[best] ||
            (votes->counts[i] == votes->counts[best] && votes->numbers[i] > votes->numbers[best])) {
            best = i;
        }
    }
    uint32_t number = votes->numbers[best];
    votes->count--;
    votes->numbers[best] = votes->numbers[votes->count];
    votes->counts[best] = votes->counts[votes->count];
    return number;
}

size_t similar_find(const struct similar *similar, const struct sketch *sketch,
                    uint32_t out_numbers[SIMILAR_MAX])
{
    struct votes votes = {.count = 0};
    for (size_t i = 0; similar->slot_count > 0 && i < sketch->count; i++) {
        const struct similar_slot *slot = find_slot(similar, sketch->hashes[i]);
        size_t holders = slot->count < HOLDERS ? slot->count : HOLDERS;
        for (size_t j = 0; j < holders; j++) {
            vote(&votes, slot->holders[j]);
        }
    }
    size_t count = 0;
    while (count < SIMILAR_MAX && votes.count > 0) {
        out_numbers[count++] = take_best(&votes);
    }
    return count;
}

void similar_free(struct similar *similar)
{
    free(similar->slots);
    *similar = (struct similar){0};
}
