/* SPDX-License-Identifier: Apache-2.0 */
/* Refusing, before work is done, outputs that would destroy each other or what a command reads. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "loader/core/support/text_list.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

/* The files of a command. Zero-initialise to start; outputs_check() ends it. Paths and words must outlive it.
 */
struct outputs {
    struct outputs_file *items;
    size_t count;
    bool failed; /* memory is out: outputs_check() says so */
};

/* Adds a file that is written, or one that is read. `what`: for messages, such as "the header". A path that
 * is NULL or "-", standard output, is passed over. */
void outputs_write(struct outputs *outputs, const char *what, const char *path);
void outputs_read(struct outputs *outputs, const char *what, const char *path);
void outputs_read_all(struct outputs *outputs, const char *what, const struct cbn_text_list *paths);

/* Adds a file that is read, and that the output `replaced_by` may replace: what is of use in it stays. */
void outputs_edit(struct outputs *outputs, const char *what, const char *path, const char *replaced_by);

/* CUBINET_ERROR_INVALID_ARGUMENT, which names both, if an output is the same file as another output or as
 * something that is read, however the paths are written; anything but a regular file, such as /dev/null, may
 * be named twice. The files that arguments came from (response_file.h) are read, too. Frees what was added.
 */
cubinet_status outputs_check(struct outputs *outputs);

#endif
