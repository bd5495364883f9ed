/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's headers that declare integers of 64 bits, read as nvcc has them.
 *
 * Under NVRTC libcu++ declares int64_t and its like as long long, where the C library of 64-bit Linux, and
 * with it nvcc, says long. They are mangled differently: a kernel with such a parameter would have another
 * name than nvcc gives it. The header may be the toolkit's or a project's own, of any version; opened_files.c
 * asks here for each file that it opens as a stream. */
#ifndef INTEGER_HEADER_H
#define INTEGER_HEADER_H

#include <stdio.h>

/* The stream to read instead, if the path is that header's; then the given one is closed. NULL, with errno:
 * it can't be read. */
FILE *integer_header_stream(const char *path, FILE *file);

#endif
