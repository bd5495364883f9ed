/* SPDX-License-Identifier: Apache-2.0 */
/* NVVM containers: what LTO-IR and OptiX-IR come in. Of their header this much is known
 * (docs/reference/fatbin.md): the target. */
#ifndef NVVM_CONTAINER_H
#define NVVM_CONTAINER_H

#include <cubinet/status.h>
#include <cubinet/target.h>

#include <stdbool.h>
#include <stddef.h>

/* Whether bytes start as a container does. */
bool nvvm_container_is(const void *data, size_t size);

/* The target of LTO-IR or OptiX-IR, without a suffix, which is not in it. CUBINET_ERROR_INVALID_ARGUMENT for
 * a container of something else. */
cubinet_status nvvm_container_target(const void *data, size_t size, cubinet_target *out_target);

#endif
