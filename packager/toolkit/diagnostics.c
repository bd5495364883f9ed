/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/diagnostics.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    const char *nvrtc;
    const char *gcc;
    bool is_error;
    bool is_warning;
    bool is_last; /* it ends the compile, and is what says why */
};

enum { KIND_ERROR, KIND_WARNING };

static const struct kind kinds[] = {
    [KIND_ERROR] = {"error", "error", true, false, false},
    [KIND_WARNING] = {"warning", "warning", false, true, false},
    {"catastrophic error", "fatal error", true, false, true},
    {"internal error", "internal error", true, false, true},
    {"remark", "remark", false, false, false},
    {"note", "note", false, false, false},
};

/* Where NVRTC parses name expressions, and the line of it that it shows. */
static const char expression_file[] = "__nv_name_map";
static const char expression_line[] = "#pragma nv_mangled_name ";

/* How NVRTC starts what it says of each function and variable without annotation, and what is said once in
 * place of it. */
static const struct {
    const char *start;
    const char *message;
    const char *others;
} unannotated[] = {
    {"A function without execution space annotations",
     "a function without __device__ or __global__ is host code, which is not compiled here; with "
     "--default-device all such functions are device code",
     "function"},
    {"A namespace scope variable without memory space annotations",
     "a variable without __device__ or __constant__ is for the host, and not compiled here; with "
     "--default-device all such variables are for the device",
     "variable"},
};

/* One mistake in a source is often many errors in headers that are not the user's: so many of them are
 * enough. */
enum { QUIET_FOLDER_ERRORS = 5 };

enum { UNANNOTATED_KINDS = sizeof(unannotated) / sizeof(unannotated[0]) };

/* Lines that say nothing that is not said elsewhere: they start with one of these … */
static const char *const noise_starts[] = {"Remark: The warnings can be suppressed with",
                                           "Compilation terminated.", "Compilation aborted.",
                                           "Error limit reached."};
/* … or contain this, after a count. */
static const char noise_count[] = " detected in the compilation of ";

struct line {
    const char *text;
    size_t size;
};

/* A line that starts a message: path(number): kind: text. */
struct head {
    struct line path;
    size_t number;
    const struct kind *kind;
    struct line code; /* "177-D" of "warning #177-D", or empty */
    struct line message;
};

static bool starts_with(struct line line, const char *text)
{
    size_t size = strlen(text);
    return line.size >= size && memcmp(line.text, text, size) == 0;
}

static struct line rest_of(struct line line, size_t from)
{
    return (struct line){line.text + from, line.size - from};
}

/* Reads "kind: text" or "kind #code: text". */
static bool read_kind(struct line line, struct head *head)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (!starts_with(line, kinds[i].nvrtc)) {
            continue;
        }
        struct line rest = rest_of(line, strlen(kinds[i].nvrtc));
        head->kind = &kinds[i];
        head->code = (struct line){rest.text, 0};
        if (starts_with(rest, " #")) {
            const char *colon = memchr(rest.text, ':', rest.size);
            if (!colon) {
                return false;
            }
            size_t size = (size_t)(colon - rest.text);
            head->code = (struct line){rest.text + 2, size - 2};
            rest = rest_of(rest, size);
        }
        if (!starts_with(rest, ": ")) {
            return false;
        }
        head->message = rest_of(rest, 2);
        return true;
    }
    return false;
}

static bool read_head(struct line line, struct head *head)
{
    for (size_t open = 0; open < line.size; open++) {
        size_t digits = open + 1;
        if (line.text[open] != '(') {
            continue;
        }
        while (digits < line.size && isdigit((unsigned char)line.text[digits])) {
            digits++;
        }
        if (digits > open + 1 && starts_with(rest_of(line, digits), "): ") &&
            read_kind(rest_of(line, digits + 3), head)) {
            head->path = (struct line){line.text, open};
            head->number = strtoul(line.text + open + 1, NULL, 10);
            return true;
        }
    }
    return false;
}

/* Reads the head of a message about the end of the source, which names no file. */
static bool read_end_head(struct line line, const struct diagnostics_options *options, struct head *head)
{
    static const char start[] = "At end of source: ";
    if (!starts_with(line, start) || !read_kind(rest_of(line, strlen(start)), head)) {
        return false;
    }
    head->path = (struct line){options->source, strlen(options->source)};
    head->number = options->last_line;
    return true;
}

