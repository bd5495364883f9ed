/* SPDX-License-Identifier: Apache-2.0 */
/* Finding among many images some that share much with a given one, without comparing it with each. An image
 * is known by the smallest hashes of its parts (instructions of code, lines of text): images that share parts
 * share some of those. */
#ifndef SIMILAR_H
#define SIMILAR_H

#include <cubinet/status.h>
#include <cubinet/target.h>

#include <stddef.h>
#include <stdint.h>

enum {
    SKETCH_SIZE = 16,
    SIMILAR_MAX = 2, /* images that are found at most */
};

struct sketch {
    uint64_t hashes[SKETCH_SIZE]; /* ascending */
    size_t count;
};

struct sketch sketch_make(cubinet_image_kind kind, const void *data, size_t size);

/* Images that were added, by number. Zero-initialise to start. */
struct similar {
    struct similar_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t used;
};

/* CUBINET_ERROR_OUT_OF_MEMORY */
cubinet_status similar_add(struct similar *similar, const struct sketch *sketch, uint32_t number);

/* Fills `out_numbers` with those that share most, the first the most, and returns how many there are. Of
 * equals those that were added last come first. */
size_t similar_find(const struct similar *similar, const struct sketch *sketch,
                    uint32_t out_numbers[SIMILAR_MAX]);

void similar_free(struct similar *similar);

#endif
