/* SPDX-License-Identifier: Apache-2.0 */
/* Decompressing zstd frames. */
#ifndef CBN_UNPACK_H
#define CBN_UNPACK_H

#include <cubinet/status.h>

#include <stddef.h>
#include <stdint.h>

/* zstd's working memory, kept from one frame to the next: it is large, and taking it anew costs more than a
 * small frame does. Any number of threads may share one without waiting for each other: whoever finds it
 * empty works with memory of its own. Zero-initialise to start. */
struct cbn_unpack_spare {
    void *_Atomic context;
};

struct cbn_frame {
    const void *bytes;
    size_t size;
    const void *prefix; /* what it was compressed after; NULL: nothing */
    size_t prefix_size;
    size_t raw_size; /* that it must have */
};

/* CUBINET_ERROR_DAMAGED if the frame does not say that it has that raw size, CUBINET_ERROR_LIMIT if it is
 * beyond `limit` bytes: to be asked before memory is taken for it. Messages say neither what is damaged nor
 * what is too large. */
cubinet_status cbn_frame_check(const struct cbn_frame *frame, uint64_t limit);

/* The largest raw size of something with that many stored bytes, where a program sets none (0). */
uint64_t cbn_frame_limit(uint64_t set, uint64_t stored_size);

/* Decompresses a frame, which is all of its bytes, into `raw_size` bytes. CUBINET_ERROR_DAMAGED,
 * CUBINET_ERROR_OUT_OF_MEMORY. No lock is held. */
cubinet_status cbn_frame_unpack(struct cbn_unpack_spare *spare, const struct cbn_frame *frame, void *out);

void cbn_unpack_spare_free(struct cbn_unpack_spare *spare);

#endif
