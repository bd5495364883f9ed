/* SPDX-License-Identifier: Apache-2.0 */
/* The policy that a load follows: the program's, and what the user of the machine adds. */
#ifndef CBN_POLICY_H
#define CBN_POLICY_H

#include <cubinet/select.h>

/* Checks a program's policy (NULL: the default). */
cubinet_status cbn_policy_read(const cubinet_policy *program, cubinet_policy *out_policy);

/* Checks a program's policy (NULL: the default) and combines it with the environment, as <cubinet/select.h>
 * says. CUBINET_ERROR_INVALID_ARGUMENT, too, for one that wants OptiX-IR, which is not loaded. `only` of the
 * result is the program's string or the environment's. */
cubinet_status cbn_policy_resolve(const cubinet_policy *program, cubinet_policy *out_policy);

/* What the CUBINET_* variables ask for; the default policy in programs that run with raised privileges.
 * CUBINET_ERROR_INVALID_ARGUMENT if one has a value that it can't have. */
cubinet_status cbn_policy_from_environment(cubinet_policy *out_policy);

#endif
