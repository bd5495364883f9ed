/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CBN_FIND_KERNEL_H
#define CBN_FIND_KERNEL_H

#include "loader/driver/module.h"

/* As cubinet_module_find_kernel(), and does not count as a use. */
cubinet_status cbn_module_find_kernel(struct cubinet_module *module, const char *expression_or_name,
                                      cubinet_kernel **out_kernel);

#endif
