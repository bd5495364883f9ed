/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that the compiler gives to things of a whole module: labels, strings, calls. */
#ifndef PTX_RENUMBER_H
#define PTX_RENUMBER_H

#include "base/buffer.h"

/* Appends a text with such things numbered in the order in which they come, so that the text of a kernel
 * stays the same when another one changes. Names of functions for messages, "__unnamed_1", get a name of the
 * compiler's own: they are nothing that the host would ask for. */
void ptx_append_renumbered(const char *text, size_t size, struct buffer *out);

#endif
