/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of the toolkit's own that NVRTC takes only with -default-device: Thrust's have functions without
 * annotation beside those for kernels. */
#ifndef DEFAULT_DEVICE_H
#define DEFAULT_DEVICE_H

#include "loader/core/support/text_list.h"

#include <stdbool.h>

/* Whether a log of NVRTC's has an error about a file in one of the folders that a source has with no
 * annotation, and that -default-device mends. False if it is among the options already. */
bool default_device_is_needed(const char *log, const struct cbn_text_list *folders,
                              const struct cbn_text_list *options);

#endif
