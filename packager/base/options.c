/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"

#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"

#include <string.h>

static void offer_names(struct cbn_nearest *nearest, const struct option *options)
{
    for (const struct option *option = options; option && option->id; option++) {
        if (option->name) {
            cbn_nearest_offer(nearest, option->name);
        }
    }
}

static int fail_unknown(struct option_reader *reader, const char *argument)
{
    if (reader->skips_unknown) {
        reader->value = reader->argv[reader->next++];
        return OPTION_UNKNOWN;
    }
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, argument, strcspn(argument, "="));
    offer_names(&nearest, reader->options);
    offer_names(&nearest, reader->more);
    offer_names(&nearest, reader->last);
    const char *name = cbn_nearest_found(&nearest);
    if (name) {
        cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "unknown option '%s'; the nearest is '--%s'",
                  reader->argv[reader->next], name);
    } else {
        cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "unknown option '%s'", reader->argv[reader->next]);
    }
    return OPTION_ERROR;
}

/* The option that has `text` (an argument without its dashes) for its name, and where its joined value
 * starts, or NULL. */
static const struct option *find_name(const struct option *options, const char *text, const char **out_joined)
{
    size_t length = strcspn(text, "=");
    for (const struct option *option = options; option && option->id; option++) {
        if (option->name && strlen(option->name) == length && strncmp(option->name, text, length) == 0) {
            *out_joined = text[length] == '=' ? text + length + 1 : NULL;
            return option;
        }
    }
    return NULL;
}

/* The same for the one whose letter `text` starts with. */
static const struct option *find_letter(const struct option *options, const char *text,
                                        const char **out_joined)
{
    for (const struct option *option = options; option && option->id; option++) {
        if (option->letter && option->letter == text[0] && (option->value || text[1] == '\0')) {
            *out_joined = text[1] == '\0' ? NULL : text[1] == '=' ? text + 2 : text + 1;
            return option;
        }
    }
    return NULL;
}

/* Names come before letters: -lineinfo does not mean the library `ineinfo`. */
static const struct option *find(const struct option_reader *reader, const char *text, bool one_dash,
                                 const char **out_joined)
{
    const struct option *option = find_name(reader->options, text, out_joined);
    option = option ? option : find_name(reader->more, text, out_joined);
    option = option ? option : find_name(reader->last, text, out_joined);
    if (!option && one_dash) {
        option = find_letter(reader->options, text, out_joined);
        option = option ? option : find_letter(reader->more, text, out_joined);
        option = option ? option : find_letter(reader->last, text, out_joined);
    }
    return option;
}

static int take_value(struct option_reader *reader, const struct option *option, const char *joined)
{
    reader->value = joined;
    if (!option->value && joined) {
        cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '%s' takes no value, but was given '%s'",
                  reader->spelling, joined);
        return OPTION_ERROR;
    }
    if (option->value && !joined && !option->optional_value) {
        if (reader->next >= reader->argc) {
            cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '%s' needs a value: %s", reader->spelling,
                      option->value);
            return OPTION_ERROR;
        }
        reader->value = reader->argv[reader->next++];
    }
    return option->id;
}

static bool is_option(const char *argument)
{
    return argument[0] == '-' && argument[1] != '\0';
}

bool option_takes_next(const struct option_reader *reader, const char *argument)
{
    bool one_dash = argument[0] == '-' && argument[1] != '-';
    const char *joined = NULL;
    const struct option *option =
        is_option(argument) ? find(reader, argument + (one_dash ? 1 : 2), one_dash, &joined) : NULL;
    return option && option->value && !option->optional_value && !joined;
}

int option_next(struct option_reader *reader)
{
    if (reader->next >= reader->argc) {
        return OPTION_END;
    }
    const char *argument = reader->argv[reader->next];
    if (!reader->only_positional && strcmp(argument, "--") == 0) {
        reader->only_positional = true;
        reader->next++;
        return option_next(reader);
    }
    if (reader->only_positional || !is_option(argument)) {
        reader->next++;
        reader->value = argument;
        return OPTION_POSITIONAL;
    }
    bool one_dash = argument[1] != '-';
    const char *text = argument + (one_dash ? 1 : 2);
    const char *joined = NULL;
    const struct option *option = find(reader, text, one_dash, &joined);
    if (!option) {
        return fail_unknown(reader, text);
    }
    size_t length = joined ? (size_t)(joined - argument) : strlen(argument);
    if (joined && joined[-1] == '=') {
        length--;
    }
    snprintf(reader->spelling_text, sizeof(reader->spelling_text), "%.*s", (int)length, argument);
    reader->spelling = reader->spelling_text;
    reader->next++;
    return take_value(reader, option, joined);
}

int option_label(const struct option *option, char *text, size_t capacity)
{
    const char *separator = option->letter && option->name ? ", " : "";
    char letter[4] = "";
    if (option->letter) {
        snprintf(letter, sizeof(letter), "-%c", option->letter);
    }
    const char *before = !option->value ? "" : !option->optional_value ? " " : option->name ? "[=" : "[";
    const char *after = option->value && option->optional_value ? "]" : "";
    return snprintf(text, capacity, "%s%s%s%s%s%s%s", letter, separator, option->name ? "--" : "",
                    option->name ? option->name : "", before, option->value ? option->value : "", after);
}

void options_print(const struct option *options, FILE *file)
{
    enum { COLUMN = 30 };
    for (const struct option *option = options; option->id; option++) {
        if (!option->help) {
            continue;
        }
        char text[128];
        int width = option_label(option, text, sizeof(text));
        fprintf(file, "  %s", text);
        if (width > COLUMN - 4) {
            fputc('\n', file);
            width = -2;
        }
        for (const char *line = option->help; line;) {
            size_t length = strcspn(line, "\n");
            fprintf(file, "%*s%.*s\n", COLUMN - 2 - width, "", (int)length, line);
            line = line[length] ? line + length + 1 : NULL;
            width = -2;
        }
    }
}
