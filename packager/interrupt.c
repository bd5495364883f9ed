/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNAL_COUNT = sizeof(signals) / sizeof(signals[0]) };

static _Atomic(const char *) to_remove;

/* Only what is safe in a signal handler. SA_RESETHAND has brought back the default by the time the signal is
 * raised again, so that the process ends as one that a signal ended: make and Ninja look at that. */
static void remove_and_end(int signal)
{
    const char *path = atomic_load(&to_remove);
    if (path) {
        unlink(path);
    }
    raise(signal);
}

static void install(void)
{
    struct sigaction action = {.sa_handler = remove_and_end, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

void interrupt_remove(const char *path)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    atomic_store(&to_remove, path);
}
