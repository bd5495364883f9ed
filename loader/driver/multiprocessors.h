/* SPDX-License-Identifier: Apache-2.0 */
/* How many multiprocessors a module's kernels run on. */
#ifndef CBN_MULTIPROCESSORS_H
#define CBN_MULTIPROCESSORS_H

#include "loader/driver/module.h"

/* Those of the module's context: a green context has a part of the device's. */
uint32_t cbn_multiprocessors(const struct cubinet_module *module);

#endif
