/* SPDX-License-Identifier: Apache-2.0 */
/* Checking UTF-8: what names in an archive are, and what JSON wants. */
#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character that text starts with; 0 if it is no UTF-8 (truncated, overlong, a surrogate). */
size_t utf8_character(const char *text, size_t size);

bool utf8_valid(const char *text);

#endif
