/* SPDX-License-Identifier: Apache-2.0 */
/* Images that other tools made: cubins, PTX, LTO-IR, fatbins, and host objects and programs with fatbins in
 * them. They are filed byte for byte as they were. */
#ifndef FOREIGN_H
#define FOREIGN_H

#include "archive/draft.h"
#include "base/outputs.h"
#include "link/foreign_list.h"
#include "loader/core/support/text_list.h"
#include "loader/link/nvjitlink.h"

#include <stdbool.h>

/* What the reading of several files shares. Zero-initialise to start. */
struct foreign {
    const char *module; /* the module to file images in; NULL: by `name_by` */
    enum foreign_name_by name_by;
    const char *toolkit;            /* whose nvJitLink reads LTO-IR; NULL: the default one's */
    struct cbn_nvjitlink nvjitlink; /* opened when it is first needed */
    struct cbn_text_list exporters; /* an input, for each of the exports */
    struct cbn_text_list exports;   /* EXPR or EXPR=LOWERED */
    struct foreign_list images;     /* that were taken */
    struct cbn_text_list notes;     /* what other systems did not say, a line each */
    char *unread; /* kinds of images in fatbins that were left out, for a warning; NULL if none was */
};

/* Notes that an input's LTO-IR, which nothing else tells it of, defines a function for others: EXPR, or
 * EXPR=LOWERED where that is what it is called there. */
cubinet_status foreign_export(struct foreign *foreign, const char *input, const char *text);

/* Takes an input as the user names it: FILE or FOLDER or, to say which module its images are filed in,
 * NAME=FILE (unless that is the name of a file). Of another tool's file takes every image, and of fatbins of
 * several sources each as a module of its own (fatbin_modules.h); of a folder, all that systems left in it
 * (import_folder.h). *out_archive is NULL then, and otherwise the path of what is to be opened as an archive.
 * CUBINET_ERROR_DAMAGED or CUBINET_ERROR_INVALID_ARGUMENT, with the path and what to do, for what can't be
 * filed. */
cubinet_status foreign_take(struct foreign *foreign, const char *input, const char **out_archive);

/* Adds to a command's files the one that an input names, or what a folder has at the place of `output`. An
 * archive may be replaced by `merged_into`, an output that keeps what it has; NULL: by none. */
void foreign_outputs(const char *input, const char *output, const char *merged_into, struct outputs *outputs);

/* Files the images that were taken, once all inputs are. */
cubinet_status foreign_file(struct foreign *foreign, struct draft *draft);

/* Prints a warning for each thing that was left out or that nobody said. */
void foreign_warn(const struct foreign *foreign);

void foreign_free(struct foreign *foreign);

#endif
