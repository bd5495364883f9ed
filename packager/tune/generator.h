/* SPDX-License-Identifier: Apache-2.0 */
/* Values of arguments, the same on every machine and in every run. */
#ifndef GENERATOR_H
#define GENERATOR_H

#include "tune/description.h"

/* An argument of a launch, in host memory. */
struct generated {
    void *data; /* of an array, which the caller frees; NULL: a scalar */
    size_t count;
    size_t bytes;
    unsigned char scalar[8];
};

/* Makes the values. names: of NAMES_EXTENT; folder: of the description's file */
cubinet_status generate(const struct tune_argument *argument, const struct expression_values *names,
                        const char *folder, struct generated *out_generated);

/* Reads the values of a file: `count` of them at least. */
cubinet_status generate_from_file(const struct tune_argument *argument, const char *folder, const char *path,
                                  size_t count, void **out_data);

#endif
