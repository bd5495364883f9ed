/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the kernels and variables that a source declares, for messages. The source's text is searched
 * for words alone: macros and headers are not followed. */
#ifndef KERNEL_NAMES_H
#define KERNEL_NAMES_H

#include <stdbool.h>

/* The name of a __global__ function that is nearest to what the name expression names, which the caller
 * frees; NULL if none is near. */
char *kernel_names_nearest(const char *source, const char *expression);

/* The same of __device__ functions. */
char *function_names_nearest(const char *source, const char *expression);

/* The same of __device__, __constant__ and __managed__ variables. */
char *variable_names_nearest(const char *source, const char *expression);

/* Whether the expression names it, whatever namespace, arguments and operators go with it: "scan" of
 * "&my::scan<float>". */
bool kernel_names_match(const char *expression, const char *name);

#endif
