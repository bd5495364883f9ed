/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "loader/core/support/error.h"
#include "show/explain.h"
#include "show/explain_devices.h"
#include "show/explain_warnings.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICE = 1, THIS_MACHINE, DRIVER, NVJITLINK, KIND, JSON };

static const struct option options[] = {
    {DEVICE, "device", 0, "GPU",
     "a compute capability (9.0, sm_90), a GPU's name (h100) or\nall; may be repeated", false},
    {THIS_MACHINE, "this-machine", 0, NULL, "the GPUs and the driver of this machine", false},
    {DRIVER, "driver", 0, "RELEASE",
     "CUDA release of the driver, such as 13.0 (default: new enough\nfor every image)", false},
    {NVJITLINK, "nvjitlink", 0, "RELEASE",
     "release of nvJitLink, such as 13.0, or none (default: the one\nthat the module's LTO-IR needs)", false},
    {KIND, "kind", 0, "KIND",
     "only images of this kind: cubin, ptx, ltoir, tileir or optixir\n(default: all that the driver loads)",
     false},
    {JSON, "json", 0, NULL, "print JSON", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "explain ARCHIVE [MODULE] --device GPU [OPTIONS]",
    .about = "Shows which image of a module a GPU gets, which comes next if the driver refuses it, and why "
             "the\nothers do not fit. libcubinet makes the same choice. For several GPUs, shows what each "
             "one gets.",
    .example = "cubinet explain kernels.cubinet segmented_sum --device h100 --driver 13.0\n"
               "cubinet explain kernels.cubinet --device all",
    .options = options,
};

struct request {
    struct positionals positionals; /* archive, module */
    struct explain_devices devices;
    cubinet_policy policy;
    bool this_machine;
    bool has_linker; /* --nvjitlink was given */
    uint32_t driver;
    uint32_t nvjitlink;
    bool json;
    bool help;
};

/* "13.0" as 13000. */
static cubinet_status parse_release(const char *text, uint32_t *out_release)
{
    char *end;
    unsigned long major = strtoul(text, &end, 10);
    unsigned long minor = 0;
    bool valid = end != text && text[0] != '-' && text[0] != '+';
    if (valid && *end == '.') {
        const char *start = end + 1;
        minor = strtoul(start, &end, 10);
        valid = end != start && *start != '-' && *start != '+';
    }
    if (!valid || *end || major < 1 || major > 999 || minor > 99) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' is not a CUDA release, such as 13.0", text);
    }
    *out_release = (uint32_t)(1000 * major + 10 * minor);
    return CUBINET_OK;
}

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct request *request = data;
    switch (id) {
    case DEVICE:
        return explain_devices_add(&request->devices, value);
    case THIS_MACHINE:
        request->this_machine = true;
        return CUBINET_OK;
    case DRIVER:
        return parse_release(value, &request->driver);
    case NVJITLINK:
        request->has_linker = true;
        return strcmp(value, "none") == 0 ? CUBINET_OK : parse_release(value, &request->nvjitlink);
    case KIND:
        return listing_find_kind(value, &request->policy.kind);
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
    if (status || request->help) {
        return status;
    }
    if (request->positionals.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no archive is given");
    }
    if (request->devices.count == 0 && !request->this_machine) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "no device is given: --device 9.0, --device h100, --device all or --this-machine");
    }
    return CUBINET_OK;
}

/* What was asked for on the command line goes for every device, this machine's too. */
static void set_software(const struct request *request)
{
    for (size_t i = 0; i < request->devices.count; i++) {
        cubinet_device_profile *profile = &request->devices.devices[i].profile;
        if (request->driver) {
            profile->driver_version = request->driver;
        }
        if (request->has_linker) {
            profile->nvjitlink_version = request->nvjitlink;
        }
    }
}

static cubinet_status print_all(const struct request *request, const struct shown_archive *shown)
{
    struct explain explain = {
        .shown = shown,
        .devices = request->devices.devices,
        .device_count = request->devices.count,
        .policy = &request->policy,
        .assume_linker = !request->has_linker && !request->this_machine,
    };
    cubinet_status status = request->json ? explain_print_json(&explain) : explain_print(&explain);
    /* The warnings are about loading; whoever asks for a kind does not ask what is loaded. */
    return status || request->policy.kind ? status : explain_warn(&explain);
}

static cubinet_status run_explain(struct request *request)
{
    cubinet_status status =
        request->this_machine ? explain_devices_add_machine(&request->devices) : CUBINET_OK;
    if (status) {
        return status;
    }
    set_software(request);
    struct shown_archive shown;
    status = shown_archive_open(request->positionals.values[0], request->positionals.values[1], &shown);
    if (status) {
        return status;
    }
    status = print_all(request, &shown);
    shown_archive_close(&shown);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {.policy.size = sizeof(request.policy)};
    int result;
    if (parse(&request, argc, argv)) {
        result = command_usage("explain");
    } else if (request.help) {
        command_print_help(&help);
        result = EXIT_OK;
    } else {
        result = command_exit(run_explain(&request));
    }
    explain_devices_free(&request.devices);
    return result;
}

const struct command cmd_explain = {"explain", "show which image a GPU gets, and why not the others", run};
