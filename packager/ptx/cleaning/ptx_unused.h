/* SPDX-License-Identifier: Apache-2.0 */
/* Dropping variables that nothing refers to. */
#ifndef PTX_UNUSED_H
#define PTX_UNUSED_H

#include "base/buffer.h"

/* Appends the text without module-scope variables that are of no use: .global and .const variables with
 * neither .visible, .extern, .weak nor .common whose names occur nowhere in what stays. A name in `keep` is
 * an occurrence, one in a comment or string is not. Text with a part that is no PTX is appended whole.
 * Running out of memory shows in the buffer. */
void ptx_drop_unused(const char *text, size_t size, const char *const *keep, size_t keep_count,
                     struct buffer *out);

#endif
