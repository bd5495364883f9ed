/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the driver has loaded of an image: a CUlibrary for each of its parts, of an ordinary image one.
 * Libraries belong to no context, so modules of several devices that were loaded together share them; the
 * last to let go unloads them. */
#ifndef CBN_DEVICE_CODE_H
#define CBN_DEVICE_CODE_H

#include "loader/core/archive/cbn_archive.h"
#include "loader/driver/driver_table.h"
#include "loader/link/param_count.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { CBN_JIT_LOG_SIZE = 8192 };

struct cbn_part {
    atomic_bool is_loaded; /* the library works, and nothing here changes any more */
    bool is_loading;       /* by a thread, whose the rest is meanwhile. With the code's mutex */
    bool is_lost;          /* the archive was closed, and there was no memory to keep the part's bytes */
    CUlibrary library;     /* NULL until the driver has taken the part */
    struct cbn_param_counts params; /* of its kernels, if these are compared with the driver's */
    char *jit_log; /* the driver may write to it as long as the library lives; NULL of machine code */
    struct cbn_image_bytes kept; /* what to load, with a NUL after it, of an archive that was closed */
};

struct cbn_device_code {
    atomic_uint users;
    pthread_mutex_t mutex;
    pthread_cond_t part_ended; /* some thread is done with a part */
    uint32_t part_count;
    struct cbn_part parts[];
};

/* One for the caller, who lets go of it; NULL if memory is out. Nothing is loaded. */
struct cbn_device_code *cbn_device_code_new(uint32_t part_count);
struct cbn_device_code *cbn_device_code_share(struct cbn_device_code *code);

static inline bool cbn_part_is_loaded(const struct cbn_device_code *code, uint32_t part)
{
    return atomic_load_explicit(&code->parts[part].is_loaded, memory_order_acquire);
}

/* Waits while another thread is busy with the part. False if it is loaded; otherwise the part is the
 * caller's until cbn_part_end(). */
bool cbn_part_begin(struct cbn_device_code *code, uint32_t part);
void cbn_part_end(struct cbn_device_code *code, uint32_t part, bool is_loaded);

/* Forgets what was loaded of a part that is the caller's. */
cbn_cu_result cbn_part_drop(const struct cbn_driver_table *cu, struct cbn_part *part);

/* Unloads the libraries if nobody else uses them: what the driver first said against that. NULL is allowed.
 * From any thread. */
cbn_cu_result cbn_device_code_release(const struct cbn_driver_table *cu, struct cbn_device_code *code);

#endif
