/* SPDX-License-Identifier: Apache-2.0 */
/* Files whose names tell a toolkit's release. A build that depends on them sees another release come, even if
 * all of its files are old and a link such as /usr/local/cuda was switched to it: they are gone. */
#ifndef TOOLKIT_RELEASE_H
#define TOOLKIT_RELEASE_H

#include "loader/core/support/text_list.h"

/* Adds those that lie beside a library of NVIDIA's compilers: libnvrtc.so.13.0.88 beside libnvrtc.so.13, and
 * NVRTC's builtins, whose name has the release also where the library's has only the major version. */
cubinet_status toolkit_release_add(const char *library, struct cbn_text_list *paths);

#endif
