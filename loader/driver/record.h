/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded of modules and kernels as they are used. Where nothing is recorded, a module has no
 * `record`, and nothing here does anything. */
#ifndef CBN_RECORD_H
#define CBN_RECORD_H

#include "loader/driver/load.h"
#include "loader/link/link_plan.h"

/* What all entries about a loaded module say. */
struct cbn_module_record;

/* Records that the module was loaded, for this request. */
void cbn_record_module(struct cubinet_module *module, const struct cbn_load_request *request);

/* NULL is allowed. */
void cbn_module_record_free(struct cbn_module_record *record);

/* Records which images of archives were linked. */
void cbn_record_link(const cubinet_driver *driver, const struct cbn_device *device,
                     const struct cbn_link_plan *plan);

/* How far a kernel was used: each way is recorded once for a module. */
enum cbn_kernel_use {
    CBN_KERNEL_FOUND = 1 << 0,    /* looked up */
    CBN_KERNEL_LAUNCHED = 1 << 1, /* launched, or its function or handle given to the program */
};

void cbn_record_kernel_use(const cubinet_kernel *kernel, enum cbn_kernel_use use);
void cbn_record_global_use(const struct cubinet_module *module, const char *name);

static inline void cbn_record_kernel(const cubinet_kernel *kernel, enum cbn_kernel_use use)
{
    if (kernel->module->record) {
        cbn_record_kernel_use(kernel, use);
    }
}

static inline void cbn_record_global(const struct cubinet_module *module, const char *name)
{
    if (module->record) {
        cbn_record_global_use(module, name);
    }
}

#endif
