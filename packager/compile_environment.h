/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the environment that NVIDIA's compilers would read. */
#ifndef COMPILE_ENVIRONMENT_H
#define COMPILE_ENVIRONMENT_H

#include "string_list.h"

/* Removes from this process's environment what changes a compile behind the command line's back: NVRTC's,
 * nvJitLink's and their parts' variables (NVRTC_APPEND_FLAGS for one), and PWD, by which they find the
 * working folder. `out_removed` gets the names of those that were set, PWD left out; NULL if they don't
 * matter. */
cubinet_status compile_environment_clear(struct string_list *out_removed);

#endif
