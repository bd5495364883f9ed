/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting PTX into parts that are assembled and loaded apart: docs/internals/ptx-splitting.md. */
#ifndef PTX_SPLIT_H
#define PTX_SPLIT_H

#include <cubinet/status.h>

#include <stddef.h>

struct ptx_part {
    char *text; /* NUL-terminated */
    size_t size;
};

struct ptx_parts {
    struct ptx_part *items; /* ascending by their first kernels; none, or at least two */
    size_t count;
    char *reason; /* why the text stays whole, for people; NULL if there are parts */
};

/* Splits PTX as finely as its meaning allows. Each kernel is in exactly one part, with everything that it
 * refers to; so is each variable that code writes or that the host can name. What never changes and has no
 * name for the host is copied to the parts that need it.
 *
 * The text of a part depends on nothing but what is in it: labels and strings, which the compiler numbers
 * throughout a module, are numbered for each part. Time and memory are linear in `size` but for what many
 * kernels reach. NULs at the end of the text are not part of it.
 *
 * The only failure is CUBINET_ERROR_OUT_OF_MEMORY. The caller frees what is in `out_parts`. */
cubinet_status ptx_split(const char *text, size_t size, struct ptx_parts *out_parts);
void ptx_parts_free(struct ptx_parts *parts);

#endif
