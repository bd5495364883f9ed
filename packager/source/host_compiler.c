/* SPDX-License-Identifier: Apache-2.0 */
#include "source/host_compiler.h"

#include <string.h>

/* Whether a file defines a macro. */
static bool defines(const struct cxx_file *file, const char *name, size_t size)
{
    for (size_t i = 0; i + 2 < file->tokens.count; i++) {
        const struct cxx_token *token = &file->tokens.items[i];
        if (cxx_is_directive(token, "define") && token[2].size == size &&
            memcmp(token[2].text, name, size) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_macro(const struct host_skip *skip, const char *name, size_t size)
{
    bool is_found = false;
    for (size_t i = 0; size > 0 && i < skip->unit.file_count && !is_found; i++) {
        is_found = defines(skip->unit.files[i], name, size);
    }
    return is_found;
}

/* Whether a line starts with a macro, outside of functions: one that opens a namespace, or declares
 * something. */
static bool starts_with_macro(const struct host_skip *skip, size_t file, unsigned long line)
{
    const struct cxx_tokens *raw = &skip->unit.files[file]->tokens;
    const struct cxx_tokens *tokens = &skip->unit.tokens;
    size_t first = 0;
    size_t made = 0;
    while (first + 1 < raw->count && raw->items[first].line != line) {
        first++;
    }
    while (made + 1 < tokens->count &&
           (tokens->items[made].line != line || tokens->items[made].file != file)) {
        made++;
    }
    size_t number = declarations_innermost(&skip->declarations, made);
    bool is_in_function = number != SIZE_MAX && skip->declarations.items[number].kind == DECLARATION_FUNCTION;
    return !is_in_function && is_macro(skip, raw->items[first].text, raw->items[first].size);
}

/* Whether the compiler misses what was read as a macro. */
static bool misses_macro(const struct host_skip *skip, size_t file, unsigned long line, const char *said)
{
    static const char missing[] = "identifier \"";
    const char *name = said + strlen(missing);
    return strncmp(said, missing, strlen(missing)) == 0 &&
           (is_macro(skip, name, strcspn(name, "\"\n")) || starts_with_macro(skip, file, line));
}

bool host_compiler_is_refused(const char *said)
{
    static const char refusal[] = "#error directive: ";
    return strncmp(said, refusal, strlen(refusal)) == 0;
}

bool host_compiler_is_wanted(const struct host_skip *skip, size_t file, unsigned long line, const char *said)
{
    return host_compiler_is_refused(said) || misses_macro(skip, file, line, said);
}
