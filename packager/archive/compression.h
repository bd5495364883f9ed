/* SPDX-License-Identifier: Apache-2.0 */
/* What --compress and --threads are given. */
#ifndef COMPRESSION_H
#define COMPRESSION_H

#include "archive/listing.h"

#include <cubinet/status.h>

/* none, fast, zstd, zstd:LEVEL: zstd's level, or 0 for images as they are. */
cubinet_status compression_parse(const char *text, int *out_level);

/* What --help says of it. */
#define THREADS_HELP                                                                                         \
    "threads that compress; 0 (default): one for each processor\nor, in `cubinet build`, what is free"

/* How many threads compress; 0: as many as processors. */
cubinet_status compression_threads(const char *text, uint32_t *out_threads);

/* The level for an archive made of this one: the default one if any image in it is compressed, else 0. */
int compression_of(const struct listing *listing);

#endif
