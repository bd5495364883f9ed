/* SPDX-License-Identifier: Apache-2.0 */
/* The files that ptxas's options name, as inputs of a compile. What compilers open in the command's own
 * process is seen (opened_files.h); ptxas runs in one of its own, so its options are read instead. */
#ifndef PTXAS_FILES_H
#define PTXAS_FILES_H

#include "loader/core/support/text_list.h"

#include <cubinet/status.h>

#include <stdbool.h>

/* Of nvJitLink's options, as ptxas gets them (ptxas.h): the files that they name, and those that are named in
 * files with options. Reads the latter. `*out_may_read_more`: there may be others, since an option
 * is not known. The caller frees the list. */
cubinet_status ptxas_files_list(const struct cbn_text_list *options, struct cbn_text_list *out_files,
                                bool *out_may_read_more);

/* The same, noted as if the compiler had opened them. */
cubinet_status ptxas_files_note(const struct cbn_text_list *options, bool *out_may_read_more);

#endif