static struct line next_line(const char **at)
{
    struct line line = {*at, strcspn(*at, "\n")};
    *at += line.size + ((*at)[line.size] == '\n');
    return line;
}

static bool is_noise(struct line line)
{
    for (size_t i = 0; i < sizeof(noise_starts) / sizeof(noise_starts[0]); i++) {
        if (starts_with(line, noise_starts[i])) {
            return true;
        }
    }
    bool is_count = isdigit((unsigned char)line.text[0]) || starts_with(line, " and ");
    return is_count && memmem(line.text, line.size, noise_count, strlen(noise_count));
}

static bool is_in_quiet_folder(const struct diagnostics_options *options, struct line path)
{
    for (size_t i = 0; i < options->quiet_folder_count; i++) {
        const char *folder = options->quiet_folders[i];
        if (starts_with(path, folder) && path.size > strlen(folder) && path.text[strlen(folder)] == '/') {
            return true;
        }
    }
    return false;
}

static char *copy(struct line line)
{
    return strndup(line.text, line.size);
}

/* NVRTC repeats the expression at the end of some of what it says of it: this, the expression, a quote. */
static const char repeated[] = ". Input name expression was: \" ";

static struct line without_input(struct line message)
{
    const char *end = memmem(message.text, message.size, repeated, strlen(repeated));
    return (struct line){message.text, end ? (size_t)(end - message.text) : message.size};
}

/* The expression that a message is about: in the line that is shown after it or, by NVRTC 12.0, which shows
 * none, at its end. Empty if it is in neither. */
static struct line expression_of(struct line message, struct line shown)
{
    const char *start = memmem(shown.text, shown.size, expression_line, strlen(expression_line));
    if (start) {
        return rest_of(shown, (size_t)(start - shown.text) + strlen(expression_line));
    }
    size_t before = without_input(message).size + strlen(repeated);
    return before < message.size ? (struct line){message.text + before, message.size - before - 1}
                                 : (struct line){message.text, 0};
}

/* Keeps the first refused expression. NVRTC goes on about one in several messages, of which the first says
 * why. */
static void read_expression(const struct head *head, const char *after, struct diagnostics *out)
{
    if (out->refused_expression || !head->kind->is_error) {
        return;
    }
    struct line expression = expression_of(head->message, next_line(&after));
    if (!out->refused_because) {
        out->refused_because = copy(without_input(head->message));
    }
    if (expression.size > 0) {
        out->refused_expression = copy(expression);
    }
}

/* The line of source that NVRTC shows starts with so many spaces. */
enum { SHOWN_INDENT = 2 };

/* Where the caret stands in the line that is shown before this one: its index there. SIZE_MAX for a line that
 * is not a caret's. */
static size_t caret_of(struct line line)
{
    size_t spaces = 0;
    while (spaces < line.size && (line.text[spaces] == ' ' || line.text[spaces] == '\t')) {
        spaces++;
    }
    bool is_caret = spaces >= SHOWN_INDENT && spaces + 1 == line.size && line.text[spaces] == '^';
    return is_caret ? spaces - SHOWN_INDENT : SIZE_MAX;
}

/* "3" or, where a line of source with a caret under it follows, "3:14". */
static void write_place(struct buffer *text, size_t number, const char *after)
{
    next_line(&after);
    size_t caret = caret_of(next_line(&after));
    buffer_printf(text, "%zu", number);
    if (caret != SIZE_MAX) {
        buffer_printf(text, ":%zu", caret + 1);
    }
}

/* `after`: what follows in the log. */
static void write_head(struct buffer *text, const struct head *head, const char *after)
{
    buffer_printf(text, "%.*s:", (int)head->path.size, head->path.text);
    write_place(text, head->number, after);
    buffer_printf(text, ": %s: %.*s", head->kind->gcc, (int)head->message.size, head->message.text);
    if (head->code.size > 0) {
        buffer_printf(text, " [%.*s]", (int)head->code.size, head->code.text);
    }
    buffer_puts(text, "\n");
}

struct reading {
    const struct diagnostics_options *options;
    struct diagnostics *out;
    struct buffer text;    /* of what was read */
    struct buffer message; /* the one that is being read: a head and the lines after it */
    const struct kind *kind;
    bool in_quiet_folder; /* what it is about */
    bool skip;            /* until the next head */
    size_t caret_moved;   /* to the left, under a line that was cut */
    size_t quiet_folder_errors;
    size_t left_out;
    struct {
        size_t count;
        struct buffer lines; /* where they are, but for the first */
    } unannotated[UNANNOTATED_KINDS];
    bool failed;
};

