/* SPDX-License-Identifier: Apache-2.0 */
/* What to say of a header that the compiler did not find: the nearest name there is, and where it looked. */
#ifndef MISSING_HEADER_H
#define MISSING_HEADER_H

#include "base/buffer.h"
#include "loader/core/support/text_list.h"

/* Appends notes on the first header that these messages of a compiler, in gcc's form, say is missing, unless
 * the notes say already what it is. `options`: the compiler's, of which -I is looked at. */
void missing_header_explain(const char *messages, const struct cbn_text_list *options, struct buffer *notes);

#endif
