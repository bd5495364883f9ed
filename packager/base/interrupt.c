/* SPDX-License-Identifier: Apache-2.0 */
#include "base/interrupt.h"

#include "base/kept_signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNAL_COUNT = sizeof(signals) / sizeof(signals[0]) };

static _Atomic(const char *) to_remove;

enum { MOST_CALLS = 4 };
typedef void (*call)(void);
static _Atomic(call) calls[MOST_CALLS];
static atomic_bool is_ending;

/* Only what is safe in a signal handler. The process ends as one that a signal ended: make and Ninja look at
 * that. SA_RESETHAND would not do: NVRTC has handlers of its own for a while, and puts this one back without.
 */
static void remove_and_end(int number)
{
    atomic_store(&is_ending, true);
    for (size_t i = 0; i < MOST_CALLS; i++) {
        call function = atomic_load(&calls[i]);
        if (function) {
            function();
        }
    }
    const char *path = atomic_load(&to_remove);
    if (path) {
        unlink(path);
    }
    kept_signals(false);
    signal(number, SIG_DFL);
    raise(number);
}

static void install(void)
{
    struct sigaction action = {.sa_handler = remove_and_end};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

static void install_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

void interrupt_remove(const char *path)
{
    install_once();
    atomic_store(&to_remove, path);
}

void interrupt_call(void (*function)(void))
{
    size_t place = 0;
    while (place + 1 < MOST_CALLS && atomic_load(&calls[place]) && atomic_load(&calls[place]) != function) {
        place++;
    }
    atomic_store(&calls[place], function);
    install_once();
}

void interrupt_let_end(void)
{
    while (atomic_load(&is_ending)) {
        pause();
    }
}
