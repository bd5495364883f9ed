/* SPDX-License-Identifier: Apache-2.0 */
/* The `cubinet` command: finds the subcommand and runs it. */
#include "base/command.h"
#include "base/response_file.h"
#include "base/terminal.h"
#include "command/cmake_dir.h"
#include "command/commands.h"
#include "command/manual.h"
#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"
#include "process/trace.h"

#include <cubinet/version.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
    &cmd_compile, &cmd_pch,    &cmd_link,    &cmd_build,  &cmd_ninja,   &cmd_pack,         &cmd_slice,
    &cmd_slim,    &cmd_remove, &cmd_replace, &cmd_sign,   &cmd_keygen,  &cmd_list,         &cmd_inspect,
    &cmd_which,   &cmd_verify, &cmd_extract, &cmd_export, &cmd_explain, &cmd_requirements, &cmd_occupancy,
    &cmd_diff,    &cmd_report, &cmd_header,  &cmd_cache,  &cmd_profile, &cmd_tune,         NULL,
};

static void print_help(FILE *file)
{
    fputs("Usage: cubinet COMMAND [ARGUMENTS]\n"
          "\n"
          "Compiles CUDA kernels ahead of time, for any number of GPU architectures, into\n"
          "one archive that libcubinet loads from.\n"
          "\n"
          "Commands:\n",
          file);
    for (const struct command *const *command = commands; *command; command++) {
        fprintf(file, "  %-12s %s\n", (*command)->name, (*command)->summary);
    }
    fputs("\n"
          "'cubinet COMMAND --help' describes a command. '@FILE' stands for the arguments in\n"
          "FILE. 'cubinet help --completions SHELL' prints completions for bash, zsh or fish.\n"
          "'cubinet --version' prints the version of Cubinet and of the archives it writes,\n"
          "'cubinet --cmake-dir' the folder of the CMake package, for -DCubinet_DIR.\n",
          file);
}

static const struct command *find_command(const char *name)
{
    for (const struct command *const *command = commands; *command; command++) {
        if (strcmp((*command)->name, name) == 0) {
            return *command;
        }
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, name, strlen(name));
    for (const struct command *const *command = commands; *command; command++) {
        cbn_nearest_offer(&nearest, (*command)->name);
    }
    const char *found = cbn_nearest_found(&nearest);
    if (found) {
        cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "unknown command '%s'; the nearest is '%s'", name, found);
    } else {
        cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "unknown command '%s'", name);
    }
    return command_usage(NULL);
}

/* `cubinet help --man [COMMAND]`. */
static int run_manual(int argc, char **argv)
{
    const struct command *command = argc > 0 ? find_command(argv[0]) : NULL;
    if (argc > 0 && !command) {
        return unknown_command(argv[0]);
    }
    return command_exit(manual_print(commands, command));
}

/* `cubinet help --completions SHELL`. */
static int run_completions(int argc, char **argv)
{
    cubinet_status status = manual_print_completions(commands, argc > 0 ? argv[0] : "");
    return status == CUBINET_ERROR_INVALID_ARGUMENT ? command_usage(NULL) : command_exit(status);
}

/* `cubinet help` and `cubinet help COMMAND`. */
static int run_help(int argc, char **argv)
{
    if (argc == 0) {
        print_help(stdout);
        return EXIT_OK;
    }
    if (strcmp(argv[0], "--man") == 0) {
        return run_manual(argc - 1, argv + 1);
    }
    if (strcmp(argv[0], "--completions") == 0) {
        return run_completions(argc - 1, argv + 1);
    }
    const struct command *command = find_command(argv[0]);
    if (!command) {
        return unknown_command(argv[0]);
    }
    char help[] = "--help";
    char *arguments[] = {help, NULL};
    return command->run(1, arguments);
}

static int run(int argc, char **argv)
{
    if (argc == 0) { /* or a response file that is empty */
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[0];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return run_help(0, argv);
    }
    if (strcmp(name, "help") == 0) {
        return run_help(argc - 1, argv + 1);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("cubinet %s, archive format %d.%d\n", cubinet_version(), CBN_FORMAT_MAJOR, CBN_FORMAT_MINOR);
        return EXIT_OK;
    }
    if (strcmp(name, "--cmake-dir") == 0) {
        return cmake_dir_print() ? command_failed() : EXIT_OK;
    }
    const struct command *command = find_command(name);
    return command ? command->run(argc - 1, argv + 1) : unknown_command(name);
}

/* Whether everything that was printed arrived. */
static int finish(int status)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_OK) {
        cbn_error(CUBINET_ERROR_IO, "cannot write to standard output: %s", strerror(errno));
        return command_failed();
    }
    return status;
}

static int run_command(int argc, char **argv)
{
    command_start();
    struct arguments arguments;
    if (arguments_expand(argc - 1, argv + 1, &arguments)) {
        command_failed();
        return EXIT_USAGE;
    }
    trace_start(arguments.count > 0 ? arguments.values[0] : NULL);
    int status = finish(run(arguments.count, arguments.values));
    trace_finish(status);
    arguments_free(&arguments);
    return status;
}

int main(int argc, char **argv)
{
    terminal_start();
    int status = run_command(argc, argv);
    terminal_finish();
    return status;
}
