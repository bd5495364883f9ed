/* SPDX-License-Identifier: Apache-2.0 */
/* Command-line options, described by a table that reads arguments and prints help.
 *
 * Spellings follow nvcc: a long name with one or two dashes, its value after '=' or as the next argument
 * (`--gencode X`, `-arch=X`); one-letter names take their value joined or as the next argument (`-Idir`, `-I
 * dir`).
 * `--` ends the options. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

enum {
    OPTION_END = -1,        /* no argument is left */
    OPTION_POSITIONAL = -2, /* `value` is an argument that is not an option */
    OPTION_ERROR = -3,      /* the thread's message says what is wrong */
    OPTION_UNKNOWN = -4,    /* `value` is an option of no table, and the reader skips those */
    OPTION_HELP = -5,       /* what tables call --help */
};

struct option {
    int id;              /* what option_next() returns: 1 or more, or OPTION_HELP; 0 ends the table */
    const char *name;    /* long name without dashes, or NULL */
    char letter;         /* one-letter name, or 0 */
    const char *value;   /* what help calls its value; NULL: it takes none */
    const char *help;    /* lines separated by '\n'; NULL: another spelling, not in the help */
    bool optional_value; /* the value can only be joined (`-O3`) and may be missing (`-G`, `-O`) */
};

struct option_reader {
    const struct option *options;
    const struct option *more; /* a second table, looked at after the first; NULL: none */
    const struct option *last; /* a third */
    bool skips_unknown;        /* an unknown option is not an error */
    int argc;
    char **argv; /* without the subcommand's name */
    int next;
    bool only_positional;
    const char *value;    /* of the option just read; NULL if it takes none */
    const char *spelling; /* of the option just read, as the user wrote it up to the value */
    char spelling_text[64];
};

/* The id of the next option, or one of the above. An unknown option's message names the nearest. */
int option_next(struct option_reader *reader);

/* Whether an argument is an option of the reader's tables whose value is the next argument. */
bool option_takes_next(const struct option_reader *reader, const char *argument);

/* Writes how help spells an option with its value, such as "-o, --output FILE"; returns its length. */
int option_label(const struct option *option, char *text, size_t capacity);

/* Prints the table for --help. */
void options_print(const struct option *options, FILE *file);

#endif
