/* SPDX-License-Identifier: Apache-2.0 */
/* Source that other systems generate, read from one landmark to the next. It need not end in a NUL. */
#ifndef IMPORT_TEXT_H
#define IMPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct import_text {
    const char *at;
    const char *end;
};

/* Moves past the next `mark`; false, and nothing moves, if there is none. */
bool import_text_skip_to(struct import_text *text, const char *mark);

/* The letters, digits and '_' from `at` on; where they start, if they end at `at`. */
size_t import_text_word(const struct import_text *text);
const char *import_text_word_before(const char *start, const char *at);

/* A decimal number after blanks, below UINT32_MAX; nothing moves if there is none. */
bool import_text_number(struct import_text *text, uint32_t *out_number);

#endif
