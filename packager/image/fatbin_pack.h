/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing what a fatbin holds, as nvcc --compress-mode does. */
#ifndef FATBIN_PACK_H
#define FATBIN_PACK_H

#include "loader/link/fatbin.h"

#include <cubinet/status.h>

#include <stddef.h>
#include <stdint.h>

/* A machine-code or PTX entry that is not compressed, compressed with what every driver that loads it knows:
 * zstd for code of CUDA 13, LZ4 for older code, which drivers without zstd may load. The caller frees
 * the bytes. NULL for an entry that is of another kind, compressed already, or would not be smaller. */
cubinet_status fatbin_pack(const struct cbn_fatbin_entry *entry, unsigned char **out_bytes, size_t *out_size);

/* The bytes of an entry's image when it is decompressed. */
uint64_t fatbin_raw_size(const struct cbn_fatbin_entry *entry);

#endif
