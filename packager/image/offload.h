/* SPDX-License-Identifier: Apache-2.0 */
/* Files in which clang and LLVM keep the images of several targets: bundles (clang-offload-bundler) and
 * offload binaries (clang-offload-packager, --offload-new-driver). */
#ifndef OFFLOAD_H
#define OFFLOAD_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

/* Whether bytes start as one of them does. */
bool offload_is(const void *data, size_t size);

/* Called for each image that is for a GPU of NVIDIA's. */
typedef cubinet_status offload_fn(void *user, const unsigned char *image, size_t size);

/* Looks at every image. CUBINET_ERROR_DAMAGED for what is cut off, CUBINET_ERROR_INVALID_ARGUMENT for a
 * compressed bundle, else what the function returned that is not CUBINET_OK. */
cubinet_status offload_read(const void *data, size_t size, offload_fn *found, void *user);

#endif
