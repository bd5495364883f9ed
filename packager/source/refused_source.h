/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a source that NVRTC refused, where more is known than NVRTC says: that it has host code, or
 * includes headers for it. */
#ifndef REFUSED_SOURCE_H
#define REFUSED_SOURCE_H

#include "base/buffer.h"
#include "toolkit/device_headers.h"
#include "toolkit/diagnostics.h"

struct refused_source {
    const char *path;
    const char *text;
    const struct diagnostics *diagnostics; /* of the compile that failed */
    enum device_headers headers;
};

/* Adds the messages: the compiler's own and notes on them, or what replaces them. CUBINET_ERROR_COMPILE if it
 * set the thread's message, the exit line; CUBINET_OK if what the compiler said is the reason. */
cubinet_status refused_source_report(const struct refused_source *source, struct buffer *messages);

#endif
