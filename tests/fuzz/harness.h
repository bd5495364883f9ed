/* SPDX-License-Identifier: Apache-2.0 */
/* A harness takes any bytes and has to survive them: no crash, no hang, no memory that it should not touch.
 * libFuzzer looks for bytes that it does not survive (scripts/fuzz.sh); replay.c gives it those of its
 * corpus, in the ordinary test run. One file each, fuzz_*.c. */
#ifndef HARNESS_H
#define HARNESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy in memory of exactly that size, so that the address sanitizer sees the first byte that is read
 * beyond it. */
static inline void *harness_copy(const void *data, size_t size)
{
    void *copy = calloc(1, size > 0 ? size : 1);
    if (!copy) {
        abort();
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

/* The same as text, with a NUL. What is after the first NUL in the data is not read as text. */
static inline char *harness_text(const void *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}

#endif
