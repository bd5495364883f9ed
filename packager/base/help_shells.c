/* SPDX-License-Identifier: Apache-2.0 */
/* A subcommand's part of the completions of bash, zsh and fish. `cubinet help --completions` prints what is
 * around. */
#include "base/help.h"

#include <string.h>

/* What an option's value is, by the word that help has for it. */
enum value_kind { NO_VALUE, FILE_VALUE, FOLDER_VALUE, OTHER_VALUE };

static enum value_kind value_kind(const struct option *option)
{
    if (!option->value) {
        return NO_VALUE;
    }
    if (strstr(option->value, "FILE") || strstr(option->value, "ARCHIVE")) {
        return FILE_VALUE;
    }
    return strstr(option->value, "FOLDER") || strstr(option->value, "DIR") ? FOLDER_VALUE : OTHER_VALUE;
}

/* The options of both tables that help lists, without those of the second that the first has, too. */
struct listed {
    const struct option *options[256];
    size_t count;
};

static bool is_listed(const struct listed *listed, const struct option *option)
{
    for (size_t i = 0; i < listed->count; i++) {
        const char *name = listed->options[i]->name;
        if (option->name && name && strcmp(option->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void list_table(const struct option *options, struct listed *listed)
{
    const size_t most = sizeof(listed->options) / sizeof(listed->options[0]);
    for (; options && options->id; options++) {
        if (options->help && !is_listed(listed, options) && listed->count < most) {
            listed->options[listed->count++] = options;
        }
    }
}

static struct listed list_options(const struct command_help *help)
{
    struct listed listed = {.count = 0};
    list_table(help->options, &listed);
    list_table(help->more, &listed);
    return listed;
}

/* The first sentence, or what comes before a semicolon, in one line; characters of `special` after an
 * `escape`. */
static void print_brief(const char *text, const char *special, const char *escape)
{
    for (const char *at = text; *at && *at != ';' && !(at[0] == '.' && (at[1] == '\n' || at[1] == ' '));
         at++) {
        if (*at == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(special, *at)) {
            fputs(escape, stdout);
        }
        putchar(*at == '\n' ? ' ' : *at);
    }
}

/* The options of one kind, or with -1 all of them, for a `case` of the script. */
static void print_bash_list(const char *variable, const struct listed *listed, int kind)
{
    printf("        %s='", variable);
    for (size_t i = 0; i < listed->count; i++) {
        const struct option *option = listed->options[i];
        if (kind >= 0 && (option->optional_value || value_kind(option) != (enum value_kind)kind)) {
            continue;
        }
        if (option->name) {
            printf(" --%s", option->name);
        }
        if (option->letter) {
            printf(" -%c", option->letter);
        }
    }
    puts(" '");
}

void help_as_bash(const char *name, const char *summary, const struct command_help *help)
{
    (void)summary;
    const struct listed listed = list_options(help);
    printf("    %s)\n", name);
    print_bash_list("options", &listed, -1);
    print_bash_list("files", &listed, FILE_VALUE);
    print_bash_list("folders", &listed, FOLDER_VALUE);
    print_bash_list("others", &listed, OTHER_VALUE);
    puts("        ;;");
}

static void print_zsh_value(const struct option *option)
{
    static const char *const actions[] = {
        [FILE_VALUE] = "_files", [FOLDER_VALUE] = "_files -/", [OTHER_VALUE] = " "};
    enum value_kind kind = value_kind(option);
    if (kind != NO_VALUE) {
        fputs(option->optional_value ? "::" : ":", stdout);
        print_brief(option->value, "[]:\\", "\\");
        printf(":%s", actions[kind]);
    }
}

static void print_zsh_option(const struct option *option, const char *dashes, const char *name,
                             const char *suffix)
{
    printf("            '*%s%s%s[", dashes, name, suffix);
    print_brief(option->help, "[]:\\", "\\");
    putchar(']');
    print_zsh_value(option);
    puts("' \\");
}

void help_as_zsh(const char *name, const char *summary, const struct command_help *help)
{
    (void)summary;
    const struct listed listed = list_options(help);
    printf("    %s)\n        _arguments -S \\\n", name);
    for (size_t i = 0; i < listed.count; i++) {
        const struct option *option = listed.options[i];
        if (option->name) {
            print_zsh_option(option, "--", option->name,
                             !option->value           ? ""
                             : option->optional_value ? "=-"
                                                      : "=");
        }
        if (option->letter) {
            char letter[] = {option->letter, '\0'};
            print_zsh_option(option, "-", letter, !option->value ? "" : option->optional_value ? "-" : "+");
        }
    }
    puts("            '*:file:_files'\n        ;;");
}

void help_as_fish(const char *name, const char *summary, const struct command_help *help)
{
    static const char *const values[] = {[NO_VALUE] = "",
                                         [FILE_VALUE] = " -r -F",
                                         [FOLDER_VALUE] = " -x -a '(__fish_complete_directories)'",
                                         [OTHER_VALUE] = " -x"};
    const struct listed listed = list_options(help);
    printf("complete -c cubinet -n __fish_use_subcommand -a %s -d '", name);
    print_brief(summary, "\\", "\\");
    puts("'");
    for (size_t i = 0; i < listed.count; i++) {
        const struct option *option = listed.options[i];
        printf("complete -c cubinet -n '__fish_seen_subcommand_from %s'", name);
        if (option->name) {
            printf(" -l %s", option->name);
        }
        if (option->letter) {
            printf(" -s %c", option->letter);
        }
        printf("%s -d '", option->optional_value ? "" : values[value_kind(option)]);
        print_brief(option->help, "\\", "\\");
        puts("'");
    }
}
