/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

#include "buffer.h"
#include "c_text.h"
#include "error.h"
#include "file.h"
#include "header.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { HELP = 1, OUTPUT, PREFIX };

static const struct option options[] = {
    {OUTPUT, "output", 'o', "FILE", "the header to write; - is standard output", false},
    {PREFIX, "prefix", 0, "NAME", "what all names in it start with; by default the archive's\nname", false},
    {HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "header ARCHIVE -o FILE [OPTIONS]",
    .about =
        "Writes a C header, for C++ too, with the names of an archive's modules, kernels and variables,\n"
        "and each kernel's parameter sizes and launch bounds, as constants: what the archive does not\n"
        "have does not compile. A header that would be the same is left alone.",
    .example = "cubinet header kernels.cubinet -o kernels.h",
    .options = options,
};

struct request {
    struct positionals positionals; /* archive */
    const char *output;
    const char *prefix;
    bool help;
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct request *request = data;
    switch (id) {
    case HELP:
        request->help = true;
        return CUBINET_OK;
    case OUTPUT:
        request->output = value;
        return CUBINET_OK;
    case PREFIX:
        request->prefix = value;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&request->positionals, 1, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static bool is_identifier(const char *text)
{
    if (!isalpha((unsigned char)text[0]) && text[0] != '_') {
        return false;
    }
    while (isalnum((unsigned char)*text) || *text == '_') {
        text++;
    }
    return *text == '\0';
}

static cubinet_status parse(struct request *request, int argc, char **argv)
{
    cubinet_status status = command_read(options, argc, argv, take_option, request, &request->help);
    if (status || request->help) {
        return status;
    }
    if (request->positionals.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no archive is given");
    }
    if (!request->output) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no output is given: -o FILE");
    }
    if (request->prefix && !is_identifier(request->prefix)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the prefix '%s' is no C identifier: letters, digits and '_', a digit not first",
                         request->prefix);
    }
    return CUBINET_OK;
}

/* The archive's file name without folders and suffix, as an identifier, which the caller frees. */
static cubinet_status default_prefix(const char *path, char **out_prefix)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    char *stem = strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    struct buffer text = {0};
    if (stem) {
        c_text_identifier(&text, stem);
    }
    free(stem);
    char *prefix = buffer_take(&text);
    if (!stem || !prefix) {
        free(prefix);
        return cbn_error_memory();
    }
    if (!is_identifier(prefix)) {
        free(prefix);
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "'%s' makes no start of C identifiers; give one with --prefix", name);
    }
    *out_prefix = prefix;
    return CUBINET_OK;
}

static cubinet_status write_output(const char *path, const char *text)
{
    if (strcmp(path, "-") == 0) {
        fputs(text, stdout);
        return CUBINET_OK;
    }
    return file_replace_if_different(path, text, strlen(text));
}

static cubinet_status run_header(const struct request *request)
{
    struct shown_archive shown;
    const char *path = request->positionals.values[0];
    cubinet_status status = shown_archive_open(path, NULL, &shown);
    if (status) {
        return status;
    }
    char *made_prefix = NULL;
    char *text = NULL;
    if (!request->prefix) {
        status = default_prefix(path, &made_prefix);
    }
    if (status == CUBINET_OK) {
        status = header_text(&shown, request->prefix ? request->prefix : made_prefix, &text);
    }
    if (status == CUBINET_OK) {
        status = write_output(request->output, text);
    }
    free(text);
    free(made_prefix);
    shown_archive_close(&shown);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    if (parse(&request, argc, argv) != CUBINET_OK) {
        return command_usage("header");
    }
    if (request.help) {
        command_print_help(&help);
        return EXIT_OK;
    }
    return command_exit(run_header(&request));
}

const struct command cmd_header = {"header", "write a C header with the names in an archive", run};
