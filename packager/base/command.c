/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"

#include "base/colour.h"
#include "base/interrupt.h"
#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void command_start(void)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error like a full disk */
    json_output_start();
}

static int failed_exit = EXIT_FAILED;

void command_fails_with(int exit_status)
{
    failed_exit = exit_status;
}

int command_failed(void)
{
    interrupt_let_end();
    fflush(stdout); /* so that both come in order where they go to one terminal */
    if (colour_is_on(stderr)) {
        fputs("cubinet: ", stderr);
        colour_print(stderr, COLOUR_RED, "error: ");
        fprintf(stderr, "%s\n", cubinet_error_message());
    } else {
        fprintf(stderr, "cubinet: error: %s\n", cubinet_error_message()); /* one write: others print too */
    }
    return failed_exit;
}

int command_usage(const char *command)
{
    command_failed();
    if (command) {
        fprintf(stderr, "Try 'cubinet %s --help'.\n", command);
    } else {
        fputs("Try 'cubinet --help'.\n", stderr);
    }
    return EXIT_USAGE;
}

void command_warning(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) {
        text = NULL;
    }
    va_end(args);
    text = cbn_text_shown(text, CBN_TEXT_LINE | CBN_TEXT_TAB); /* names may come from anywhere */
    fflush(stdout);
    fputs("cubinet: ", stderr);
    colour_print(stderr, COLOUR_MAGENTA, "warning: ");
    fprintf(stderr, "%s\n", text ? text : "out of memory");
    free(text);
}

int command_exit(cubinet_status status)
{
    return !status ? EXIT_OK : command_failed();
}

cubinet_status command_read(const struct option *options, int argc, char **argv, command_option_fn take,
                            void *data, bool *out_help)
{
    struct option_reader reader = {.options = options, .argc = argc, .argv = argv};
    cubinet_status status = CUBINET_OK;
    int id;
    while (!status && (id = option_next(&reader)) != OPTION_END) {
        if (id == OPTION_HELP) {
            *out_help = true;
            return CUBINET_OK;
        }
        status = id == OPTION_ERROR ? CUBINET_ERROR_INVALID_ARGUMENT : take(data, id, reader.value);
    }
    return status;
}

cubinet_status command_take(struct positionals *positionals, size_t most, const char *value)
{
    if (positionals->count == most) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "there is one argument too many: '%s'", value);
    }
    positionals->values[positionals->count++] = value;
    return CUBINET_OK;
}

cubinet_status command_copy(char **text, const char *value)
{
    free(*text);
    *text = strdup(value);
    return *text ? CUBINET_OK : cbn_error_memory();
}

cubinet_status command_number(const char *text, const char *what, uint32_t least, uint32_t most,
                              uint32_t *out_number)
{
    char *end = NULL;
    unsigned long long number = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    if (!end || *end || number < least || number > most) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' is not a number of %s, %u to %u", text, what,
                         least, most);
    }
    *out_number = (uint32_t)number;
    return CUBINET_OK;
}
