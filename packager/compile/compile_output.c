/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_output.h"

#include "archive/output_check.h"
#include "base/atomic_file.h"
#include "base/command.h"
#include "base/file.h"
#include "compile/compile_depfile.h"
#include "loader/core/support/error.h"
#include "process/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *path_beside(const char *output, const char *suffix)
{
    char *path = NULL;
    return asprintf(&path, "%s%s", output, suffix) < 0 ? NULL : path;
}

cubinet_status compile_output_name(struct compile_output *output)
{
    output->record_path = path_beside(output->arguments->output, ".inputs");
    output->link_folder = path_beside(output->arguments->output, ".links");
    return output->record_path && output->link_folder ? CUBINET_OK : cbn_error_memory();
}

cubinet_status compile_output_check(const struct compile_output *output)
{
    const struct compile_arguments *arguments = output->arguments;
    cubinet_status status = arguments->syntax_only ? CUBINET_OK : output_check(arguments->output);
    return !status && arguments->depfile && (arguments->write_depfile || arguments->depfile_alone)
               ? output_check(arguments->depfile)
               : status;
}

static struct inputs_record record_of(const struct compile_output *output)
{
    return (struct inputs_record){
        .path = output->record_path, .output = output->arguments->output, .key = output->key};
}

static cubinet_status write_depfile(const struct compile_output *output, const struct inputs *inputs)
{
    const struct compile_depfile depfile = {
        .arguments = output->arguments,
        .toolkit = output->toolkit,
        .working_folder = output->working_folder,
        .link_folder = output->link_folder,
    };
    return compile_depfile_write(&depfile, inputs);
}

/* Gives the output the time of now: later than that of its folder, into which other files were written, so
 * that a build tool that depends on the folder finds the output up to date. */
static cubinet_status touch(const char *path)
{
    if (utimensat(AT_FDCWD, path, NULL, 0) != 0) {
        return cbn_error(CUBINET_ERROR_IO, "cannot set the time of '%s': %s", path, strerror(errno));
    }
    return CUBINET_OK;
}

cubinet_status compile_output_skip(const struct compile_output *output, struct buffer *messages,
                                   bool *out_skipped)
{
    const struct compile_arguments *arguments = output->arguments;
    const struct inputs_record record = record_of(output);
    struct inputs inputs;
    char *said = NULL;
    *out_skipped = false;
    if (!arguments->write_depfile || arguments->list_launches || !inputs_unchanged(&record, &inputs, &said)) {
        return CUBINET_OK;
    }
    buffer_puts(messages, said);
    if (arguments->verbose) {
        fprintf(stderr, "%s is up to date\n", arguments->output);
    }
    free(said);
    cubinet_status status = write_depfile(output, &inputs);
    inputs_free(&inputs);
    if (!status && !arguments->keep_if_equal) {
        status = touch(arguments->output);
    }
    *out_skipped = true;
    return status;
}

static cubinet_status write_archive(const struct compile_arguments *arguments,
                                    const struct compile_result *result)
{
    trace_begin("write", arguments->output);
    unsigned how = ATOMIC_FILE_UNSYNCED | (arguments->keep_if_equal ? ATOMIC_FILE_KEEP_IF_EQUAL : 0);
    cubinet_status status = file_replace_how(arguments->output, result->archive, result->archive_size, how);
    trace_end();
    return status;
}

cubinet_status compile_output_write(const struct compile_output *output, const struct inputs *inputs,
                                    const struct compile_result *result)
{
    const struct compile_arguments *arguments = output->arguments;
    if (arguments->syntax_only) {
        return arguments->depfile_alone ? write_depfile(output, inputs) : CUBINET_OK;
    }
    struct stat before = {0};
    struct stat after = {0};
    bool was_there = stat(arguments->output, &before) == 0;
    cubinet_status status = arguments->write_depfile ? write_depfile(output, inputs) : CUBINET_OK;
    if (!status) {
        status = write_archive(arguments, result);
    }
    if (status || !arguments->write_depfile) {
        return status;
    }
    bool is_new = !was_there || stat(arguments->output, &after) != 0 || before.st_ino != after.st_ino;
    const struct inputs_record record = record_of(output);
    if (inputs_save(&record, inputs, result->messages)) {
        command_warning("the next compile will not know that nothing changed: %s", cubinet_error_message());
        unlink(record.path);
    }
    return is_new ? touch(arguments->output) : CUBINET_OK;
}

void compile_output_free(struct compile_output *output)
{
    free(output->record_path);
    free(output->link_folder);
}
