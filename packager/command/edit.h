/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet slice`, `remove`, `replace` and `sign` share: an archive is read, and another is written of
 * what is to stay. */
#ifndef EDIT_H
#define EDIT_H

#include "archive/archive_writer.h"
#include "archive/compression.h"
#include "archive/draft.h"
#include "base/options.h"
#include "base/outputs.h"
#include "loader/core/support/text_list.h"
#include "origin/property_list.h"
#include "show/shown_archive.h"

#include <stdbool.h>

/* What every one of the commands is told. */
struct edit {
    const char *output;
    const char *archive_version;     /* NULL: the input's */
    const char *abi;                 /* NULL: the input's */
    const char *compression;         /* NULL: as the input */
    struct property_list properties; /* in place of the input's with the same keys */
    struct cbn_text_list sign_paths; /* files of the keys that sign what is written */
    uint32_t threads;                /* that compress; 0: as many as processors */
    bool keep_if_equal;
    bool keep_images; /* the draft is all of the archive: unless `compression` says how, images are stored as
                         they are there */
    bool help;
};

/* Ids of the options below; a command's own are smaller. */
enum {
    EDIT_OUTPUT = 100,
    EDIT_ARCHIVE_VERSION,
    EDIT_ABI,
    EDIT_SET,
    EDIT_LICENSE,
    EDIT_COMPRESS,
    EDIT_THREADS,
    EDIT_SIGN,
    EDIT_WRITE_IF_DIFFERENT
};

/* The row of those that sign what they write by the way. */
/* clang-format off */
#define EDIT_SIGN_OPTION                                                                                     \
    {EDIT_SIGN, "sign", 0, "FILE", "sign the output with this secret key. May be repeated", false}

/* The rows of a command's table that all share, at its end. */
#define EDIT_OPTIONS                                                                                         \
    {EDIT_OUTPUT, "output", 'o', "FILE", "the archive to write; may be ARCHIVE itself", false},              \
    {EDIT_ARCHIVE_VERSION, "archive-version", 0, "VERSION",                                                  \
     "version of the output (default: ARCHIVE's)", false},                                                   \
    {EDIT_ABI, "abi", 0, "TAG", "ABI tag of the output (default: ARCHIVE's)", false},                        \
    {EDIT_SET, "set", 0, "KEY=VALUE",                                                                        \
     "property of the output, overrides ARCHIVE's; KEY= removes\nit. May be repeated", false},               \
    {EDIT_LICENSE, "license", 0, "EXPRESSION", "the licence, as for `cubinet pack`", false},                 \
    {EDIT_LICENSE, "licence", 0, "EXPRESSION", NULL, false},                                                 \
    {EDIT_COMPRESS, "compress", 0, "HOW",                                                                    \
     "none, fast, zstd or zstd:LEVEL with 1 to 19 (default: zstd if\n"                                       \
     "ARCHIVE is compressed, else none)", false},                                                            \
    {EDIT_THREADS, "threads", 't', "N", THREADS_HELP, false},                                                \
    {EDIT_WRITE_IF_DIFFERENT, "write-if-different", 0, NULL,                                                 \
     "do not touch FILE if it would stay the same", false},                                                  \
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},                                              \
    {0}
/* clang-format on */

/* Takes one of the shared options; CUBINET_ERROR_INVALID_ARGUMENT for any other id. */
cubinet_status edit_take(struct edit *edit, int id, const char *value);

/* Whether what is needed was given, and whether writing the output destroys anything but `archive`, which is
 * edited. `outputs`: the command's other files; ended here. */
cubinet_status edit_check(const struct edit *edit, const char *archive, struct outputs *outputs);

void edit_free(struct edit *edit);

/* CUBINET_ERROR_NOT_FOUND, which names the nearest, unless the archive has a module of each of these names.
 */
cubinet_status edit_find_modules(const struct shown_archive *shown, const struct cbn_text_list *names);

/* Marks which images of a module stay. None is marked before. */
typedef cubinet_status (*edit_mark_fn)(const void *user, const struct shown_archive *shown,
                                       const struct listing_module *module, bool *kept);

/* Adds to the draft what stays of each of the archive's modules. */
cubinet_status edit_keep(const struct shown_archive *shown, edit_mark_fn mark, const void *user,
                         struct draft *draft);

/* Writes the draft that a command made of the archive. */
cubinet_status edit_write(const struct edit *edit, const struct shown_archive *shown, struct draft *draft);

#endif
