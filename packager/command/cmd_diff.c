/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/outputs.h"
#include "loader/core/support/error.h"
#include "show/diff.h"
#include "show/diff_html.h"

#include <errno.h>
#include <string.h>

enum { FAIL_ON = 1, BLOCK, HTML, JSON };

static const struct option options[] = {
    {FAIL_ON, "fail-on", 0, "LIST",
     "differences that make the exit status 1, separated by commas:\nany (default), added, removed; or what "
     "got worse: registers,\n"
     "spill_store_bytes, spill_load_bytes, local_bytes,\n"
     "static_shared_bytes, constant_bytes, barriers, occupancy,\n"
     "max_threads_per_block, bytes (of images); or what changed:\n"
     "code, max_block, required_block, min_blocks,\n"
     "required_cluster, max_cluster_blocks, param_bytes, launch,\ntuning",
     false},
    {BLOCK, "block", 0, "THREADS",
     "compare occupancy with this many threads in a block\n(default: the best block size)", false},
    {HTML, "html", 0, "FILE", "also write both archives side by side as a web page", false},
    {JSON, "json", 0, NULL, "print JSON", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "diff OLD NEW [OPTIONS]",
    .about = "Compares two archives: added and removed modules, images and kernels, and the resources of "
             "each kernel\nand target. The exit status is 0 if nothing differs (or nothing that --fail-on "
             "names), 1 if something\ndoes, 2 after an error.",
    .example = "cubinet diff released.cubinet kernels.cubinet --fail-on occupancy,spill_store_bytes,removed",
    .options = options,
};

/* As with diff, 1 means "different", not that the command failed. */
enum { EXIT_SAME = 0, EXIT_DIFFERENT = 1, EXIT_TROUBLE = 2 };

struct request {
    struct positionals positionals; /* old, new */
    struct diff_criteria criteria;
    bool has_criteria;
    uint32_t block_threads;
    const char *html; /* the page to write, or NULL */
    bool json;
    bool help;
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct request *request = data;
    switch (id) {
    case FAIL_ON:
        request->has_criteria = true;
        return diff_criteria_parse(value, &request->criteria);
    case BLOCK:
        return command_number(value, "threads in a block", 1, MAX_BLOCK_THREADS, &request->block_threads);
    case HTML:
        request->html = value;
        return CUBINET_OK;
    case JSON:
        request->json = true;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&request->positionals, 2, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status parse(struct request *request, int argc, char **argv)
{
    cubinet_status status = command_read(options, argc, argv, take_option, request, &request->help);
    if (!status && !request->help && request->positionals.count < 2) {
        status =
            cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "two archives are needed: the old one and the new");
    }
    if (!status && !request->help) {
        struct outputs outputs = {0};
        outputs_write(&outputs, "the page", request->html);
        outputs_read(&outputs, "the old archive", request->positionals.values[0]);
        outputs_read(&outputs, "the new archive", request->positionals.values[1]);
        status = outputs_check(&outputs);
    }
    request->criteria.any = request->criteria.any || !request->has_criteria;
    return status;
}

static cubinet_status show(const struct request *request, struct diff_shown *shown)
{
    for (size_t i = 0; i < shown->diff->count; i++) {
        shown->matches += diff_criteria_match(shown->criteria, &shown->diff->items[i]);
    }
    cubinet_status status = request->html ? diff_html_write(shown, request->html) : CUBINET_OK;
    if (!status) {
        status = request->json ? diff_print_json(shown) : diff_print(shown);
    }
    if (!status && fflush(stdout) != 0) { /* here, because main() would answer with 1 */
        status = cbn_error(CUBINET_ERROR_IO, "cannot write to standard output: %s", strerror(errno));
    }
    return status;
}

static cubinet_status compare(const struct request *request, const struct shown_archive *before,
                              const struct shown_archive *after, size_t *out_matches)
{
    struct diff diff = {0};
    cubinet_status status = diff_archives(before, after, request->block_threads, &diff);
    if (!status) {
        struct diff_shown shown = {
            .before = before, .after = after, .diff = &diff, .criteria = &request->criteria};
        status = show(request, &shown);
        *out_matches = shown.matches;
    }
    diff_free(&diff);
    return status;
}

static cubinet_status run_diff(const struct request *request, size_t *out_matches)
{
    struct shown_archive before;
    struct shown_archive after;
    cubinet_status status = shown_archive_open(request->positionals.values[0], NULL, &before);
    if (status) {
        return status;
    }
    status = shown_archive_open(request->positionals.values[1], NULL, &after);
    if (!status) {
        status = compare(request, &before, &after, out_matches);
        shown_archive_close(&after);
    }
    shown_archive_close(&before);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    if (parse(&request, argc, argv)) {
        return command_usage("diff");
    }
    if (request.help) {
        command_print_help(&help);
        return EXIT_OK;
    }
    size_t matches;
    if (run_diff(&request, &matches)) {
        command_failed();
        return EXIT_TROUBLE;
    }
    return matches ? EXIT_DIFFERENT : EXIT_SAME;
}

const struct command cmd_diff = {"diff", "compare two archives, for people and for CI", run};
