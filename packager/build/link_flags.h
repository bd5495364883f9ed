/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `cubinet compile` that a link must repeat. */
#ifndef LINK_FLAGS_H
#define LINK_FLAGS_H

#include "loader/core/support/text_list.h"

#include <cubinet/status.h>

/* Adds to `flags` what an option of `cubinet compile` becomes for `cubinet link`, if anything: LTO-IR leaves
 * floating-point modes, registers and ptxas's options to the link. `words` is the option as it was written.
 * A file that it names goes to `files`, on which the link depends. */
cubinet_status link_flags_take(int id, const char *value, char *const *words, int count,
                               struct cbn_text_list *flags, struct cbn_text_list *files);

#endif
