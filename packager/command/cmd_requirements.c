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
                "Shows what an archive, or one module, requires: GPUs, the oldest driver, and nvJitLink; "
                "and the terms\nfor conda and for wheel variants. Uses the same function as `cubinet "
                "explain`, for every GPU, driver\nand nvJitLink.",
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
                                         "show which GPUs, driver and libraries an archive requires", run};
