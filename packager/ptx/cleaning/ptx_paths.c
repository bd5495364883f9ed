/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/cleaning/ptx_paths.h"

#include "loader/link/ptx_statement.h"

#include <string.h>

/* Appends what the inside of a PTX string stands for: NVVM writes \\, \", \t, \n and the like, and other
 * bytes as three octal digits. */
static void append_unescaped(struct buffer *out, const char *at, const char *end)
{
    static const char escapes[] = "n\nt\tr\rb\bf\fv\va\a";
    while (at < end) {
        char c = *at++;
        if (c == '\\' && at < end) {
            c = *at++;
            const char *escape = memchr(escapes, c, sizeof(escapes) - 1);
            if (c >= '0' && c <= '7') {
                unsigned value = (unsigned)(c - '0');
                for (int i = 0; i < 2 && at < end && *at >= '0' && *at <= '7'; i++) {
                    value = value * 8 + (unsigned)(*at++ - '0');
                }
                c = (char)value;
            } else if (escape && (escape - escapes) % 2 == 0) {
                c = escape[1];
            }
        }
        buffer_append(out, &c, 1);
    }
}

static void append_escaped(struct buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') {
            buffer_printf(out, "\\%c", c);
        } else if (c < ' ' || c > '~') {
            buffer_printf(out, "\\%03o", c);
        } else {
            buffer_append(out, &text[i], 1);
        }
    }
}

static const struct ptx_path_map *find_map(const char *path, const struct ptx_path_map *maps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(path, maps[i].from, strlen(maps[i].from)) == 0) {
            return &maps[i];
        }
    }
    return NULL;
}

/* Appends the text from `at` up to the end of a .file directive, mapped. Returns what was appended up to,
 * `at` itself if there is nothing to change. */
static const char *append_mapped(const char *at, const struct cbn_ptx_statement *file,
                                 const struct ptx_path_map *maps, size_t map_count, struct buffer *out)
{
    struct cbn_ptx_lexer rest = file->rest;
    cbn_ptx_next(&rest); /* its number */
    struct cbn_ptx_token string = cbn_ptx_next(&rest);
    if (string.kind != CBN_PTX_STRING) {
        return at;
    }
    struct buffer path = {0};
    append_unescaped(&path, string.text + 1, string.text + string.size - 1);
    buffer_append(&path, "", 0);
    out->failed |= path.failed;
    const struct ptx_path_map *map = path.failed ? NULL : find_map(path.data, maps, map_count);
    if (map) {
        size_t from = strlen(map->from);
        buffer_append(out, at, (size_t)(string.text + 1 - at));
        append_escaped(out, map->to, strlen(map->to));
        append_escaped(out, path.data + from, path.size - from);
        buffer_puts(out, "\"");
        at = file->end;
    }
    buffer_free(&path);
    return at;
}

void ptx_map_paths(const char *text, size_t size, const struct ptx_path_map *maps, size_t map_count,
                   struct buffer *out)
{
    const char *at = text;
    struct cbn_ptx_lexer lexer = {text, text + size};
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
    while (statement.kind != CBN_PTX_STATEMENT_END && statement.kind != CBN_PTX_STATEMENT_DAMAGED) {
        if (statement.kind == CBN_PTX_STATEMENT_FILE) {
            at = append_mapped(at, &statement, maps, map_count, out);
        }
        statement = cbn_ptx_next_statement(&lexer);
    }
    buffer_append(out, at, (size_t)(text + size - at));
}
