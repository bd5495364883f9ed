/* SPDX-License-Identifier: Apache-2.0 */
#include "origin/password.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>

#define VARIABLE "CUBINET_KEY_PASSWORD"

enum { LONGEST = 1024 };

/* A line from the terminal, without showing it. False if it ends before one comes. `name` can be shown as it
 * is: what goes to this stream is not escaped by terminal.h. */
static bool read_hidden(FILE *terminal, const char *prompt, const char *name, char line[LONGEST])
{
    struct termios shown;
    bool has_echo = tcgetattr(fileno(terminal), &shown) == 0;
    if (has_echo) {
        struct termios hidden = shown;
        hidden.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(fileno(terminal), TCSAFLUSH, &hidden);
    }
    fprintf(terminal, "%s %s: ", prompt, name);
    fflush(terminal);
    bool is_read = fgets(line, LONGEST, terminal) != NULL;
    if (has_echo) {
        tcsetattr(fileno(terminal), TCSAFLUSH, &shown);
        fputc('\n', terminal);
    }
    line[is_read ? strcspn(line, "\n") : 0] = '\0';
    return is_read;
}

static cubinet_status copy(const char *text, char **out_password)
{
    *out_password = strdup(text);
    return *out_password ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status open_terminal(const char *path, FILE **out_terminal)
{
    *out_terminal = fopen("/dev/tty", "r+");
    return *out_terminal
               ? CUBINET_OK
               : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "'%s' has a password, and there is no terminal to ask for it: set " VARIABLE,
                           path);
}

static cubinet_status read_typed(FILE *terminal, const char *name, bool twice, char **out_password)
{
    char first[LONGEST] = "";
    char second[LONGEST] = "";
    cubinet_status status;
    bool is_read = read_hidden(terminal, "Password of", name, first) &&
                   (!twice || read_hidden(terminal, "Once more, password of", name, second));
    if (!is_read) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no password was typed");
    } else if (twice && strcmp(first, second) != 0) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the two passwords differ");
    } else {
        status = copy(first, out_password);
    }
    explicit_bzero(first, sizeof(first));
    explicit_bzero(second, sizeof(second));
    return status;
}

static cubinet_status type(const char *path, bool twice, char **out_password)
{
    FILE *terminal = NULL;
    cubinet_status status = open_terminal(path, &terminal);
    if (status) {
        return status;
    }
    char *name = cbn_text_shown(strdup(path), 0);
    status = name ? read_typed(terminal, name, twice, out_password) : cbn_error_memory();
    free(name);
    fclose(terminal);
    return status;
}

static cubinet_status get(const char *path, bool twice, char **out_password)
{
    const char *set = getenv(VARIABLE);
    return set ? copy(set, out_password) : type(path, twice, out_password);
}

cubinet_status password_ask(const char *path, char **out_password)
{
    return get(path, false, out_password);
}

cubinet_status password_choose(const char *path, char **out_password)
{
    return get(path, true, out_password);
}

void password_forget(char *password)
{
    if (password) {
        explicit_bzero(password, strlen(password));
        free(password);
    }
}
