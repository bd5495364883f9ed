/* SPDX-License-Identifier: Apache-2.0 */
/* What `--help` of a subcommand says, and the forms it can be printed in: text, a man page, or the part of a
 * shell's completions. All of them come from the same tables of options. */
#ifndef HELP_H
#define HELP_H

#include "base/options.h"

#include <stdio.h>

/* A subcommand's help. */
struct command_help {
    const char *usage;   /* the arguments after "cubinet ": "list ARCHIVE [OPTIONS]" */
    const char *about;   /* lines; those that start with a space keep their layout */
    const char *example; /* command lines, without indentation */
    const struct option *options;
    const struct option *more; /* options that are accepted but not listed, for completions; NULL: none */
    void (*print_notes)(void (*print)(const char *text)); /* lines after the options; NULL: none */
};

/* Prints one subcommand's help on standard output. */
typedef void (*help_form)(const char *name, const char *summary, const struct command_help *help);

/* The forms. help_as_text() is the default and ignores the first two arguments. */
void help_as_text(const char *name, const char *summary, const struct command_help *help);
void help_as_man_page(const char *name, const char *summary, const struct command_help *help);
void help_as_bash(const char *name, const char *summary, const struct command_help *help);
void help_as_zsh(const char *name, const char *summary, const struct command_help *help);
void help_as_fish(const char *name, const char *summary, const struct command_help *help);

/* Makes command_print_help() print another form, of the subcommand with this name and summary. */
void help_set_form(help_form form, const char *name, const char *summary);

/* Prints the help of a subcommand in the form that was set. */
void command_print_help(const struct command_help *help);

/* Prints text for a man page: escapes what roff would interpret, and sets `code` in bold. */
void help_print_roff(const char *text);

#endif
