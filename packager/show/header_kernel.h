/* SPDX-License-Identifier: Apache-2.0 */
/* What a generated header says of one kernel. */
#ifndef HEADER_KERNEL_H
#define HEADER_KERNEL_H

#include "archive/listing.h"
#include "show/header_writer.h"

void header_kernel(struct header_writer *writer, const cubinet_archive *archive,
                   const struct listing_module *module, uint32_t kernel, struct header_subject *subject);

#endif
