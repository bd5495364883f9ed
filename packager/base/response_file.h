/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments from files: `@FILE` stands for what is in it, as with gcc. */
#ifndef RESPONSE_FILE_H
#define RESPONSE_FILE_H

#include "base/options.h"
#include "loader/core/support/text_list.h"

#include <cubinet/status.h>

struct arguments {
    int count;
    char **values; /* NULL after the last */
};

/* Copies the arguments, with each `@FILE` replaced by the arguments in the file: separated by white space,
 * with '…' and "…" around what has any, and '\' before a character that stands for itself. Files may name
 * further files. An `@FILE` that can't be read stays as it is, as with gcc. The caller frees the result. */
cubinet_status arguments_expand(int count, char *const *values, struct arguments *out_arguments);

/* The same for what build files written for nvcc have among the arguments of a compile: nvcc's own spelling,
 * `-optf FILE,…` and `--options-file=FILE,…`, and CMake's `SHELL:-Xptxas -v`, one argument that stands for
 * several, which CMake splits for compilers but not for other commands. `reader`: whose options have values,
 * which stay as they are (`-Xptxas -optf`). */
cubinet_status arguments_expand_for_compile(int count, char *const *values,
                                            const struct option_reader *reader,
                                            struct arguments *out_arguments);

/* Adds to a depfile's paths the files that the arguments came from since the last arguments_expand(): a build
 * tool does not see what is in them. Without pipes, and without those that end with ".rsp": Ninja and CMake
 * write these for one command and remove them. */
cubinet_status arguments_add_files(struct cbn_text_list *paths);

void arguments_free(struct arguments *arguments);

#endif
