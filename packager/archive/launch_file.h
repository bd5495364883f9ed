/* SPDX-License-Identifier: Apache-2.0 */
/* Launch records that a user or another tool writes down, as JSON: docs/reference/launch-records.md. */
#ifndef LAUNCH_FILE_H
#define LAUNCH_FILE_H

#include "archive/draft.h"

/* Reads a file, and adds what it says to the kernels of the draft. CUBINET_ERROR_INVALID_ARGUMENT, with a
 * message that names the file and the entry, for what is not such a file, for an entry that no kernel of the
 * draft has the name of, and for one that does not fit a kernel. */
cubinet_status launch_file_add(const char *path, struct draft *draft);

/* The same for a part of what the file is about: entries that no kernel of the draft has the name of are
 * passed over. */
cubinet_status launch_file_add_known(const char *path, struct draft *draft);

#endif
