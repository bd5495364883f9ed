/* SPDX-License-Identifier: Apache-2.0 */
/* A loaded module and its kernels. Once it has settled for an image, nothing of them changes but the kernels'
 * states, and which parts of the code are loaded. */
#ifndef CBN_MODULE_H
#define CBN_MODULE_H

#include "loader/driver/context.h"
#include "loader/driver/device_code.h"
#include "loader/driver/driver.h"

#include <cubinet/module.h>

#include <pthread.h>
#include <stdatomic.h>

/* What is found out or set only when a kernel is first used. Each member only ever goes one way, so threads
 * that read an old value do no more than ask the driver again. */
struct cbn_kernel_state {
    _Atomic(CUkernel) handle;         /* NULL: not asked for yet */
    _Atomic(CUfunction) function;     /* likewise */
    _Atomic(uint32_t) static_shared;  /* bytes; CUBINET_UNKNOWN: not asked for yet */
    _Atomic(uint32_t) dynamic_shared; /* bytes that the kernel was opted in for; 0: none */
    _Atomic(bool) large_clusters;     /* opted in for clusters that not every device has */
    _Atomic(unsigned) recorded;       /* bits of enum cbn_kernel_use */
    _Atomic(bool) params_checked;     /* its parameters are what the archive records */
};

struct cubinet_kernel {
    struct cubinet_module *module;
    uint32_t index;           /* in the archive's module */
    bool is_recorded;         /* the loaded image has this kernel */
    bool uses_dynamic_shared; /* surely; what does not show it may, too */
    bool never_waits;         /* surely: its code has no griddepcontrol.wait */
    uint32_t dependency;      /* CUBINET_RECORD_WAITS, …_TRIGGERS, as far as they are known */
    struct cbn_kernel_record record;
    struct cbn_kernel_state *state;
};

struct cubinet_module {
    atomic_uint users; /* calls of cubinet_module_unload() until it is */
    const cubinet_driver *driver;
    const struct cbn_device *device;
    cubinet_archive *archive; /* a reference: names and parameters live there. Of linked code its own */
    uint32_t index;           /* of the module in the archive */
    uint32_t image;           /* the one that was loaded */
    bool is_tiles;            /* its kernels are tile kernels: they are launched with blocks of one thread */
    bool is_tileir;           /* it was loaded from Tile IR, which tells no parameters */
    struct cbn_context context;
    _Atomic(uint32_t) multiprocessors; /* of the context; 0: not asked for yet */
    struct cbn_device_code *code;      /* perhaps with modules of other devices */
    struct cbn_load_later *later;      /* how parts are loaded later; NULL: there are none */
    /* Set once, at the latest before a kernel or a global is handed out. Before, what is above may change,
       and is used with the mutex held: load_later.h. */
    atomic_bool is_settled;
    uint32_t kernel_count;
    struct cubinet_kernel *kernels; /* all of the archive's module, in its order */
    struct cbn_kernel_state *states;
    _Atomic(struct cubinet_module *) rest;   /* the same of what a slice left out; NULL: none was asked for */
    _Atomic(struct cbn_tuned_index *) tuned; /* its tuning records; NULL: nobody asked for one yet */
    struct cbn_module_record *record;        /* what its uses are recorded with; NULL: they are not */
    pthread_mutex_t mutex;                   /* held while a kernel's attributes are raised, too */
};

/* Makes a module of a device that has no code and no context. The caller frees it. */
cubinet_status cbn_module_new(const cubinet_driver *driver, const struct cbn_device *device,
                              const cubinet_archive *archive, uint32_t index,
                              struct cubinet_module **out_module);

/* Gives a module that has no code another archive module to be loaded from. */
cubinet_status cbn_module_take(struct cubinet_module *module, const cubinet_archive *archive, uint32_t index);

/* Frees a module, also a half-built one, and returns the first thing that the driver said against it. */
cbn_cu_result cbn_module_free(struct cubinet_module *module);

/* Asks the driver for a kernel of a loaded part, if nobody has. Any thread may. */
cbn_cu_result cbn_kernel_look_up(const cubinet_kernel *kernel);

/* The driver's handle of a kernel that was looked up. */
static inline CUkernel cbn_kernel_handle(const cubinet_kernel *kernel)
{
    return atomic_load_explicit(&kernel->state->handle, memory_order_acquire);
}

/* The kernel's function in the module's context, which must be current. */
cubinet_status cbn_kernel_function(const cubinet_kernel *kernel, CUfunction *out_function);

/* Its lowered name, and its expression (which messages use). They live as long as the module. */
const char *cbn_kernel_name(const cubinet_kernel *kernel);
const char *cbn_kernel_expression(const cubinet_kernel *kernel);

#endif
