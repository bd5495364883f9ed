/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a cubin, as contents. */
#ifndef CUBIN_H
#define CUBIN_H

#include "image/contents.h"

/* Whether bytes start as an ELF file of NVIDIA's does, relocatable or not. */
bool cubin_is(const void *data, size_t size);

/* As cbn_cubin_read() (read_cubin.h), into contents that the caller frees and that do not need the cubin. */
cubinet_status cubin_read(const void *data, size_t size, struct contents *out_contents);

/* Records which kernels wait for others or let others start, in sorted contents of device code, as far as
 * that can be read. */
void cubin_note_dependency(const void *data, size_t size, struct contents *contents);

/* Records which kernels take dynamic shared memory, in sorted contents of device code, as far as that can be
 * read. */
void cubin_note_dynamic_shared(const void *data, size_t size, struct contents *contents);

#endif
