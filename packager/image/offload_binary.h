/* SPDX-License-Identifier: Apache-2.0 */
/* LLVM's offload binaries: images with their triple and architecture, in files of clang-offload-packager
 * (llvm-offload-binary) and in sections .llvm.offloading of host code. */
#ifndef OFFLOAD_BINARY_H
#define OFFLOAD_BINARY_H

#include "image/offload.h"

bool offload_binary_is(const unsigned char *data, size_t size);

/* Looks at every image, as offload_read() does; several binaries lie one after another. */
cubinet_status offload_binary_read(const unsigned char *data, size_t size, offload_fn *found, void *user);

#endif
