/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet link` is given to link: archives, modules of archives, and files of device code. */
#ifndef LINK_INPUTS_H
#define LINK_INPUTS_H

#include "archive/draft.h"
#include "loader/core/support/text_list.h"

#include <cubinet/archive.h>
#include <cubinet/link.h>

#include <stdbool.h>

struct link_input {
    const char *path; /* for messages */
    char *file;       /* without the module's name */
    /* Modules of an archive; NULL: a file. */
    cubinet_archive *archive;
    uint32_t first_module;
    uint32_t module_count;
    /* A file's bytes, and what they are. */
    char *data;
    size_t size;
    cubinet_piece_kind kind;
};

struct link_inputs {
    struct link_input *items;
    size_t count;
};

/* Opens "FILE", "ARCHIVE" and "ARCHIVE:MODULE"; with `archives_alone` only archives. What a file is, its
 * bytes tell. The paths must outlive the inputs, which the caller frees, also after a failure. */
cubinet_status link_inputs_open(const struct cbn_text_list *paths, bool archives_alone,
                                struct link_inputs *inputs);

/* Adds the files of such paths. */
cubinet_status link_inputs_files(const struct cbn_text_list *paths, struct cbn_text_list *files);

void link_inputs_free(struct link_inputs *inputs);

#endif
