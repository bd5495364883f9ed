/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMPARE_H
#define COMPARE_H

#include "checks.h"

/* Compares a check's values with what the host's standard library computes, and prints those that differ; how
 * many do. Values of functions that are not exact in the two libraries may differ in their last bits. */
unsigned int compare_check(int check, const double *values, unsigned int count);

#endif
