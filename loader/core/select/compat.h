/* SPDX-License-Identifier: Apache-2.0 */
/* What NVIDIA's documentation says of compute capabilities and releases, as tables:
 * docs/reference/selection.md has the sources. Compute capabilities are numbers as in targets, 10 × major +
 * minor; releases are as CUDA_VERSION.
 */
#ifndef CBN_COMPAT_H
#define CBN_COMPAT_H

#include <stdbool.h>
#include <stdint.h>

/* Whether cubins for this compute capability run on no other, nor those of others on it. */
bool cbn_compute_stands_alone(int number);

/* The compute capabilities that code with suffix f for `number` runs on, 0 at the end; NULL for a family that
 * is not known. */
const int *cbn_family(int number);

/* The first CUDA release whose driver takes PTX of that ISA version (90 for 9.0); 0 if it is not known. */
uint32_t cbn_ptx_isa_release(uint32_t isa);

/* The first CUDA release whose driver compiles Tile IR for a compute capability; 0 if none does. */
uint32_t cbn_tile_release(int number);

/* Whether the nvJitLink of that release makes code for a compute capability; true for one that is not known.
 */
bool cbn_release_targets(uint32_t release, int number);

/* The releases that a compute capability is limited to: the first that makes code for it (0: before CUDA 12)
 * and the first that makes none any more (0: none yet). False for one that every CUDA 12 and 13 makes code
 * for, or that is not known. */
bool cbn_release_range(int number, uint32_t *out_first, uint32_t *out_end);

#endif
