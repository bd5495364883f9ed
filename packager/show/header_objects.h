/* SPDX-License-Identifier: Apache-2.0 */
/* A generated header's part for C++17: each kernel as a function object in a namespace. */
#ifndef HEADER_OBJECTS_H
#define HEADER_OBJECTS_H

#include "archive/listing.h"
#include "show/header_writer.h"

/* Of one module, whose subjects have got their names in C. */
void header_objects(struct header_writer *writer, const cubinet_archive *archive,
                    const struct listing_module *module, const struct header_subject *module_subject,
                    const struct header_subject *kernels);

#endif
