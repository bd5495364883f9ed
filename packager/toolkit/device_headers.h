/* SPDX-License-Identifier: Apache-2.0 */
/* The standard headers for device code, which are shipped beside the command and searched after all others:
 * NVRTC has none. What device code can't have is in none of them; a second folder has its types, which do
 * nothing, and a third what of it the toolkit's own headers name, which they alone find (hidden_headers.h). A
 * fourth is searched before the toolkit's own headers: what of theirs NVRTC takes only with a change. */
#ifndef DEVICE_HEADERS_H
#define DEVICE_HEADERS_H

#include "base/buffer.h"
#include "toolkit/toolkit.h"

#include <cubinet/status.h>

#include <stdbool.h>

enum device_headers {
    DEVICE_HEADERS_LENIENT, /* what device code can have, and the names of host code's types */
    DEVICE_HEADERS_STRICT,  /* what device code can have */
    DEVICE_HEADERS_NONE,
};

/* What is included first of all, in the toolkit's `shipped_headers`, if the kind is DEVICE_HEADERS_LENIENT.
 */
#define DEVICE_HEADERS_PLATFORM "standard/cubinet_std/platform_macros.h"

/* What is included before every source, as soon as it needs it. */
#define DEVICE_HEADERS_IMPLICIT "standard/cubinet_std/implicit.h"

/* What is included, after it, before those that don't compile without. */
#define DEVICE_HEADERS_NVCC_NAMES "standard/cubinet_std/nvcc_names.h"

/* What is included before those that lack names of cuda::std. */
#define DEVICE_HEADERS_CUDA_STD_NAMES "standard/cubinet_std/cuda_std_names.h"

/* What is included before those that name kernels of CUB's or Thrust's own. */
#define DEVICE_HEADERS_ALGORITHM_KERNELS "standard/cubinet_std/algorithm_kernels.h"

/* What is included before sources of which host code is skipped. */
#define DEVICE_HEADERS_HOST_CODE "standard/cubinet_std/host_code.h"

/* Reads a value of --std-headers. */
cubinet_status device_headers_read(const char *text, enum device_headers *out_kind);

/* Puts the folders around the toolkit's own. CUBINET_ERROR_TOOLKIT if they are not where they were installed.
 */
cubinet_status device_headers_add(struct toolkit *toolkit, enum device_headers kind);

/* Appends a note on each header that these messages of a compiler, in gcc's form, say is missing, if it is
 * known what it is: the host's, or of a part of the toolkit. Whether one of them was the host's. */
bool device_headers_explain(const char *messages, enum device_headers kind, struct buffer *notes);

/* Has the command's own fopen() and stat() hide what only some files find (hidden_headers.h), until
 * hidden_headers_stop(); nothing, if device_headers_add() added nothing. The toolkit has to stay until then.
 */
void device_headers_hide(const struct toolkit *toolkit);

#endif
