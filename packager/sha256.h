/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of files, as `sha256sum` prints it: what lists of materials are compared by. */
#ifndef SHA256_H
#define SHA256_H

#include "format.h"

#include <cubinet/status.h>

struct sha256 {
    unsigned char bytes[CBN_SHA256_SIZE];
};

struct sha256 sha256_of(const void *data, size_t size);

/* Reads the file piece by piece. */
cubinet_status sha256_file(const char *path, struct sha256 *out_digest);

/* An order; 0 for equal ones. */
int sha256_compare(const struct sha256 *a, const struct sha256 *b);

#endif
