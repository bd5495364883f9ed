/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the kernels that a source declares, for messages. */
#ifndef KERNEL_NAMES_H
#define KERNEL_NAMES_H

/* The name of a __global__ function in the source's text that is nearest to what the name expression names,
 * which the caller frees; NULL if none is near. Looks at words alone: macros and headers are not followed. */
char *kernel_names_nearest(const char *source, const char *expression);

#endif
