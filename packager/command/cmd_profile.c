/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/json_output.h"
#include "build/profile.h"
#include "loader/core/support/error.h"
#include "process/supervise.h"

enum { MOST = 1, JSON };
enum { DEFAULT_MOST = 10, MOST_LIMIT = 1000000 };

static const struct option options[] = {
    {MOST, "top", 'n', "N", "how many headers and modules to print (default: 10)", false},
    {JSON, "json", 0, NULL, "print all of them, as JSON", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "profile DIR [OPTIONS]",
    .about = "Shows which headers and modules took the time of a build. DIR is the folder that CUBINET_TRACE "
             "named\nduring the build. Open DIR/trace.json in chrome://tracing or Perfetto.",
    .example = "CUBINET_TRACE=$PWD/trace ninja && cubinet profile trace",
    .options = options,
};

struct request {
    struct positionals positionals; /* the folder */
    uint32_t most;
    bool json;
    bool help;
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct request *request = data;
    switch (id) {
    case MOST:
        return command_number(value, "rows", 1, MOST_LIMIT, &request->most);
    case JSON:
        request->json = true;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&request->positionals, 1, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status parse(struct request *request, int argc, char **argv)
{
    cubinet_status status = command_read(options, argc, argv, take_option, request, &request->help);
    if (!status && !request->help && request->positionals.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no folder with a trace is given");
    }
    return status;
}

static cubinet_status run_profile(const struct request *request)
{
    struct profile profile;
    cubinet_status status = profile_read(request->positionals.values[0], &profile);
    if (status) {
        return status;
    }
    status = request->json ? json_output_print(profile_json(&profile))
                           : profile_print(&profile, request->most, stdout);
    profile_free(&profile);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {.most = DEFAULT_MOST};
    if (parse(&request, argc, argv)) {
        return command_usage("profile");
    }
    if (request.help) {
        command_print_help(&help);
        return EXIT_OK;
    }
    int result;
    if (!supervise(NULL, "profile", &result)) {
        result = command_exit(run_profile(&request));
    }
    return result;
}

const struct command cmd_profile = {"profile", "show where the time of a build went", run};
