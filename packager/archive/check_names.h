/* SPDX-License-Identifier: Apache-2.0 */
/* The expressions that an index records with lowered names. */
#ifndef CHECK_NAMES_H
#define CHECK_NAMES_H

#include "archive/listing.h"
#include "base/problems.h"
#include "loader/core/archive/block.h"

/* Comparing every name of huge tables with every other must not take for ever: so many bytes are compared in
 * an archive, which takes a second or so. */
#define CHECK_NAMES_MOST ((uint64_t)1 << 29)

/* Finds expressions of kernels, globals and symbols that stand with another's lowered name. What an
 * expression names, only the compiler knows: one is wrong for sure if its text does not fit the name that it
 * stands with, and fits another of the same table. Others are compared as long as there are bytes left, of
 * CHECK_NAMES_MOST at first. */
void check_names(const struct cbn_block *block, const struct listing_module *module, uint64_t *io_left,
                 struct problems *problems);

#endif
