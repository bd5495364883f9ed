/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/buffer.h"
#include "base/c_text.h"
#include "base/file.h"
#include "base/outputs.h"
#include "loader/core/support/error.h"
#include "process/trace.h"
#include "show/header.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { OUTPUT = 1, PREFIX, EMBEDDED, CXX };

static const struct option options[] = {
    {OUTPUT, "output", 'o', "FILE", "the header to write; '-' is standard output", false},
    {PREFIX, "prefix", 0, "NAME", "prefix of all names (default: the archive's name)", false},
    {EMBEDDED, "embedded", 0, "SYMBOL",
     "declare SYMBOL and SYMBOL_size, the bytes of an archive that\nis embedded in the program", false},
    {CXX, "c++", 0, NULL, "add a C++17 function object for each kernel, in a namespace", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "header ARCHIVE -o FILE [OPTIONS]",
    .about = "Writes a C and C++ header with the names of an archive's modules, kernels and variables, each "
             "kernel's\nlaunch bounds, and a function that launches it. Wrong names and arguments then do "
             "not compile. A\nheader that would stay the same is not touched.",
    .example = "cubinet header kernels.cubinet -o kernels.h",
    .options = options,
};

struct request {
    struct positionals positionals; /* archive */
    const char *output;
    struct header_options header;
    bool help;
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct request *request = data;
    switch (id) {
    case OUTPUT:
        request->output = value;
        return CUBINET_OK;
    case PREFIX:
        request->header.prefix = value;
        return CUBINET_OK;
    case EMBEDDED:
        request->header.embedded = value;
        return CUBINET_OK;
    case CXX:
        request->header.cxx = true;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&request->positionals, 1, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status check_identifier(const char *what, const char *text)
{
    if (text && !c_text_is_identifier(text)) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "the %s '%s' is not a C identifier: letters, digits and '_', not starting with a digit", what,
            text);
    }
    return CUBINET_OK;
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
    struct outputs outputs = {0};
    outputs_write(&outputs, "the header", request->output);
    outputs_read(&outputs, "the archive", request->positionals.values[0]);
    status = outputs_check(&outputs);
    status = status ? status : check_identifier("prefix", request->header.prefix);
    return status ? status : check_identifier("symbol", request->header.embedded);
}

/* All that the library declares starts with "cubinet_", or "CUBINET_". */
static cubinet_status check_prefix(const char *prefix)
{
    if (strcasecmp(prefix, "cubinet") == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "names that start with '%s_' are the library's; give another start with --prefix",
                         prefix);
    }
    return CUBINET_OK;
}

/* The archive's file name without folders and suffix, as an identifier, which the caller frees. */
static cubinet_status default_prefix(const char *path, char **out_prefix)
{
    struct buffer text = {0};
    c_text_file_identifier(&text, path);
    char *prefix = buffer_take(&text);
    if (!prefix) {
        return cbn_error_memory();
    }
    if (!c_text_is_identifier(prefix)) {
        free(prefix);
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "no C identifier can start with a name made from '%s'; give one with --prefix",
                         path);
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
    trace_subject(request->output, NULL);
    cubinet_status status = shown_archive_open(path, NULL, &shown);
    if (status) {
        return status;
    }
    struct header_options header = request->header;
    char *made_prefix = NULL;
    char *text = NULL;
    if (!header.prefix) {
        status = default_prefix(path, &made_prefix);
        header.prefix = made_prefix;
    }
    if (!status) {
        status = check_prefix(header.prefix);
    }
    if (!status) {
        status = header_text(&shown, &header, &text);
    }
    if (!status) {
        trace_begin("write", request->output);
        status = write_output(request->output, text);
        trace_end();
    }
    free(text);
    free(made_prefix);
    shown_archive_close(&shown);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    if (parse(&request, argc, argv)) {
        return command_usage("header");
    }
    if (request.help) {
        command_print_help(&help);
        return EXIT_OK;
    }
    return command_exit(run_header(&request));
}

const struct command cmd_header = {"header", "write a C header with the names in an archive", run};
