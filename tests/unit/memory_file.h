/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMORY_FILE_H
#define MEMORY_FILE_H

#include <stddef.h>

/* The path of a file in memory with these bytes. It is the same file every time. */
const char *memory_file(const void *bytes, size_t size);

#endif
