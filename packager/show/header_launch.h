/* SPDX-License-Identifier: Apache-2.0 */
/* A generated header's functions, which launch a kernel with arguments of its parameters' types. */
#ifndef HEADER_LAUNCH_H
#define HEADER_LAUNCH_H

#include "show/header_bounds.h"
#include "show/header_types.h"
#include "show/header_writer.h"

/* Reads a kernel's signature, whose parameters are those that its images have: what does not agree with them
 * is known by its size. Only for known parameters that do not differ. The caller frees it. */
cubinet_status header_launch_signature(struct header_types *types, const char *lowered,
                                       const struct header_bounds *bounds,
                                       struct header_signature *out_signature);

/* A comment on what the header does not name, and the function. */
void header_launch_comment(struct header_writer *writer, const char *signature,
                           const struct header_signature *launched);
void header_launch_function(struct header_writer *writer, struct header_subject *subject,
                            const struct header_signature *launched);

/* A parameter's type in C++: "const float *", or what stands for it. */
void header_launch_type(struct buffer *text, const struct header_type *type);

#endif
