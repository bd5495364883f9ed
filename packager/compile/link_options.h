/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `cubinet compile` that a link of its pieces must repeat. */
#ifndef LINK_OPTIONS_H
#define LINK_OPTIONS_H

#include "loader/core/support/text_list.h"

#include <cubinet/status.h>

/* Adds to `flags` what the options of a compile become for `cubinet link`: LTO-IR leaves floating-point
 * modes, registers, optimization, parts, variables to keep and ptxas's options to the link. Files that they
 * name go to `files`, on which the link depends. `argv`: as compile_arguments_expand() leaves it.
 * CUBINET_ERROR_INVALID_ARGUMENT for what a compile would refuse, too. */
cubinet_status link_options_of_compile(int argc, char **argv, struct cbn_text_list *flags,
                                       struct cbn_text_list *files);

#endif
