/* SPDX-License-Identifier: Apache-2.0 */
#include "base/depfile.h"

#include "base/atomic_file.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/terminal.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* The input that never exists. */
static const char never[] = ".cubinet-look-again";

/* What both read as it is, beside letters, digits and bytes of UTF-8. */
static const char plain[] = "+,/_.~()}{%=@[]!-";

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) ||
           (c && strchr(plain, c));
}

static const char *escape_of(char c)
{
    return c == ' ' ? "\\ " : c == '#' ? "\\#" : c == ':' ? "\\:" : c == '$' ? "$$" : NULL;
}

bool depfile_can_write(const char *path)
{
    for (; *path; path++) {
        if (!is_plain(*path) && !escape_of(*path)) {
            return false;
        }
    }
    return true;
}

static void write_path(struct buffer *text, const char *path)
{
    /* make knows ~ as a home folder where a path starts with it. */
    buffer_puts(text, path[0] == '~' ? "./" : "");
    for (; *path; path++) {
        const char *escape = escape_of(*path);
        if (escape) {
            buffer_puts(text, escape);
        } else {
            buffer_append(text, path, 1);
        }
    }
}

/* Writes a path after `before`, unless it can't be written. */
static bool write_input(struct buffer *text, const char *before, const char *path)
{
    if (!depfile_can_write(path)) {
        return false;
    }
    buffer_puts(text, before);
    write_path(text, path);
    return true;
}

/* make takes "target: a=b" for a variable: the place of a path that may come first, or 0. */
static size_t first_to_write(const struct depfile *depfile)
{
    for (size_t i = 0; i < depfile->path_count; i++) {
        if (!strchr(depfile->paths[i], '=')) {
            return i;
        }
    }
    return 0;
}

cubinet_status depfile_text(const struct depfile *depfile, char **out_text)
{
    struct buffer text = {0};
    bool look_again = false;
    write_path(&text, depfile->target);
    buffer_puts(&text, ":");
    size_t first = first_to_write(depfile);
    for (size_t i = 0; i < depfile->path_count; i++) {
        size_t place = i == 0 ? first : i <= first ? i - 1 : i;
        look_again |= !write_input(&text, " \\\n  ", depfile->paths[place]);
    }
    if (look_again) {
        buffer_printf(&text, " \\\n  %s\n\n%s:", never, never);
    }
    buffer_puts(&text, "\n");
    for (size_t i = 1; depfile->phony && i < depfile->path_count; i++) {
        if (write_input(&text, "\n", depfile->paths[i])) {
            buffer_puts(&text, ":\n");
        }
    }
    *out_text = buffer_take(&text);
    return *out_text ? CUBINET_OK : cbn_error_memory();
}

cubinet_status depfile_write(const struct depfile *depfile, const char *path)
{
    char *text = NULL;
    cubinet_status status = depfile_text(depfile, &text);
    if (!status && path) {
        status = file_replace_how(path, text, strlen(text), ATOMIC_FILE_UNSYNCED);
    } else if (!status) {
        terminal_bytes(text, strlen(text));
    }
    free(text);
    return status;
}
