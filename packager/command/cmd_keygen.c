/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/outputs.h"
#include "loader/core/support/error.h"
#include "origin/password.h"
#include "origin/signing_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { OUTPUT = 1, NO_PASSWORD, FORCE };

static const struct option options[] = {
    {OUTPUT, "output", 'o', "NAME", "write NAME.key and NAME.pub (default: cubinet)", false},
    {NO_PASSWORD, "no-password", 'W', NULL,
     "do not encrypt the secret key, for machines that protect it\nthemselves", false},
    {FORCE, "force", 'f', NULL, "replace existing keys", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "keygen [-o NAME] [OPTIONS]",
    .about = "Makes a pair of keys. NAME.key signs archives: keep it secret. NAME.pub is for programs that "
             "open\nthem. The files have minisign's format. The password is read from the terminal or "
             "from\nCUBINET_KEY_PASSWORD.",
    .example = "cubinet keygen -o release\n"
               "cubinet sign kernels.cubinet --key release.key\n"
               "cubinet verify kernels.cubinet --public-key release.pub",
    .options = options,
};

struct keygen {
    const char *name;
    char *secret_path;
    char *public_path;
    bool no_password;
    bool force;
    bool help;
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct keygen *keygen = data;
    switch (id) {
    case OUTPUT:
        keygen->name = value;
        return CUBINET_OK;
    case NO_PASSWORD:
        keygen->no_password = true;
        return CUBINET_OK;
    case FORCE:
        keygen->force = true;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "'%s' is one argument too many: give the name with -o", value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status check_absent(const struct keygen *keygen, const char *path)
{
    if (!keygen->force && access(path, F_OK) == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "'%s' exists, and archives that it signed need it; --force replaces it", path);
    }
    return CUBINET_OK;
}

static cubinet_status name_files(struct keygen *keygen)
{
    if (asprintf(&keygen->secret_path, "%s.key", keygen->name) < 0) {
        keygen->secret_path = NULL;
    }
    if (asprintf(&keygen->public_path, "%s.pub", keygen->name) < 0) {
        keygen->public_path = NULL;
    }
    if (!keygen->secret_path || !keygen->public_path) {
        return cbn_error_memory();
    }
    struct outputs outputs = {0};
    outputs_write(&outputs, "the secret key", keygen->secret_path);
    outputs_write(&outputs, "the public key", keygen->public_path);
    cubinet_status status = outputs_check(&outputs);
    if (!status) {
        status = check_absent(keygen, keygen->secret_path);
    }
    return status ? status : check_absent(keygen, keygen->public_path);
}

static cubinet_status make_keys(const struct keygen *keygen)
{
    struct signing_key key;
    char *password = NULL;
    char public[SIGNING_PUBLIC_TEXT_SIZE];
    cubinet_status status =
        keygen->no_password ? CUBINET_OK : password_choose(keygen->secret_path, &password);
    if (!status) {
        status = signing_key_make(&key);
    }
    if (!status) {
        const char *lock = password && *password ? password : NULL;
        status = signing_key_write(&key, lock, keygen->secret_path, keygen->public_path);
    }
    if (!status) {
        signing_key_public(&key, public);
        printf("%s is the secret key. Give programs %s, or this text:\n%s\n", keygen->secret_path,
               keygen->public_path, public);
    }
    signing_key_forget(&key);
    password_forget(password);
    return status;
}

static int run(int argc, char **argv)
{
    struct keygen keygen = {.name = "cubinet"};
    if (command_read(options, argc, argv, take_option, &keygen, &keygen.help)) {
        return command_usage("keygen");
    }
    if (keygen.help) {
        command_print_help(&help);
        return EXIT_OK;
    }
    cubinet_status status = name_files(&keygen);
    if (!status) {
        status = make_keys(&keygen);
    }
    free(keygen.secret_path);
    free(keygen.public_path);
    return command_exit(status);
}

const struct command cmd_keygen = {"keygen", "make a pair of keys for signing", run};
