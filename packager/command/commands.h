/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of `cubinet`, one file each (cmd_*.c). */
#ifndef COMMANDS_H
#define COMMANDS_H

struct command {
    const char *name;
    const char *summary; /* one line, for `cubinet --help` */
    /* Runs with the arguments after the subcommand's name, and returns the exit status: 0 done, 1 failed, 2
     * wrong usage. `--help` prints to standard output and returns 0. */
    int (*run)(int argc, char **argv);
};

extern const struct command cmd_compile, cmd_pack, cmd_list, cmd_inspect, cmd_verify, cmd_extract,
    cmd_explain, cmd_export, cmd_occupancy, cmd_diff, cmd_report, cmd_header, cmd_ninja, cmd_build, cmd_cache,
    cmd_link, cmd_pch, cmd_profile, cmd_slice, cmd_remove, cmd_replace, cmd_keygen, cmd_sign, cmd_which,
    cmd_requirements, cmd_slim, cmd_tune;

#endif
