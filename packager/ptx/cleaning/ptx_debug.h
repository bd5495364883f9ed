/* SPDX-License-Identifier: Apache-2.0 */
/* Names inside PTX's debug information, where they are written as numbers: ".b8 95,90,78". */
#ifndef PTX_DEBUG_H
#define PTX_DEBUG_H

#include "ptx/cleaning/ptx_names.h"

/* Appends the text with stable names in its sections. Runs of bytes that had an unstable one are written
 * anew, 40 numbers a line. If there is a .debug_info section, in which other numbers depend on the place of
 * each byte, names are changed only if their sizes stay. */
void ptx_append_stable_debug(const char *text, size_t size, const struct ptx_name_tail *tail,
                             struct buffer *out);

#endif
