/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "archive/check_archive.h"
#include "base/json_output.h"
#include "loader/core/support/error.h"
#include "process/supervise.h"
#include "show/shown_archive.h"

#include <stdio.h>

static uint64_t count_images(const struct listing *listing)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < listing->module_count; i++) {
        count += listing->modules[i].image_count;
    }
    return count;
}

static cubinet_status verdict(const struct shown_archive *shown, const struct problems *problems)
{
    if (problems->count == 0) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_DAMAGED, "'%s' has %zu %s", shown->path, problems->count,
                     problems->count == 1 ? "problem" : "problems");
}

static cubinet_status print(const struct shown_archive *shown)
{
    struct problems problems = {0};
    cubinet_status status = check_archive(shown->archive, &shown->listing, 0, &problems);
    if (!status) {
        for (const char *line = NULL; (line = problems_next(&problems, line));) {
            puts(line);
        }
        status = verdict(shown, &problems);
    }
    if (!status) {
        uint64_t images = count_images(&shown->listing);
        printf("%s is %ssound: %u %s, %llu %s\n", shown->path,
               shown->listing.archive.flags & CUBINET_ARCHIVE_TRUSTED ? "signed with a trusted key, and "
                                                                      : "",
               shown->listing.module_count, shown->listing.module_count == 1 ? "module" : "modules",
               (unsigned long long)images, images == 1 ? "image" : "images");
    }
    problems_free(&problems);
    return status;
}

static cubinet_status print_json(const struct shown_archive *shown)
{
    struct problems problems = {0};
    cubinet_status status = check_archive(shown->archive, &shown->listing, 0, &problems);
    if (!status) {
        json_t *lines = json_array();
        for (const char *line = NULL; (line = problems_next(&problems, line));) {
            json_array_append_new(lines, json_output_text(line));
        }
        status = json_output_print(json_pack("{s:I, s:I, s:o}", "modules",
                                             (json_int_t)shown->listing.module_count, "images",
                                             (json_int_t)count_images(&shown->listing), "problems", lines));
    }
    if (!status) {
        status = verdict(shown, &problems);
    }
    problems_free(&problems);
    return status;
}

static const struct shown_command shown_command = {
    .name = "verify",
    .help =
        {
            .usage = "verify ARCHIVE [OPTIONS]",
            .about = "Checks an archive from end to end: every digest and compressed image, every rule of "
                     "the format, the\nzip directory against the index, and each image's own data against "
                     "the index.\nPrints a line for each problem. The exit status is 1 if there are any.",
            .example = "cubinet verify kernels.cubinet",
            .options = shown_options,
        },
    .print = print,
    .print_json = print_json,
};

static int run(int argc, char **argv)
{
    int result;
    if (!supervise(NULL, "verify", &result)) {
        result = shown_command_run(&shown_command, argc, argv);
    }
    return result;
}

const struct command cmd_verify = {"verify", "check an archive from end to end", run};
