/* SPDX-License-Identifier: Apache-2.0 */
#include "base/kept_signals.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static atomic_bool are_kept;

void kept_signals(bool keep)
{
    atomic_store(&are_kept, keep);
}

static bool is_kept(int number)
{
    return atomic_load(&are_kept) && (number == SIGINT || number == SIGTERM || number == SIGHUP);
}

EXPORTED int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old)
{
    int (*next)(int, const struct sigaction *, struct sigaction *);
    void *found = dlsym(RTLD_NEXT, "sigaction");
    memcpy(&next, &found, sizeof(next));
    return next(number, is_kept(number) ? NULL : action, old);
}

EXPORTED sighandler_t signal(int number, sighandler_t handler)
{
    struct sigaction old = {0};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
