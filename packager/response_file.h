/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments from files: `@FILE` stands for what is in it, as with gcc. */
#ifndef RESPONSE_FILE_H
#define RESPONSE_FILE_H

#include <cubinet/status.h>

struct arguments {
    int count;
    char **values; /* NULL after the last */
};

/* Copies the arguments, with each `@FILE` replaced by the arguments in the file: separated by white space,
 * with '…' and "…" around what has any, and '\' before a character that stands for itself. Files may name
 * further files. An `@FILE` that can't be read stays as it is, as with gcc. The caller frees the result. */
cubinet_status arguments_expand(int count, char *const *values, struct arguments *out_arguments);

/* The same for nvcc's spelling of it, `-optf FILE,…` and `--options-file=FILE,…`, in the arguments of a
 * compile. */
cubinet_status arguments_expand_optf(int count, char *const *values, struct arguments *out_arguments);

void arguments_free(struct arguments *arguments);

#endif
