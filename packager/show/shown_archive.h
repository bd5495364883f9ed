/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of the subcommands that show an archive: `cubinet NAME ARCHIVE [MODULE] [--json]`. */
#ifndef SHOWN_ARCHIVE_H
#define SHOWN_ARCHIVE_H

#include "archive/listing.h"
#include "base/command.h"
#include "loader/core/support/text_list.h"

#include <stdbool.h>

struct shown_archive {
    const char *path;
    const char *module; /* the one asked for, or NULL */
    cubinet_archive *archive;
    struct listing listing; /* of that module, or of all */
    char *bytes;            /* of the archive, if it was made in memory; NULL */
};

/* Opens an archive, whose images must be within their budget (image_budget.h), and reads its listing. After a
 * failure nothing is held. */
cubinet_status shown_archive_open(const char *path, const char *module, struct shown_archive *out_shown);

/* The same of an archive that one of these public keys must have signed; NULL: of any. Its images may be
 * beyond their budget. */
cubinet_status shown_archive_open_trusting(const char *path, const char *module,
                                           const struct cbn_text_list *keys, struct shown_archive *out_shown);

/* The same of an archive as `pack --launch` would make it of this one. What the files say of other kernels is
 * passed over. */
cubinet_status shown_archive_open_launched(const char *path, const struct cbn_text_list *launch_files,
                                           struct shown_archive *out_shown);
void shown_archive_close(struct shown_archive *shown);

struct shown_command {
    const char *name;
    bool takes_module;
    struct command_help help; /* its options are these: */
    cubinet_status (*print)(const struct shown_archive *shown);
    cubinet_status (*print_json)(const struct shown_archive *shown);
    cubinet_status (*print_sbom)(const struct shown_archive *shown, const char *form); /* NULL: none */
};

enum { SHOWN_JSON = 1, SHOWN_PUBLIC_KEY, SHOWN_SBOM };

/* clang-format off */
#define SHOWN_OPTIONS                                                                                        \
    {SHOWN_PUBLIC_KEY, "public-key", 0, "KEY",                                                               \
     "refuse an archive that this key has not signed: NAME.pub of\n`cubinet keygen`, minisign's, or its last " \
     "line. May be repeated", false},                                                                        \
    {SHOWN_JSON, "json", 0, NULL, "print JSON", false},                                                      \
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},                                               \
    {0}
/* clang-format on */

extern const struct option shown_options[];

int shown_command_run(const struct shown_command *command, int argc, char **argv);

#endif
