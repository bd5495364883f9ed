/* SPDX-License-Identifier: Apache-2.0 */
/* Text inside generated C. */
#ifndef C_TEXT_H
#define C_TEXT_H

#include "base/buffer.h"

#include <stdbool.h>

/* Appends a string literal that has exactly these bytes, in C and in C++, with trigraphs and without. */
void c_text_literal(struct buffer *text, const char *bytes);

/* Appends text that neither ends the comment that it stands in nor makes compilers warn: what is not
 * printable ASCII becomes '?'. */
void c_text_comment(struct buffer *text, const char *bytes);

/* Appends a part of an identifier that tells people what a name or a name expression is:
 * `segsum<float,int,256,4>` becomes segsum_float_int_256_4. Letters become lower case, '*' PTR, '&' REF and a
 * minus sign MINUS (all in lower case, too), bytes beyond ASCII two hexadecimal digits, the rest '_'. Never
 * has it two '_' in a row, or one at an end; it may start with a digit, and be empty. */
void c_text_identifier(struct buffer *text, const char *name);

/* The same of a file's name without its folders and suffix. */
void c_text_file_identifier(struct buffer *text, const char *path);

/* Whether a text is an identifier as it is. */
bool c_text_is_identifier(const char *text);

/* Whether an identifier can't name anything in C++: a keyword, or a macro that compilers define. */
bool c_text_is_keyword(const char *text);

#endif
