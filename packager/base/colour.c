/* SPDX-License-Identifier: Apache-2.0 */
#include "base/colour.h"

#include "base/terminal.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum { AUTO, ALWAYS, NEVER } chosen = AUTO;

bool colour_is_terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    int file = stream == stderr ? STDERR_FILENO : STDOUT_FILENO; /* what is escaped has no descriptor */
    return isatty(file) && term && *term && strcmp(term, "dumb") != 0;
}

cubinet_status colour_choose(const char *when)
{
    static const char *const words[] = {[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never"};
    for (int i = AUTO; i <= NEVER; i++) {
        if (strcmp(when, words[i]) == 0) {
            chosen = i;
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '--color' takes auto, always or never, not '%s'",
                     when);
}

bool colour_is_on(FILE *stream)
{
    const char *none = getenv("NO_COLOR");
    if (chosen != AUTO) {
        return chosen == ALWAYS;
    }
    return !(none && *none) && colour_is_terminal(stream);
}

void colour_print(FILE *stream, enum colour colour, const char *text)
{
    static const char *const codes[] = {
        [COLOUR_RED] = "\033[1;31m",
        [COLOUR_MAGENTA] = "\033[1;35m",
        [COLOUR_CYAN] = "\033[1;36m",
        [COLOUR_GREEN] = "\033[1;32m",
    };
    bool is_on = colour_is_on(stream);
    if (is_on) {
        terminal_control(stream, codes[colour]);
    }
    fputs(text, stream);
    if (is_on) {
        terminal_control(stream, "\033[0m");
    }
}

/* The words that start a message: at the start of a line or after ": ", where compilers put them. */
static const struct {
    const char *word;
    enum colour colour;
} kinds[] = {
    {"error: ", COLOUR_RED},
    {"FAILED: ", COLOUR_RED},
    {"warning: ", COLOUR_MAGENTA},
    {"note: ", COLOUR_CYAN},
};

static bool is_kind(const char *text, size_t *out_kind)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strncmp(text, kinds[i].word, strlen(kinds[i].word)) == 0) {
            *out_kind = i;
            return true;
        }
    }
    return false;
}

/* The first such word in a line; NULL if there is none. */
static const char *find_kind(const char *line, size_t size, size_t *out_kind)
{
    const char *at = line;
    while (at && !is_kind(at, out_kind)) {
        at = memmem(at, size - (size_t)(at - line), ": ", 2);
        at += at ? 2 : 0;
    }
    return at;
}

static void print_line(FILE *stream, const char *line, size_t size)
{
    size_t kind = 0;
    const char *at = find_kind(line, size, &kind);
    if (!at) {
        fwrite(line, 1, size, stream);
        return;
    }
    size_t before = (size_t)(at - line);
    size_t word = strlen(kinds[kind].word);
    fwrite(line, 1, before, stream);
    colour_print(stream, kinds[kind].colour, kinds[kind].word);
    fwrite(at + word, 1, size - before - word, stream);
}

void colour_messages(FILE *stream, const char *lines)
{
    if (!colour_is_on(stream)) {
        fputs(lines, stream);
        return;
    }
    while (*lines) {
        size_t size = strcspn(lines, "\n");
        size += lines[size] == '\n';
        print_line(stream, lines, size);
        lines += size;
    }
}
