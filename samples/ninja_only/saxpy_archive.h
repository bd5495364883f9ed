/* SPDX-License-Identifier: Apache-2.0 */
/* The archive inside the program: what `symbol = saxpy_archive` in build.ninja defines. */
#include <stddef.h>

extern const unsigned char saxpy_archive[];
extern const size_t saxpy_archive_size;
