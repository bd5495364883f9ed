/* SPDX-License-Identifier: Apache-2.0 */
/* What a build uses: the toolkit that it found, what that makes of the architectures, and this command. */
#ifndef BUILD_PLAN_H
#define BUILD_PLAN_H

#include "build/build_request.h"
#include "toolkit/arch.h"
#include "toolkit/toolkit.h"

struct build_plan {
    struct toolkit toolkit;
    struct arch_plan images;
    char *command; /* path of this executable */
};

/* The caller frees the plan in any case.
 *
 * out_exit: if it is not EXIT_OK, there is no plan, the reason has been printed, and the result is
 * CUBINET_OK */
cubinet_status build_plan_make(const struct build_request *request, struct build_plan *plan, int *out_exit);
void build_plan_free(struct build_plan *plan);

#endif
