/* SPDX-License-Identifier: Apache-2.0 */
/* A run of bytes that belongs to somebody else. */
#ifndef BYTE_SPAN_H
#define BYTE_SPAN_H

#include <stddef.h>

struct byte_span {
    const void *data; /* NULL: none */
    size_t size;
};

#endif
