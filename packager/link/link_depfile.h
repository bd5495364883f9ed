/* SPDX-License-Identifier: Apache-2.0 */
/* The depfile of a link: what it read, for Ninja and make. */
#ifndef LINK_DEPFILE_H
#define LINK_DEPFILE_H

#include "interpose/opened_files.h"
#include "link/link_arguments.h"
#include "link/link_inputs.h"

struct link_depfile {
    const struct link_arguments *arguments;
    const struct link_inputs *pieces;
    const struct link_inputs *libraries;
    const struct opened_files *opened; /* during the link */
};

/* Lists pieces and libraries, then what else was read: files that options name, also those that are named in
 * such, the linker, the files that arguments came from. */
cubinet_status link_depfile_write(const struct link_depfile *depfile);

#endif
