/* SPDX-License-Identifier: Apache-2.0 */
/* The checks with the host's own standard library. */
#include <algorithm>
#include <initializer_list>
#include <memory>

#include "checks.h"

extern "C" __attribute__((visibility("default"))) unsigned int expected_values(int check, double *values)
{
    return check_make(check, values);
}