/* Whether an error is one too many. */
static bool is_beyond_limit(struct reading *reading)
{
    size_t limit = reading->options->error_limit;
    if (limit == 0 || !reading->kind || !reading->kind->is_error || reading->kind->is_last) {
        return false;
    }
    reading->quiet_folder_errors += reading->in_quiet_folder;
    bool follows = reading->in_quiet_folder && reading->quiet_folder_errors > QUIET_FOLDER_ERRORS;
    return follows || reading->out->errors - reading->left_out >= limit;
}

/* Ends the message that was being read: adds it to the text and counts it, unless it was said before. */
static void end_message(struct reading *reading)
{
    const char *said = reading->options->already_said;
    if (reading->message.size > 0 && !(said && strstr(said, reading->message.data))) {
        if (is_beyond_limit(reading)) {
            reading->left_out++;
        } else {
            buffer_append(&reading->text, reading->message.data, reading->message.size);
        }
        reading->out->errors += reading->kind && reading->kind->is_error;
        reading->out->warnings += reading->kind && reading->kind->is_warning;
    }
    reading->text.failed |= reading->message.failed;
    reading->message.size = 0;
    reading->kind = NULL;
}

static void note_error(struct reading *reading, const struct head *head)
{
    struct diagnostics *out = reading->out;
    const char *source = reading->options->source;
    if (head->path.size != strlen(source) || !starts_with(head->path, source)) {
        return;
    }
    size_t *lines = reallocarray(out->source_errors, out->source_error_count + 1, sizeof(*lines));
    if (!lines) {
        reading->failed = true;
        return;
    }
    lines[out->source_error_count++] = head->number;
    out->source_errors = lines;
}

/* Says of the first function or variable without annotation what to do; of the others, at the end, where they
 * are. */
static void read_unannotated(struct reading *reading, struct head *head)
{
    for (size_t i = 0; i < UNANNOTATED_KINDS; i++) {
        if (!starts_with(head->message, unannotated[i].start)) {
            continue;
        }
        struct buffer *lines = &reading->unannotated[i].lines;
        head->message = (struct line){unannotated[i].message, strlen(unannotated[i].message)};
        reading->skip = reading->unannotated[i].count++ > 0;
        if (reading->skip) {
            buffer_printf(lines, "%s%.*s:%zu", lines->size > 0 ? ", " : "", (int)head->path.size,
                          head->path.text, head->number);
        }
        return;
    }
}

static void say_other_unannotated(struct reading *reading)
{
    for (size_t i = 0; i < UNANNOTATED_KINDS; i++) {
        struct buffer *lines = &reading->unannotated[i].lines;
        if (lines->size > 0) {
            size_t others = reading->unannotated[i].count - 1;
            buffer_printf(&reading->text, "%s: note: %zu other %s%s without annotation: %s\n",
                          reading->options->source, others, unannotated[i].others, others == 1 ? "" : "s",
                          lines->data);
        }
        reading->failed |= lines->failed;
        buffer_free(lines);
    }
}

static void say_left_out(struct reading *reading)
{
    if (reading->left_out > 0) {
        buffer_printf(&reading->text, "%s: note: %zu more error%s left out; --error-limit=0 shows all\n",
                      reading->options->source, reading->left_out, reading->left_out == 1 ? " is" : "s are");
    }
}

static void read_message_head(struct reading *reading, struct head *head, const char *after)
{
    bool in_expression =
        head->path.size == strlen(expression_file) && starts_with(head->path, expression_file);
    bool is_followed_up = !head->kind->is_error && !head->kind->is_warning;
    if (is_followed_up && (reading->skip || reading->kind)) {
        /* A note belongs to the message before it. */
        if (!reading->skip) {
            write_head(&reading->message, head, after);
        }
        return;
    }
    end_message(reading);
    reading->in_quiet_folder = is_in_quiet_folder(reading->options, head->path);
    bool is_quiet = reading->options->no_warnings || reading->in_quiet_folder;
    reading->skip = in_expression || (head->kind->is_warning && is_quiet);
    if (in_expression) {
        read_expression(head, after, reading->out);
    } else if (head->kind->is_error) {
        note_error(reading, head);
    }
    if (!in_expression) {
        read_unannotated(reading, head);
    }
    if (!reading->skip) {
        reading->kind = head->kind;
        write_head(&reading->message, head, after);
    }
}

