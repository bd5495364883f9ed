/* SPDX-License-Identifier: Apache-2.0 */
/* Which architecture PTX text is for, without reading more of it than its head. */
#ifndef CBN_PTX_TARGET_H
#define CBN_PTX_TARGET_H

#include <cubinet/target.h>

#include <stdbool.h>

/* Reads the .target directive; false, and `*out_target` untouched, if the text has none where PTX has it. */
bool cbn_ptx_target(const char *ptx, cubinet_target *out_target);

#endif
