/* SPDX-License-Identifier: Apache-2.0 */
/* Man pages of the subcommands. */
#include "base/help.h"

#include <cubinet/version.h>

#include <ctype.h>
#include <string.h>

/* One character of text; a dot or quote would start a request at the beginning of a line. */
static void print_char(char c, bool at_start)
{
    if (at_start && (c == '.' || c == '\'')) {
        fputs("\\&", stdout);
    }
    if (c == '\\') {
        fputs("\\e", stdout);
    } else if (c == '-') {
        fputs("\\-", stdout);
    } else {
        putchar(c);
    }
}

static void print_span(const char *text, size_t length)
{
    bool bold = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '`') {
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fR", stdout);
        } else {
            print_char(text[i], i == 0 || text[i - 1] == '\n');
        }
    }
}

void help_print_roff(const char *text)
{
    print_span(text, strlen(text));
}

/* Paragraphs; lines that start with a space are printed as they are. */
static void print_lines(const char *lines)
{
    bool as_is = false;
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        if ((lines[0] == ' ') != as_is) {
            as_is = !as_is;
            puts(as_is ? ".nf" : ".fi");
        }
        if (length == 0) {
            puts(".PP");
        } else {
            print_span(lines, length);
            putchar('\n');
        }
        lines += length + (lines[length] == '\n');
    }
    if (as_is) {
        puts(".fi");
    }
}

static void print_name(const char *text)
{
    for (; *text; text++) {
        putchar(toupper((unsigned char)*text));
    }
}

static void print_usage(const char *usage)
{
    while (*usage) {
        size_t length = strcspn(usage, "\n");
        const char *line = usage + strspn(usage, " ");
        size_t skipped = (size_t)(line - usage);
        if (strncmp(line, "cubinet ", 8) == 0) {
            line += 8;
            skipped += 8;
        }
        fputs(".B cubinet\n", stdout);
        print_span(line, length - skipped);
        usage += length;
        if (*usage) {
            puts("\n.br");
            usage++;
        }
    }
    putchar('\n');
}

static void print_options(const struct option *options)
{
    puts(".SH OPTIONS");
    for (const struct option *option = options; option->id; option++) {
        if (!option->help) {
            continue;
        }
        char label[128];
        option_label(option, label, sizeof(label));
        puts(".TP");
        fputs("\\fB", stdout);
        print_span(label, strlen(label));
        puts("\\fR");
        help_print_roff(option->help);
        putchar('\n');
    }
}

void help_as_man_page(const char *name, const char *summary, const struct command_help *help)
{
    fputs(".TH CUBINET\\-", stdout);
    print_name(name);
    printf(" 1 \"\" \"Cubinet %s\" Cubinet\n.nh\n.ad l\n.SH NAME\ncubinet\\-%s \\- ", cubinet_version(),
           name);
    help_print_roff(summary);
    puts("\n.SH SYNOPSIS");
    print_usage(help->usage);
    puts(".SH DESCRIPTION");
    print_lines(help->about);
    if (help->options) {
        print_options(help->options);
    }
    if (help->print_notes) {
        puts(".SH NOTES\n.nf"); /* lines of a fixed layout */
        help->print_notes(help_print_roff);
        puts(".fi");
    }
    puts(".SH EXIT STATUS\n0 after success, 1 after a failure, 2 after wrong usage.\n.SH EXAMPLES\n.nf");
    help_print_roff(help->example);
    puts("\n.fi\n.SH SEE ALSO\n.BR cubinet (1)");
}
