/* SPDX-License-Identifier: Apache-2.0 */
/* A generated header's functions, which launch a kernel with arguments of its parameters' types. */
#ifndef HEADER_LAUNCH_H
#define HEADER_LAUNCH_H

#include "archive/listing.h"
#include "show/header_types.h"
#include "show/header_writer.h"

/* Writes the function of a kernel, if its parameters are known, and the same in all images. */
void header_launch(struct header_writer *writer, const cubinet_archive *archive,
                   const struct listing_module *module, uint32_t kernel, struct header_subject *subject);

/* Reads the signature of such a kernel, with the parameters of its images: where those do not agree with the
 * name, a parameter is known by its size. False for another, or after a failure, which is noted. The caller
 * frees it. */
bool header_launch_read(struct header_writer *writer, const cubinet_archive *archive,
                        const struct listing_module *module, uint32_t kernel, const char *lowered,
                        struct header_signature *out_signature);

/* A comment on the kernel that is launched, and on what the header can't name. */
void header_launch_comment(struct header_writer *writer, const char *lowered,
                           const struct header_signature *launched);

/* A parameter's type in C++: "const float *", or what stands for it. */
void header_launch_type(struct buffer *text, const struct header_type *type);

#endif
