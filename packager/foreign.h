/* SPDX-License-Identifier: Apache-2.0 */
/* Images that other tools made: cubins, PTX, LTO-IR, fatbins, and host objects and programs with fatbins in
 * them. They are filed byte for byte as they were. */
#ifndef FOREIGN_H
#define FOREIGN_H

#include "draft.h"
#include "nvjitlink.h"

#include <stdbool.h>

/* What the reading of several files shares. Zero-initialise to start. */
struct foreign {
    const char *module;  /* the module to file images in; NULL: a file's name up to its first dot */
    const char *toolkit; /* whose nvJitLink reads LTO-IR; NULL: the default one's */
    struct cbn_nvjitlink nvjitlink; /* opened when it is first needed */
    char *unread; /* kinds of images in fatbins that were left out, for a warning; NULL if none was */
};

/* Whether a file is none of Cubinet's own archives, nor a program with one inside, as far as its first bytes
 * tell. False for one that can't be read: opening it as an archive says why. */
bool foreign_is(const char *path);

/* Adds every image of a file; of fatbins of several sources each is a module of its own (fatbin_modules.h).
 * CUBINET_ERROR_DAMAGED or CUBINET_ERROR_INVALID_ARGUMENT, with the path and what to do, for what can't be
 * filed. */
cubinet_status foreign_add(struct foreign *foreign, const char *path, struct draft *draft);

void foreign_free(struct foreign *foreign);

#endif
