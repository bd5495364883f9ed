/* SPDX-License-Identifier: Apache-2.0 */
/* Images that other tools made: cubins, PTX, LTO-IR, fatbins, and host objects and programs with fatbins in
 * them. They are filed byte for byte as they were. */
#ifndef FOREIGN_H
#define FOREIGN_H

#include "archive/draft.h"
#include "loader/link/nvjitlink.h"

#include <stdbool.h>

/* What the reading of several files shares. Zero-initialise to start. */
struct foreign {
    const char *module;  /* the module to file images in; NULL: a file's name up to its first dot */
    const char *toolkit; /* whose nvJitLink reads LTO-IR; NULL: the default one's */
    struct cbn_nvjitlink nvjitlink; /* opened when it is first needed */
    char *unread; /* kinds of images in fatbins that were left out, for a warning; NULL if none was */
};

/* Takes an input as the user names it: FILE or, to say which module its images are filed in, NAME=FILE
 * (unless that is the name of a file). Of another tool's file adds every image, and of fatbins of several
 * sources each as a module of its own (fatbin_modules.h). *out_archive is NULL then, and otherwise the path
 * of what is to be opened as an archive. CUBINET_ERROR_DAMAGED or CUBINET_ERROR_INVALID_ARGUMENT, with the
 * path and what to do, for what can't be filed. */
cubinet_status foreign_take(struct foreign *foreign, const char *input, struct draft *draft,
                            const char **out_archive);

void foreign_free(struct foreign *foreign);

#endif
