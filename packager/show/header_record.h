/* SPDX-License-Identifier: Apache-2.0 */
/* What the launch records of all images of a kernel agree about, for a generated header. */
#ifndef HEADER_RECORD_H
#define HEADER_RECORD_H

#include "archive/listing.h"
#include "show/header_types.h"

#include <cubinet/launch_record.h>

struct header_record {
    cubinet_launch_record record; /* of the first image that has the kernel, with the first names */
    bool is_read;
    bool hidden_differ; /* between images */
    bool bytes_differ;
    bool block_differs;
};

cubinet_status header_record_read(const cubinet_archive *archive, const struct listing_module *module,
                                  uint32_t kernel, struct header_record *out_record);

bool header_record_hides(const struct header_record *record, uint32_t param);

/* A type as C++ writes it: a number, a pointer to one or to void, or a pointer to what C has no name for.
 * Anything else is known by its size alone. `bytes`: of the parameter, which the type must have */
struct header_type header_recorded_type(const char *text, uint32_t bytes);

#endif
