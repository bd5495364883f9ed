/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "show/requirements_output.h"

static const struct shown_command shown = {
    .name = "requirements",
    .takes_module = true,
    .help =
        {
            .usage = "requirements ARCHIVE [MODULE] [OPTIONS]",
            .about =
                "Tells what an archive, or one module, needs of a machine: which GPUs run it and how, the "
                "least\ndriver, nvJitLink or not; and the terms for conda and for wheel variants. It asks "
                "the same\nfunction as `cubinet explain`, for every GPU, driver and nvJitLink.",
            .example = "cubinet requirements kernels.cubinet\n"
                       "cubinet requirements kernels.cubinet segmented_sum --json",
            .options = shown_options,
        },
    .print = requirements_print,
    .print_json = requirements_print_json,
};

static int run(int argc, char **argv)
{
    return shown_command_run(&shown, argc, argv);
}

const struct command cmd_requirements = {"requirements",
                                         "tell which GPUs, driver and libraries an archive needs", run};
