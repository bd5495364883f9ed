/* SPDX-License-Identifier: Apache-2.0 */
/* Text that people read: UTF-8 without characters that control a terminal or change the order in which what
 * is around them is shown. */
#ifndef CBN_TEXT_H
#define CBN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Control characters that a text may have, each the bit of its number. */
#define CBN_TEXT_NUL  (UINT32_C(1) << '\0')
#define CBN_TEXT_TAB  (UINT32_C(1) << '\t')
#define CBN_TEXT_LINE (UINT32_C(1) << '\n')

/* Bytes of the character that a text starts with; 0 if that is not UTF-8 (truncated, overlong, a surrogate).
 */
size_t cbn_text_character(const char *text, size_t size);

/* How many bytes from the start on can be shown as they are. Not among them are bytes that are not UTF-8;
 * the control characters U+0000 to U+001F, unless `controls` has their bits, and U+007F to U+009F; line and
 * paragraph separators, and what embeds, overrides or isolates directions: U+2028 to U+202E, U+2066 to
 * U+2069. */
size_t cbn_text_plain(const void *text, size_t size, uint32_t controls);

/* Writes how the first character, which can't be shown, stands in a text: `\u001b`, or `\xff` for a byte that
 * is not UTF-8. Returns how many bytes that was for. */
enum { CBN_TEXT_ESCAPE_SIZE = 8 };
size_t cbn_text_escape(const char *text, size_t size, char out[CBN_TEXT_ESCAPE_SIZE]);

/* Takes over heap memory and returns it, or a copy with everything escaped that can't be shown. NULL if
 * memory is out, and for NULL. */
char *cbn_text_shown(char *text, uint32_t controls);

static inline bool cbn_starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

#endif
