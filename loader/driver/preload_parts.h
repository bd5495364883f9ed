/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of one module of a preload, which several threads load. */
#ifndef CBN_PRELOAD_PARTS_H
#define CBN_PRELOAD_PARTS_H

#include "loader/driver/module.h"

/* Used with a mutex of the caller's held. */
struct cbn_preload_parts {
    struct cubinet_module *module;
    uint32_t begun;        /* the first so many were taken by some thread */
    uint32_t busy;         /* threads that load one now */
    uint32_t refused;      /* a part that the driver refused; CUBINET_UNKNOWN: none */
    cubinet_status status; /* of a part that failed, with what was said of it */
    int driver_result;
    char *message;
    struct cbn_preload_parts *next; /* in a list of the caller's */
};

/* All parts of the image that the module has chosen. */
struct cbn_preload_parts cbn_preload_parts_of(struct cubinet_module *module);

/* Whether there is a part that a thread may take: after a failure there is none. */
bool cbn_preload_parts_left(const struct cbn_preload_parts *parts);

/* Takes a part that is left and loads it. Lets go of the mutex meanwhile. */
void cbn_preload_parts_load(struct cbn_preload_parts *parts, pthread_mutex_t *mutex);

/* When no thread is busy any more, and none will be: what it came to. `*out_again`: the module has moved on
 * to another image, whose parts are to be loaded. Without the mutex. */
cubinet_status cbn_preload_parts_end(struct cbn_preload_parts *parts, bool *out_again);

#endif
