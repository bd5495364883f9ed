/* SPDX-License-Identifier: Apache-2.0 */
/* The checks with the headers for device code, compiled by the host's compiler with -nostdinc++ and those
 * headers in the place of its own. */
#include "prelude.h"

#include "checks.h"

extern "C" __attribute__((visibility("default"))) unsigned int shipped_values(int check, double *values)
{
    return check_make(check, values);
}
