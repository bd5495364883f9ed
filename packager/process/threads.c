/* SPDX-License-Identifier: Apache-2.0 */
#include "process/threads.h"

#include "base/interrupt.h"
#include "process/build_slots.h"
#include "process/jobserver.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum source {
    SOURCE_NONE,
    SOURCE_USER, /* has given as many as the limit */
    SOURCE_SLOTS,
    SOURCE_JOBSERVER,
};

static enum source source;
static size_t most;         /* beside the first, that the user wants */
static atomic_size_t taken; /* of them */

/* Those that this process may run on. */
static size_t count_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

static enum source find_source(bool is_chosen)
{
    if (build_slots_open()) {
        return SOURCE_SLOTS;
    }
    if (jobserver_open(getenv("MAKEFLAGS"))) {
        interrupt_call(jobserver_give_back_all);
        atexit(jobserver_give_back_all); /* NVRTC, while it works, makes of a signal an exit */
        return SOURCE_JOBSERVER;
    }
    return is_chosen ? SOURCE_USER : SOURCE_NONE;
}

void threads_start(size_t limit, bool is_chosen)
{
    source = find_source(is_chosen);
    most = !is_chosen ? SIZE_MAX : limit ? limit - 1 : count_processors() - 1;
}

size_t threads_of_build(uint32_t jobs)
{
    return jobs ? jobs : count_processors();
}

cubinet_status threads_offer(const char *folder, uint32_t jobs)
{
    if (jobserver_open(getenv("MAKEFLAGS"))) {
        return build_slots_offer_none();
    }
    return build_slots_offer(folder, (uint32_t)threads_of_build(jobs));
}

bool threads_are_shared(void)
{
    return source == SOURCE_SLOTS || source == SOURCE_JOBSERVER;
}

static bool take_one(size_t *out_id)
{
    switch (source) {
    case SOURCE_USER:
        *out_id = 0;
        return true;
    case SOURCE_SLOTS:
        return build_slots_take(out_id);
    case SOURCE_JOBSERVER:
        return jobserver_take(out_id);
    default:
        return false;
    }
}

size_t threads_take(size_t wanted, size_t *out_ids)
{
    size_t count = 0;
    while (count < wanted && atomic_load(&taken) < most && take_one(&out_ids[count])) {
        atomic_fetch_add(&taken, 1);
        count++;
    }
    return count;
}

bool threads_begin(pthread_t *out_thread, void *(*run)(void *), void *data)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(out_thread, NULL, run, data);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result == 0;
}

void threads_give_back(const size_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (source == SOURCE_SLOTS) {
            build_slots_give_back(ids[i]);
        } else if (source == SOURCE_JOBSERVER) {
            jobserver_give_back(ids[i]);
        }
        atomic_fetch_sub(&taken, 1);
    }
}
