/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for what a harness's commands read and write. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stddef.h>

/* Makes it, in memory if there is a place, and works in it. */
void scratch_open(void);

void scratch_write(const char *name, const void *data, size_t size);

/* A file's bytes, which the caller frees. */
void *scratch_read(const char *name, size_t *out_size);

/* Removes it with all that is in it, and works where scratch_open() was called. */
void scratch_close(void);

#endif
