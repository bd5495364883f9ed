/* SPDX-License-Identifier: Apache-2.0 */
#include "base/response_file.h"

#include "base/buffer.h"
#include "base/comma_list.h"
#include "base/file.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Deeper nesting is a file that names itself. */
enum { MAX_DEPTH = 16 };

static struct cbn_text_list files_read;

static cubinet_status expand(const char *value, int depth, struct arguments *arguments);

/* Takes over `value`. */
static cubinet_status add(struct arguments *arguments, char *value)
{
    char **values =
        value ? reallocarray(arguments->values, (size_t)arguments->count + 2, sizeof(*values)) : NULL;
    if (!values) {
        free(value);
        return cbn_error_memory();
    }
    arguments->values = values;
    values[arguments->count++] = value;
    values[arguments->count] = NULL;
    return CUBINET_OK;
}

/* Reads the argument that starts at `text`, and returns what follows it. */
static const char *read_argument(const char *text, struct buffer *argument)
{
    char quote = '\0';
    buffer_append(argument, "", 0);
    for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
        if (*text == '\\' && text[1]) {
            buffer_append(argument, ++text, 1);
        } else if (quote ? *text == quote : *text == '\'' || *text == '"') {
            quote = quote ? '\0' : *text;
        } else {
            buffer_append(argument, text, 1);
        }
    }
    return text;
}

static cubinet_status expand_text(const char *text, int depth, struct arguments *arguments)
{
    for (;;) {
        while (isspace((unsigned char)*text)) {
            text++;
        }
        if (!*text) {
            return CUBINET_OK;
        }
        struct buffer argument = {0};
        text = read_argument(text, &argument);
        char *value = buffer_take(&argument);
        cubinet_status status = value ? expand(value, depth, arguments) : cbn_error_memory();
        free(value);
        if (status) {
            return status;
        }
    }
}

/* Notes a file that a build has to look at. */
static cubinet_status note_file(const char *path)
{
    struct stat about;
    const char *suffix = strrchr(path, '.');
    bool is_pipe = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    bool is_temporary = suffix && strcmp(suffix, ".rsp") == 0;
    return !is_pipe && !is_temporary ? cbn_text_list_add_once(&files_read, path) : CUBINET_OK;
}

static cubinet_status expand(const char *value, int depth, struct arguments *arguments)
{
    if (value[0] != '@') {
        return add(arguments, strdup(value));
    }
    char *text;
    size_t size;
    cubinet_status status = file_read(value + 1, &text, &size);
    if (status) {
        return cbn_error_context(status, "no arguments from '%s'", value);
    }
    if (depth == MAX_DEPTH) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' names itself", value + 1);
    } else if (strlen(text) != size) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' is not text with arguments", value + 1);
    } else {
        status = note_file(value + 1);
    }
    if (!status) {
        status = expand_text(text, depth + 1, arguments);
    }
    free(text);
    return status;
}

/* Hands over what was expanded, or frees it after a failure. */
static cubinet_status finish(cubinet_status status, struct arguments *arguments,
                             struct arguments *out_arguments)
{
    if (status) {
        arguments_free(arguments);
    } else {
        *out_arguments = *arguments;
    }
    return status;
}

cubinet_status arguments_expand(int count, char *const *values, struct arguments *out_arguments)
{
    struct arguments arguments = {0};
    cubinet_status status = CUBINET_OK;
    cbn_text_list_free(&files_read);
    for (int i = 0; !status && i < count; i++) {
        status = expand(values[i], 0, &arguments);
    }
    return finish(status, &arguments, out_arguments);
}

/* Where the files of an `-optf` are listed: in the argument itself, or "" if in the next. NULL: it is none.
 */
static const char *option_files(const char *argument)
{
    static const char *const names[] = {"-optf", "--optf", "-options-file", "--options-file"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t size = strlen(names[i]);
        if (strncmp(argument, names[i], size) == 0 && (argument[size] == '\0' || argument[size] == '=')) {
            return argument[size] == '=' ? argument + size + 1 : "";
        }
    }
    return NULL;
}

static cubinet_status expand_files(const char *list, struct arguments *arguments)
{
    struct cbn_text_list files = {0};
    cubinet_status status = comma_list_split_paths(list, &files);
    for (size_t i = 0; !status && i < files.count; i++) {
        char *value = NULL;
        status =
            asprintf(&value, "@%s", files.items[i]) < 0 ? cbn_error_memory() : expand(value, 0, arguments);
        free(value);
    }
    cbn_text_list_free(&files);
    return status;
}

/* Replaces what stands for arguments, once: what comes out may have such again. */
static cubinet_status expand_once(int count, char *const *values, const struct option_reader *reader,
                                  struct arguments *arguments, bool *out_changed)
{
    static const char shell[] = "SHELL:";
    cubinet_status status = CUBINET_OK;
    bool are_options = true;
    *out_changed = false;
    for (int i = 0; !status && i < count; i++) {
        are_options &= strcmp(values[i], "--") != 0;
        const char *list = are_options ? option_files(values[i]) : NULL;
        bool is_shell = are_options && strncmp(values[i], shell, strlen(shell)) == 0;
        *out_changed |= list || is_shell;
        if (is_shell) {
            status = expand_text(values[i] + strlen(shell), 0, arguments);
        } else if (!list) {
            bool has_value = are_options && i + 1 < count && option_takes_next(reader, values[i]);
            status = add(arguments, strdup(values[i]));
            if (!status && has_value) {
                status = add(arguments, strdup(values[++i]));
            }
        } else if (*list || i + 1 < count) {
            status = expand_files(*list ? list : values[++i], arguments);
        } else {
            status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '%s' needs a value: FILE", values[i]);
        }
    }
    return status;
}

cubinet_status arguments_expand_for_compile(int count, char *const *values,
                                            const struct option_reader *reader,
                                            struct arguments *out_arguments)
{
    struct arguments arguments = {0};
    bool changed = false;
    cubinet_status status = expand_once(count, values, reader, &arguments, &changed);
    for (int depth = 0; !status && changed; depth++) {
        struct arguments next = {0};
        status = depth < MAX_DEPTH
                     ? expand_once(arguments.count, arguments.values, reader, &next, &changed)
                     : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "a file of '-optf' names itself");
        arguments_free(&arguments);
        arguments = next;
    }
    return finish(status, &arguments, out_arguments);
}

cubinet_status arguments_add_files(struct cbn_text_list *paths)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < files_read.count; i++) {
        status = cbn_text_list_add_once(paths, files_read.items[i]);
    }
    return status;
}

void arguments_free(struct arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++) {
        free(arguments->values[i]);
    }
    free(arguments->values);
    *arguments = (struct arguments){0};
}
