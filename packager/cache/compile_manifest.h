/* SPDX-License-Identifier: Apache-2.0 */
/* What compiles that share the first key read: sets of inputs, of which the newest few are kept
 * (docs/reference/cache.md, "Compiles"). Whatever bytes are read as a manifest, nothing beyond them is
 * touched. */
#ifndef COMPILE_MANIFEST_H
#define COMPILE_MANIFEST_H

#include "base/buffer.h"
#include "compile/inputs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct manifest_set {
    uint32_t *items; /* numbers of the manifest's inputs, in the order of struct inputs */
    size_t count;
};

struct compile_manifest {
    struct input *items; /* sizes and times are not kept */
    size_t item_count;
    struct manifest_set *sets; /* the newest first */
    size_t set_count;
};

/* Reads a manifest from its packed bytes (packed_bytes.h). False if they are none, or there is no memory. */
bool compile_manifest_read(const void *packed, size_t size, struct compile_manifest *out_manifest);

/* Appends the packed bytes of a manifest to `out` that has these inputs as its newest set, and after it those
 * of `old` (which may be NULL) that differ, as many as are kept. */
void compile_manifest_write(const struct compile_manifest *old, const struct inputs *newest,
                            struct buffer *out);

/* Makes the inputs of one set; false if there is no memory. */
bool compile_manifest_inputs(const struct compile_manifest *manifest, const struct manifest_set *set,
                             struct inputs *out_inputs);

void compile_manifest_free(struct compile_manifest *manifest);

#endif
