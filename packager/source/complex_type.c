/* SPDX-License-Identifier: Apache-2.0 */
#include "source/complex_type.h"

#include <stdio.h>

size_t complex_type_name(const struct cxx_token *tokens, size_t at, char *name, size_t size)
{
    static const char *const complex[] = {"_Complex", "__complex__", "__complex", NULL};
    static const char *const parts[] = {"float", "double", "long", NULL};
    const struct cxx_token *part = NULL;
    bool found = false;
    size_t next = at;
    for (; next < at + 3 && tokens[next].kind == CXX_WORD; next++) {
        bool is_part = cxx_is_any_word(&tokens[next], parts);
        if (!is_part && !cxx_is_any_word(&tokens[next], complex)) {
            break;
        }
        found |= !is_part;
        part = is_part && !part ? &tokens[next] : part;
    }
    if (!found || next - at < 2 || !part) {
        return at;
    }
    snprintf(name, size, "cubinet_complex<%s%.*s>", cxx_is_word(part, "long") ? "long " : "",
             cxx_is_word(part, "long") ? 6 : (int)part->size,
             cxx_is_word(part, "long") ? "double" : part->text);
    return next;
}
