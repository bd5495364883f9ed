/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for what a harness's commands read and write, which is the working folder. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stddef.h>

/* Makes it, in memory if there is a place. Its parent is the harness's, too: what is written there stays
 * until the process ends, which removes both. */
void scratch_open(void);

void scratch_write(const char *name, const void *data, size_t size);

/* Removes everything that is in it. */
void scratch_empty(void);

#endif
