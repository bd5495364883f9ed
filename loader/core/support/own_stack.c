/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/own_stack.h"

#include "loader/core/support/error.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_SIZE = 8 << 20 };

struct call {
    cubinet_status (*work)(void *user);
    void *user;
    cubinet_status status;
    struct cbn_kept_error error;
};

static void *run(void *data)
{
    struct call *call = data;
    call->status = call->work(call->user);
    if (call->status) {
        call->error = cbn_error_keep();
    }
    return NULL;
}

/* Signals are for the program's own threads. */
static int start(pthread_t *thread, struct call *call)
{
    pthread_attr_t attributes;
    sigset_t all;
    sigset_t before;
    int error = pthread_attr_init(&attributes);
    if (error) {
        return error;
    }
    pthread_attr_setstacksize(&attributes, STACK_SIZE); /* which is a size that it takes */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(thread, &attributes, run, call);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

cubinet_status cbn_run_on_own_stack(cubinet_status (*work)(void *user), void *user)
{
    struct call call = {.work = work, .user = user};
    pthread_t thread;
    int error = start(&thread, &call);
    if (error) {
        return cbn_error(CUBINET_ERROR_OUT_OF_MEMORY, "no thread with %d MiB of stack could be started: %s",
                         STACK_SIZE >> 20, strerror(error));
    }
    pthread_join(thread, NULL);
    if (call.status) {
        cbn_error_put_back(&call.error);
    }
    return call.status;
}
