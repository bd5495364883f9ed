/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/assembler_log.h"

#include "loader/core/names/readable.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A line of the log in parts. */
struct line {
    const char *kind; /* as gcc calls it; NULL: a line that stays as it is */
    const char *text;
    size_t size;
    unsigned long ptx_line; /* 0: none is told */
};

/* How nvJitLink and ptxas spell the kinds. */
static const struct {
    const char *spelling;
    const char *kind;
} kinds[] = {
    {"error   : ", "error"},
    {"fatal   : ", "fatal error"},
    {"warning : ", "warning"},
};

/* Lines that only say that there were errors. */
static const char *const noise[] = {
    "ptxas fatal   : Ptx assembly aborted due to errors",
    "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX",
    "ERROR 3: ptxjit:",
    "ERROR 9: finish",
    "ERROR 9: complete",
};

static bool skip(struct line *line, const char *text)
{
    size_t size = strlen(text);
    if (line->size < size || memcmp(line->text, text, size) != 0) {
        return false;
    }
    line->text += size;
    line->size -= size;
    return true;
}

static bool is_noise(struct line line)
{
    for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
        if (skip(&line, noise[i])) {
            return true;
        }
    }
    return false;
}

/* Skips "application ptx input, line 26; ". */
static void read_place(struct line *line)
{
    static const char before[] = ", line ";
    const char *place = memmem(line->text, line->size, before, strlen(before));
    char *end = NULL;
    /* Before a number strtoul() would skip a line's end. */
    if (!place || !isdigit((unsigned char)place[strlen(before)])) {
        return;
    }
    unsigned long number = strtoul(place + strlen(before), &end, 10);
    if (number > 0 && strncmp(end, "; ", 2) == 0) {
        line->ptx_line = number;
        line->size -= (size_t)(end + 2 - line->text);
        line->text = end + 2;
    }
}

static struct line read_line(struct line whole)
{
    struct line line = whole;
    skip(&line, "ptxas ");
    read_place(&line);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (skip(&line, kinds[i].spelling)) {
            line.kind = kinds[i].kind;
            return line;
        }
    }
    return whole;
}

/* A mangled name as people read it, and itself in brackets: 'my::scale(float*)' (_ZN2my5scaleEPf). What is
 * between the quotes starts at `name`. False if it is not mangled. */
static bool append_name(struct buffer *messages, struct cbn_readable *readable, const char *name, size_t size)
{
    char *lowered = size > 2 && strncmp(name, "_Z", 2) == 0 ? strndup(name, size) : NULL;
    const char *full = lowered && readable ? cbn_readable_full(readable, lowered) : NULL;
    if (full) {
        buffer_printf(messages, "%s' (%s)", full, lowered);
    }
    free(lowered);
    return full;
}

/* Appends text with mangled names made readable, and numbers in decimal, as programs state them: ptxas has
 * bytes in hexadecimal. */
static void append_text(struct buffer *messages, struct cbn_readable *readable, const char *text, size_t size)
{
    const char *end = text + size;
    while (text < end) {
        const char *quote = *text == '\'' ? memchr(text + 1, '\'', (size_t)(end - text) - 1) : NULL;
        bool is_number =
            end - text > 2 && text[0] == '0' && text[1] == 'x' && isxdigit((unsigned char)text[2]);
        buffer_append(messages, text, !is_number);
        if (is_number) {
            char *after;
            buffer_printf(messages, "%lu", strtoul(text, &after, 16));
            text = after;
        } else if (quote && append_name(messages, readable, text + 1, (size_t)(quote - text) - 1)) {
            text = quote + 1;
        } else {
            text++;
        }
    }
}

static void append_line(struct buffer *messages, const char *subject, const struct line *line)
{
    struct cbn_readable *readable = line->kind ? cbn_readable_new() : NULL;
    buffer_printf(messages, "%s: %s%s", subject, line->kind ? line->kind : "", line->kind ? ": " : "");
    if (line->kind) {
        append_text(messages, readable, line->text, line->size);
    } else {
        buffer_append(messages, line->text, line->size);
    }
    cbn_readable_free(readable);
    if (line->ptx_line > 0) {
        buffer_printf(messages, " (line %lu of the PTX)", line->ptx_line);
    }
    buffer_puts(messages, "\n");
}

struct assembler_said assembler_log_append(const char *log, const char *subject, bool no_warnings,
                                           struct buffer *messages)
{
    struct assembler_said said = {0};
    for (const char *at = log; *at;) {
        const struct line whole = {.text = at, .size = strcspn(at, "\n")};
        at += whole.size + (at[whole.size] == '\n');
        if (whole.size == 0 || is_noise(whole)) {
            continue;
        }
        struct line line = read_line(whole);
        bool is_error = line.kind && strstr(line.kind, "error");
        bool is_figure = !line.kind && strncmp(line.text, "ptxas", strlen("ptxas")) == 0;
        bool is_warning = !is_error && !is_figure;
        if (is_warning && no_warnings) {
            continue;
        }
        said.errors += is_error;
        said.warnings += is_warning;
        append_line(messages, subject, &line);
    }
    return said;
}

const char *assembler_log_in(const char *message)
{
    static const char start[] = "nvJitLink: ";
    if (strncmp(message, "ptxas: ", strlen("ptxas: ")) == 0) {
        const char *line_end = strchr(message, '\n');
        return line_end ? line_end + 1 : NULL;
    }
    const char *call = strstr(message, start);
    const char *end = call ? strchr(call, ')') : NULL;
    if (!end) {
        return NULL;
    }
    end++;
    return end[0] == '\n' ? end + 1 : strncmp(end, ": ", 2) == 0 ? end + 2 : end;
}
