/* SPDX-License-Identifier: Apache-2.0 */
/* Names that a user gives to kernels whose lowered names nobody would write, or that differ by architecture.
 */
#ifndef DRAFT_ALIAS_H
#define DRAFT_ALIAS_H

#include "archive/draft.h"

/* Records NAME as the expression of every kernel that fits, in all modules. `alias` is NAME=PATTERN, where
 * the pattern is a lowered name with * and ? as a shell has them. CUBINET_ERROR_NOT_FOUND if no kernel fits;
 * CUBINET_ERROR_INVALID_ARGUMENT for another form, and if two kernels of one image fit, or another kernel of
 * the module is called so. */
cubinet_status draft_alias(struct draft *draft, const char *alias);

#endif