/* A message of NVRTC's that is about no file: about the source as a whole, then. */
static void read_general(struct reading *reading, const struct kind *kind, struct line text)
{
    end_message(reading);
    reading->in_quiet_folder = false;
    reading->skip = kind->is_warning && reading->options->no_warnings;
    if (reading->skip) {
        return;
    }
    reading->kind = kind;
    buffer_printf(&reading->message, "%s: %s: %.*s\n", reading->options->source, kind->gcc, (int)text.size,
                  text.text);
}

/* So much of a long line is shown, and so much of that before the caret. */
enum { SHOWN_SIZE = 100, SHOWN_BEFORE_CARET = 60 };

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* A line of source, cut around the caret in the line after it, which is then drawn where that is now. */
static void write_shown(struct reading *reading, struct line line, const char *after)
{
    size_t caret = caret_of(next_line(&after));
    if (caret == SIZE_MAX || line.size <= SHOWN_INDENT + SHOWN_SIZE) {
        size_t drawn = caret_of(line);
        int moved = drawn == SIZE_MAX ? 0 : (int)reading->caret_moved;
        buffer_printf(&reading->message, "%.*s\n", (int)line.size - moved, line.text + moved);
        reading->caret_moved = 0;
        return;
    }
    struct line source = rest_of(line, SHOWN_INDENT);
    static const char dots[] = "...";
    size_t start = caret > SHOWN_BEFORE_CARET + strlen(dots) ? caret - SHOWN_BEFORE_CARET : 0;
    size_t end = start + SHOWN_SIZE < source.size ? start + SHOWN_SIZE : source.size;
    while (start > 0 && is_inside_character(source.text[start])) {
        start--;
    }
    while (end < source.size && is_inside_character(source.text[end])) {
        end++;
    }
    buffer_printf(&reading->message, "  %s%.*s%s\n", start > 0 ? dots : "", (int)(end - start),
                  source.text + start, end < source.size ? dots : "");
    reading->caret_moved = start > 0 ? start - strlen(dots) : 0;
}

static void read_line(struct reading *reading, struct line line, const char *after)
{
    static const char option_start[] = "nvrtc: error: ";
    static const char warning_start[] = "nvrtc: warning: ";
    static const char command_line_start[] = "Command-line error: ";
    struct head head;
    if (line.size == 0 || is_noise(line)) {
        return;
    }
    if (read_head(line, &head) || read_end_head(line, reading->options, &head)) {
        read_message_head(reading, &head, after);
    } else if (starts_with(line, option_start)) {
        if (!reading->out->refused_option) {
            reading->out->refused_option = copy(rest_of(line, strlen(option_start)));
        }
    } else if (starts_with(line, warning_start)) {
        read_general(reading, &kinds[KIND_WARNING], rest_of(line, strlen(warning_start)));
    } else if (starts_with(line, command_line_start)) {
        read_general(reading, &kinds[KIND_ERROR], rest_of(line, strlen(command_line_start)));
    } else if (!reading->skip) {
        write_shown(reading, line, after);
    }
}

cubinet_status diagnostics_read(const char *log, const struct diagnostics_options *options,
                                struct diagnostics *out_diagnostics)
{
    struct diagnostics made = {0};
    struct reading reading = {.options = options, .out = &made};
    for (const char *at = log; *at;) {
        struct line line = next_line(&at);
        read_line(&reading, line, at);
    }
    end_message(&reading);
    say_other_unannotated(&reading);
    say_left_out(&reading);
    buffer_free(&reading.message);
    made.text = buffer_take(&reading.text);
    if (!made.text || reading.failed) {
        diagnostics_free(&made);
        return cbn_error_memory();
    }
    *out_diagnostics = made;
    return CUBINET_OK;
}

void diagnostics_free(struct diagnostics *diagnostics)
{
    free(diagnostics->text);
    free(diagnostics->source_errors);
    free(diagnostics->refused_option);
    free(diagnostics->refused_expression);
    free(diagnostics->refused_because);
    *diagnostics = (struct diagnostics){0};
}
