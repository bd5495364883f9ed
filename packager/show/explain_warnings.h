/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPLAIN_WARNINGS_H
#define EXPLAIN_WARNINGS_H

#include "show/explain.h"

/* Warns of modules that no GPU to come can use, and of devices that are reached only by compiling or linking
 * on the machine. */
cubinet_status explain_warn(const struct explain *explain);

#endif
