/* SPDX-License-Identifier: Apache-2.0 */
/* Files in which clang and LLVM keep the images of several targets: bundles (clang-offload-bundler),
 * compressed or not, and offload binaries (offload_binary.h). */
#ifndef OFFLOAD_H
#define OFFLOAD_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

/* Whether bytes start as one of them does. */
bool offload_is(const void *data, size_t size);

/* Called for each image that is for a GPU of NVIDIA's; its bytes may be gone once this returns. */
typedef cubinet_status offload_fn(void *user, const unsigned char *image, size_t size);

/* Looks at every image. CUBINET_ERROR_DAMAGED for what is cut off or does not decompress,
 * CUBINET_ERROR_INVALID_ARGUMENT for a version that is not known, else what the function returned that is not
 * CUBINET_OK. */
cubinet_status offload_read(const void *data, size_t size, offload_fn *found, void *user);

#endif
