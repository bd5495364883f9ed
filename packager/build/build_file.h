/* SPDX-License-Identifier: Apache-2.0 */
/* The Ninja file of a build: the rules of cubinet.ninja, and a compile for each source and virtual
 * architecture. It needs nothing but this command. */
#ifndef BUILD_FILE_H
#define BUILD_FILE_H

#include "build/build_plan.h"
#include "build/build_request.h"

/* Makes the text, which the caller frees.
 *
 * again: the arguments of the command that rewrites the file when this command has changed;
 * NULL: none does */
cubinet_status build_file_text(const struct build_request *request, const struct build_plan *plan,
                               const struct cbn_text_list *again, char **out_text);

#endif
