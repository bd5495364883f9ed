/* SPDX-License-Identifier: Apache-2.0 */
#include "command/manual.h"

#include "base/help.h"
#include "loader/core/support/error.h"

#include <cubinet/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a process of its own: a command may go on in a child before it reads --help. */
static cubinet_status print_help_of(const struct command *command, help_form form)
{
    int end = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child > 0) {
        return waitpid(child, &end, 0) == child && end == 0
                   ? CUBINET_OK
                   : cbn_error(CUBINET_ERROR_IO, "the help of '%s' is not whole", command->name);
    }
    char help[] = "--help";
    char *arguments[] = {help, NULL};
    help_set_form(form, command->name, command->summary);
    int result = command->run(1, arguments);
    if (child == 0) {
        exit(fflush(stdout) ? EXIT_FAILURE : result);
    }
    return result == EXIT_SUCCESS ? CUBINET_OK : CUBINET_ERROR_IO;
}

cubinet_status manual_print(const struct command *const *commands, const struct command *command)
{
    if (command) {
        return print_help_of(command, help_as_man_page);
    }
    printf(".TH CUBINET 1 \"\" \"Cubinet %s\" Cubinet\n.nh\n.ad l\n", cubinet_version());
    puts(".SH NAME\n"
         "cubinet \\- compile CUDA kernels for many GPUs into one archive\n"
         ".SH SYNOPSIS\n"
         ".B cubinet\nCOMMAND [ARGUMENTS]\n.br\n"
         ".B cubinet help\n[COMMAND]\n.br\n"
         ".B cubinet help \\-\\-man\n[COMMAND]\n.br\n"
         ".B cubinet help \\-\\-completions\nbash|zsh|fish\n.br\n"
         ".B cubinet \\-\\-version\n"
         ".SH DESCRIPTION\n"
         "Compiles CUDA kernels ahead of time and files them, for any number of GPU\n"
         "architectures, in one archive that libcubinet loads from. Each command has a page\n"
         "of its own, such as\n"
         ".BR cubinet\\-compile (1).\n"
         "Among the arguments, @FILE stands for those in FILE.\n"
         ".SH COMMANDS");
    for (; *commands; commands++) {
        printf(".TP\n.BR cubinet\\-%s (1)\n", (*commands)->name);
        help_print_roff((*commands)->summary);
        putchar('\n');
    }
    puts(".SH EXIT STATUS\n"
         "0 after success, 1 after a failure, 2 after wrong usage.");
    return CUBINET_OK;
}

/* All arguments up to the command are words, so that a case can find it. */
static const char bash_start[] =
    "# Completions of cubinet for bash. Made by `cubinet help --completions bash`.\n"
    "_cubinet() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local options= files= folders= others= nothing=\n"
    "    COMPREPLY=()\n";

static const char bash_end[] = "    esac\n"
                               "    # bash splits --option=value at the sign.\n"
                               "    if [[ $current == = ]]; then\n"
                               "        current=\n"
                               "    elif [[ $previous == = ]]; then\n"
                               "        previous=${COMP_WORDS[COMP_CWORD-2]}\n"
                               "    fi\n"
                               "    if [[ $files == *\" $previous \"* ]]; then\n"
                               "        compopt -o filenames 2>/dev/null\n"
                               "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
                               "    elif [[ $folders == *\" $previous \"* ]]; then\n"
                               "        compopt -o filenames 2>/dev/null\n"
                               "        COMPREPLY=($(compgen -d -- \"$current\"))\n"
                               "    elif [[ $others == *\" $previous \"* ]]; then\n"
                               "        return\n"
                               "    elif [[ $current == -* ]]; then\n"
                               "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
                               "    elif [[ -z $nothing ]]; then\n"
                               "        compopt -o filenames 2>/dev/null\n"
                               "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
                               "    fi\n"
                               "}\n"
                               "complete -F _cubinet cubinet\n";

static void print_names(const struct command *const *commands)
{
    for (; *commands; commands++) {
        printf("%s ", (*commands)->name);
    }
}

static cubinet_status print_parts(const struct command *const *commands, help_form form)
{
    cubinet_status status = CUBINET_OK;
    for (; *commands && !status; commands++) {
        status = print_help_of(*commands, form);
    }
    return status;
}

static cubinet_status print_bash(const struct command *const *commands)
{
    printf("%s    local commands='", bash_start);
    print_names(commands);
    fputs("help'\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$current\"))\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          stdout);
    cubinet_status status = print_parts(commands, help_as_bash);
    fputs("    help)\n"
          "        COMPREPLY=($(compgen -W \"$commands --man --completions\" -- \"$current\"))\n"
          "        return ;;\n"
          "    *)\n"
          "        nothing=yes ;;\n",
          stdout);
    fputs(bash_end, stdout);
    return status;
}

static cubinet_status print_zsh(const struct command *const *commands)
{
    puts("#compdef cubinet\n"
         "# Completions of cubinet for zsh. Made by `cubinet help --completions zsh`.\n"
         "_cubinet() {\n"
         "    local -a commands=(");
    for (const struct command *const *at = commands; *at; at++) {
        printf("        '%s:%s'\n", (*at)->name, (*at)->summary);
    }
    puts("        'help:show how a command is used'\n"
         "    )\n"
         "    if ((CURRENT == 2)); then\n"
         "        _describe -t commands 'cubinet command' commands\n"
         "        return\n"
         "    fi\n"
         "    shift words\n"
         "    ((CURRENT--))\n"
         "    case $words[1] in");
    cubinet_status status = print_parts(commands, help_as_zsh);
    puts("    help)\n"
         "        _describe -t commands 'cubinet command' commands\n"
         "        ;;\n"
         "    esac\n"
         "}\n"
         "_cubinet \"$@\"");
    return status;
}

static cubinet_status print_fish(const struct command *const *commands)
{
    puts("# Completions of cubinet for fish. Made by `cubinet help --completions fish`.\n"
         "complete -c cubinet -n __fish_use_subcommand -f\n"
         "complete -c cubinet -n __fish_use_subcommand -l help -d 'show how cubinet is used'\n"
         "complete -c cubinet -n __fish_use_subcommand -l version -d 'print the version'\n"
         "complete -c cubinet -n __fish_use_subcommand -a help -d 'show how a command is used'");
    fputs("complete -c cubinet -n '__fish_seen_subcommand_from help' -f -a '", stdout);
    print_names(commands);
    puts("'");
    return print_parts(commands, help_as_fish);
}

cubinet_status manual_print_completions(const struct command *const *commands, const char *shell)
{
    if (strcmp(shell, "bash") == 0) {
        return print_bash(commands);
    }
    if (strcmp(shell, "zsh") == 0) {
        return print_zsh(commands);
    }
    if (strcmp(shell, "fish") == 0) {
        return print_fish(commands);
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "there are no completions for '%s': name bash, zsh or fish", shell);
}
