/* SPDX-License-Identifier: Apache-2.0 */
/* Where a compile takes place: the working folder, the environment, and the toolkit as its arguments want
 * it. */
#ifndef COMPILE_PLACE_H
#define COMPILE_PLACE_H

#include "compile/compile_arguments.h"
#include "loader/core/support/text_list.h"
#include "toolkit/toolkit.h"

/* The working folder, and what it is called in debug information and by the compiler: the first map of
 * --file-prefix-map that fits says, or it is ".". The caller frees both, whatever the result. */
cubinet_status compile_place_folders(const struct compile_arguments *arguments, char **out_working_folder,
                                     char **out_pretended_folder);

/* The toolkit, with the headers that are shipped beside the command, and the assembler that is asked for. The
 * caller frees it, whatever the result. */
cubinet_status compile_place_toolkit(const struct compile_arguments *arguments, struct toolkit *out_toolkit);

/* Removes from this process's environment what changes a compile behind the command line's back: NVRTC's,
 * nvJitLink's and their parts' variables (NVRTC_APPEND_FLAGS for one), and PWD, by which they find the
 * working folder. `verbose`: prints the names of those that were set, PWD left out. */
cubinet_status compile_environment_clear(bool verbose);

#endif
