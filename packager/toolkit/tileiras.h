/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code of tile kernels, which the toolkit's tileiras program makes of Tile IR. */
#ifndef TILEIRAS_H
#define TILEIRAS_H

#include "loader/core/support/text_list.h"
#include "toolkit/assemble.h"
#include "toolkit/toolkit.h"

enum { TILE_RELEASE = 13030, /* whose NVRTC compiles tile kernels */ TILE_OLDEST_GPU = 80 };

/* Finds the program that belongs to the toolkit, and what it needs beside itself. Nothing is found where
 * there is none. CUBINET_ERROR_TOOLKIT if it is there and cannot be run. */
cubinet_status tileiras_find(struct toolkit *toolkit);

/* CUBINET_ERROR_TOOLKIT, and what to install, if a toolkit that was looked through makes no machine code of
 * tile kernels. */
cubinet_status tileiras_check(const struct toolkit *toolkit);

/* What the program is called with: `own` of -Xtileiras as they are, and of nvJitLink's those that it has by
 * other names. */
cubinet_status tileiras_options(const struct cbn_text_list *nvjitlink_options,
                                const struct cbn_text_list *own, struct cbn_text_list *out_options);

/* Makes a cubin for the GPU of a target, whose suffix makes no difference: tileiras compiles for the very GPU
 * where that has code of its own, and the contents say so. CUBINET_ERROR_LINK with what tileiras said from
 * the message's second line on. The caller frees what is in `out_assembled`. */
cubinet_status tileiras_assemble(const struct toolkit *toolkit, const struct cbn_text_list *options,
                                 cubinet_target target, const void *tile_ir, size_t size,
                                 struct assembled *out_assembled);

#endif
