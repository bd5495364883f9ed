/* SPDX-License-Identifier: Apache-2.0 */
#include "base/help.h"

#include <string.h>

static struct {
    help_form form;
    const char *name;
    const char *summary;
} chosen = {.form = help_as_text};

void help_set_form(help_form form, const char *name, const char *summary)
{
    chosen.form = form;
    chosen.name = name;
    chosen.summary = summary;
}

void command_print_help(const struct command_help *help)
{
    chosen.form(chosen.name, chosen.summary, help);
}

static void print_indented(const char *lines)
{
    while (*lines) {
        const char *end = strchrnul(lines, '\n');
        printf("  %.*s\n", (int)(end - lines), lines);
        lines = *end ? end + 1 : end;
    }
}

static void print_text(const char *text)
{
    fputs(text, stdout);
}

void help_as_text(const char *name, const char *summary, const struct command_help *help)
{
    (void)name;
    (void)summary;
    printf("Usage: cubinet %s\n\n%s\n", help->usage, help->about);
    if (help->options) {
        puts("\nOptions:");
        options_print(help->options, stdout);
    }
    if (help->print_notes) {
        putchar('\n');
        help->print_notes(print_text);
    }
    puts("\nExample:");
    print_indented(help->example);
}
