/* SPDX-License-Identifier: Apache-2.0 */
/* The options of nvcc that are none of `cubinet compile`: those that have no effect here, and those that ask
 * for something that it does not do. Together with compile_options.h they are all that nvcc has, so that a
 * command line written for it is understood; docs/guide/from-nvcc.md lists what becomes of each. */
#ifndef NVCC_OPTIONS_H
#define NVCC_OPTIONS_H

#include "base/options.h"
#include "loader/core/support/text_list.h"

/* For option_reader's `more`. Their ids are above those of every other table. */
extern const struct option nvcc_options[];
enum { NVCC_OPTION_FIRST = 1000 };

/* What was taken, as it was spelled, and has no effect that the user may be waiting for. */
struct nvcc_ignored {
    struct cbn_text_list for_host;  /* for the host compiler and linker: there is no host code */
    struct cbn_text_list for_nvrtc; /* NVRTC has nothing like it */
};

/* Takes an option of the table, with its value (NULL if it has none). CUBINET_ERROR_INVALID_ARGUMENT for one
 * that asks for something else than a compile, and for a value that nvcc does not take either. */
cubinet_status nvcc_option_take(int id, const char *spelling, const char *value,
                                struct nvcc_ignored *ignored);

/* Adds an option as it was spelled. */
cubinet_status nvcc_ignored_add(struct cbn_text_list *list, const char *spelling, const char *value);

/* Warns of what is in the lists, in a line for each. */
void nvcc_ignored_warn(const struct nvcc_ignored *ignored);

void nvcc_ignored_free(struct nvcc_ignored *ignored);

/* Whether the command line has nvcc's `-forward-unknown-…`: then options that nobody knows are for the host
 * compiler or linker. */
bool nvcc_forwards_unknown(int argc, char *const *argv);

#endif
