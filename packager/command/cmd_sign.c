/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "command/edit.h"
#include "loader/core/support/error.h"

#include <string.h>

enum { KEY = 1 };

static const struct option options[] = {
    {KEY, "key", 0, "FILE",
     "the secret key to sign with: NAME.key of `cubinet keygen`, or\nminisign's. May be repeated", false},
    EDIT_OPTIONS,
};

static const struct command_help help = {
    .usage = "sign ARCHIVE --key FILE [-o FILE] [OPTIONS]",
    .about = "Signs ARCHIVE and replaces its signatures. A signature covers the index and every image. "
             "Programs that\nhave the public key refuse archives that are unsigned, were changed later, or "
             "were signed by others.\nWithout -o, ARCHIVE itself is replaced. Images are not recompressed "
             "unless you give --compress.",
    .example = "cubinet sign kernels.cubinet --key release.key",
    .options = options,
};

struct signing {
    struct edit edit;
    struct positionals positionals; /* archive */
};

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct signing *signing = data;
    switch (id) {
    case KEY:
        return cbn_text_list_add(&signing->edit.sign_paths, value);
    case OPTION_POSITIONAL:
        return command_take(&signing->positionals, 1, value);
    default:
        return edit_take(&signing->edit, id, value);
    }
}

static cubinet_status check(struct signing *signing)
{
    struct outputs outputs = {0};
    if (signing->positionals.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no archive is given");
    }
    if (signing->edit.sign_paths.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no key is given: --key FILE");
    }
    if (!signing->edit.output) {
        signing->edit.output = signing->positionals.values[0];
    }
    return edit_check(&signing->edit, signing->positionals.values[0], &outputs);
}

static cubinet_status run_sign(const struct signing *signing)
{
    struct shown_archive shown;
    struct draft draft = {0};
    cubinet_status status = shown_archive_open(signing->positionals.values[0], NULL, &shown);
    if (status) {
        return status;
    }
    status = draft_add_archive(&draft, shown.archive, shown.path);
    if (!status) {
        status = edit_write(&signing->edit, &shown, &draft);
    }
    draft_free(&draft);
    shown_archive_close(&shown);
    return status;
}

static int run(int argc, char **argv)
{
    struct signing signing = {.edit.keep_images = true};
    int result;
    cubinet_status status = command_read(options, argc, argv, take_option, &signing, &signing.edit.help);
    if (!status && !signing.edit.help) {
        status = check(&signing);
    }
    if (status) {
        result = command_usage("sign");
    } else if (signing.edit.help) {
        command_print_help(&help);
        result = EXIT_OK;
    } else {
        result = command_exit(run_sign(&signing));
    }
    edit_free(&signing.edit);
    return result;
}

const struct command cmd_sign = {"sign", "sign an archive", run};
