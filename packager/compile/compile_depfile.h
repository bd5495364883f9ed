/* SPDX-License-Identifier: Apache-2.0 */
/* The depfile of a compile: what it read, for Ninja and make. */
#ifndef COMPILE_DEPFILE_H
#define COMPILE_DEPFILE_H

#include "compile/compile_arguments.h"
#include "compile/inputs.h"

struct compile_depfile {
    const struct compile_arguments *arguments; /* whose `depfile` is where it goes; NULL: standard output */
    const struct toolkit *toolkit;
    const char *working_folder;
    const char *link_folder; /* for links to paths that a depfile can't hold */
};

cubinet_status compile_depfile_write(const struct compile_depfile *depfile, const struct inputs *inputs);

#endif
