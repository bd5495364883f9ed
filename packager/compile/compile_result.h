/* SPDX-License-Identifier: Apache-2.0 */
/* What a compile made, as bytes: the archive and what the compilers said. They are packed (packed_bytes.h).
 */
#ifndef COMPILE_RESULT_H
#define COMPILE_RESULT_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

struct compile_result {
    const void *archive;
    size_t archive_size;
    const char *messages; /* NUL-terminated */
};

/* No result is larger: a limit to what is allocated for bytes of which nothing is known. */
#define COMPILE_RESULT_MOST ((size_t)1 << 31)

/* Unpacks a result, which points into `*out_bytes`; the caller frees those. False if the bytes are none, or
 * would be more than `most`. */
bool compile_result_read(const void *packed, size_t size, size_t most, char **out_bytes,
                         struct compile_result *out_result);

void compile_result_write(const struct compile_result *result, struct buffer *out);

#endif
