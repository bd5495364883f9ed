/* SPDX-License-Identifier: Apache-2.0 */
/* The rest of a loaded module whose archive was sliced. */
#ifndef CBN_REST_MODULE_H
#define CBN_REST_MODULE_H

#include "loader/driver/module.h"

/* The module of that name in the archive of the rest: loaded when it is first asked for, for the same target
 * and into the same context, and unloaded with this one. NULL if nothing was left out of the archive, or no
 * rest has the module. */
cubinet_status cbn_rest_of_module(struct cubinet_module *module, struct cubinet_module **out_rest);

/* The same for a kernel that the loaded image lacks; `out_rest` stays untouched if it was not left out of the
 * archive. CUBINET_ERROR_NOT_FOUND if it was, and no rest has it. `name` is for messages. */
cubinet_status cbn_rest_of_kernel(struct cubinet_module *module, uint32_t kernel, const char *name,
                                  struct cubinet_module **out_rest);

#endif
