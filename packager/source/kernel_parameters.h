/* SPDX-License-Identifier: Apache-2.0 */
/* What a source calls the parameters of kernels whose names in the compiled code tell no types, and the types
 * it gives them: kernels declared `extern "C"`. */
#ifndef KERNEL_PARAMETERS_H
#define KERNEL_PARAMETERS_H

#include "image/contents.h"
#include "source/host_skip.h"

struct kernel_parameters {
    struct declared_kernel {
        char *name;                    /* without the namespaces around it */
        struct launch_record declared; /* its parameters, and nothing else */
    } * items;
    size_t count;
};

/* Adds the kernels that a source and its headers declare. */
cubinet_status kernel_parameters_add(const struct host_skip *skip, struct kernel_parameters *parameters);

/* Gives kernels of the code the names and types of their declarations, where these have as many parameters.
 */
cubinet_status kernel_parameters_record(const struct kernel_parameters *parameters,
                                        struct contents *contents);

void kernel_parameters_free(struct kernel_parameters *parameters);

#endif
