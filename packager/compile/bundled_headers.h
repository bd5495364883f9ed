/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of CUDA and CCCL that NVRTC brings inside its library since CUDA 13.3, for a toolkit that has
 * none. */
#ifndef BUNDLED_HEADERS_H
#define BUNDLED_HEADERS_H

#include "process/compile_limits.h"
#include "toolkit/toolkit.h"

/* Adds them to a toolkit in which no headers of CUDA's were found, as its own. They are unpacked once for
 * each build of NVRTC, by a child process within `limits`, into a folder of the user's: …/cubinet-headers of
 * XDG_CACHE_HOME, or of .cache in HOME. Where there can't be one, nothing is added; `verbose` says why. */
cubinet_status bundled_headers_add(struct toolkit *toolkit, const struct limits *limits, bool verbose);

#endif
