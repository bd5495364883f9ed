/* SPDX-License-Identifier: Apache-2.0 */
/* A digest of everything that a compile depends on except the files it opens: see inputs.h. */
#ifndef COMPILE_KEY_H
#define COMPILE_KEY_H

#include "loader/core/support/sha256.h"
#include "toolkit/toolkit.h"

#include <cubinet/status.h>

/* Of the arguments, the working folder, the environment as far as it counts, Cubinet itself and the toolkit.
 */
cubinet_status compile_key(int argc, char *const *argv, const char *working_folder,
                           const struct toolkit *toolkit, struct cbn_sha256 *out_key);

#endif
