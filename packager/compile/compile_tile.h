/* SPDX-License-Identifier: Apache-2.0 */
/* Tile kernels (CUDA Tile C++). NVRTC makes Tile IR of them beside the PTX of the other kernels, in one pass.
 * They are a module of their own: no image holds both. */
#ifndef COMPILE_TILE_H
#define COMPILE_TILE_H

#include "compile/compile_work.h"

/* What is added to a module's name for the one with its tile kernels. */
#define COMPILE_TILE_SUFFIX ".tile"

/* Files what a pass made of tile kernels: machine code for each cubin that is asked for, by tileiras, and
 * Tile IR where PTX is asked for. Says in `work` which kernels there are, and takes the names of those that
 * expressions asked for out of the result. Nothing if there are none, or if the virtual architecture has
 * none. */
cubinet_status compile_tile(struct compile_work *work, const struct arch_virtual *virtual,
                            struct nvrtc_result *result);

/* Fails if the requested image is not one of tile kernels, and nothing else is to be made. */
cubinet_status compile_tile_check(const struct compile_work *work, const struct arch_virtual *virtual);

#endif
