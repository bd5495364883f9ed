/* SPDX-License-Identifier: Apache-2.0 */
/* The exit lines for names that were asked for and that the source does not have: each names what the source
 * does have. */
#ifndef REFUSED_NAMES_H
#define REFUSED_NAMES_H

#include "compile/compile_work.h"

struct fragment_refusal;

/* NVRTC refused a name expression, and said `because`. */
cubinet_status refused_expression(const struct compile_work *work, const char *refused, const char *because);

/* NVRTC refused a name of a fragment. */
cubinet_status refused_symbol(const struct compile_work *work, const struct fragment_refusal *refusal);

/* Nothing named a kernel, and the source has none but templates, if any. */
cubinet_status refused_without_kernels(const struct compile_work *work);

#endif
