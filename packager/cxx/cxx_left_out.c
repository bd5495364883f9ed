/* SPDX-License-Identifier: Apache-2.0 */
#include "cxx/cxx_left_out.h"

#include <string.h>

enum { MAX_DEPTH = 64 }; /* of conditions in conditions; deeper ones stay */

/* Whether it is `ifndef MACRO`, `if !defined MACRO` or `if !defined(MACRO)`, and no more. */
static bool asks_for_none(const struct cxx_token *word, const char *macro)
{
    size_t count = (size_t)(cxx_line_end(word) - word);
    if (count == 0 || word[count - 1].line != word->line) {
        return false; /* a line that goes on */
    }
    if (cxx_is_word(word, "ifndef")) {
        return count == 2 && cxx_is_word(word + 1, macro);
    }
    bool is_paired = count == 6 && cxx_is(word + 3, '(') && cxx_is(word + 5, ')');
    return cxx_is_word(word, "if") && (count == 4 || is_paired) && cxx_is(word + 1, '!') &&
           cxx_is_word(word + 2, "defined") && cxx_is_word(word + 3 + is_paired, macro);
}

static void make_true(const struct cxx_token *word, char *text)
{
    static const char always[] = "if 1";
    const struct cxx_token *last = cxx_line_end(word) - 1;
    memset(text + word->offset, ' ', last->offset + last->size - word->offset);
    memcpy(text + word->offset, always, strlen(always));
}

bool cxx_left_out(const struct cxx_tokens *tokens, const char *macro, char *text)
{
    static const char *const starts[] = {"if", "ifdef", "ifndef", NULL};
    static const char *const others[] = {"else", "elif", "elifdef", "elifndef", NULL};
    const struct cxx_token *open[MAX_DEPTH]; /* the words of those that leave out, or NULL */
    size_t depth = 0;
    bool found = false;
    for (const struct cxx_token *at = tokens->items; at->kind != CXX_END; at++) {
        const struct cxx_token *word = at + 1;
        if (!cxx_is(at, '#') || !(at->flags & CXX_STARTS_LINE) || word->flags & CXX_STARTS_LINE) {
            continue;
        }
        if (cxx_is_any_word(word, starts)) {
            if (depth < MAX_DEPTH) {
                open[depth] = asks_for_none(word, macro) ? word : NULL;
            }
            depth++;
        } else if (cxx_is_any_word(word, others) && depth > 0 && depth <= MAX_DEPTH) {
            open[depth - 1] = NULL;
        } else if (cxx_is_word(word, "endif") && depth > 0) {
            depth--;
            bool is_left_out = depth < MAX_DEPTH && open[depth];
            found |= is_left_out;
            if (is_left_out && text) {
                make_true(open[depth], text);
            }
        }
    }
    return found;
}
