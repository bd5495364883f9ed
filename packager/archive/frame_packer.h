/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing images as zstd frames, alone or after another image. */
#ifndef FRAME_PACKER_H
#define FRAME_PACKER_H

#include "base/byte_span.h"

#include <cubinet/status.h>

struct frame_packer;

cubinet_status frame_packer_new(struct frame_packer **out_packer);

/* The size of the frame of `raw` after `base` (whose data may be NULL: alone), at that level. The bytes are
 * lost with the next call. */
cubinet_status frame_packer_measure(struct frame_packer *packer, struct byte_span raw, struct byte_span base,
                                    int level, size_t *out_size);

/* As frame_packer_measure(), and gives the caller a copy of the frame. The same bytes at the same level make
 * the same frame, whatever was packed before. */
cubinet_status frame_packer_pack(struct frame_packer *packer, struct byte_span raw, struct byte_span base,
                                 int level, void **out_frame, size_t *out_size);

/* A frame that has the bytes as they are: for what a reader would not decompress from as little as
 * frame_packer_pack() makes of it. */
cubinet_status frame_packer_store(struct byte_span raw, void **out_frame, size_t *out_size);

/* NULL is allowed. */
void frame_packer_free(struct frame_packer *packer);

#endif
