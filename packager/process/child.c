/* SPDX-License-Identifier: Apache-2.0 */
#include "process/child.h"

#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING_COUNT = sizeof(ending) / sizeof(ending[0]) };

void child_signals_block(struct child_signals *out_signals)
{
    signal(SIGCHLD, SIG_DFL); /* or there would be nothing to wait for */
    sigemptyset(&out_signals->waited);
    sigaddset(&out_signals->waited, SIGCHLD);
    for (size_t i = 0; i < ENDING_COUNT; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(&out_signals->waited, ending[i]);
        }
    }
    sigprocmask(SIG_BLOCK, &out_signals->waited, &out_signals->before);
}

void child_signals_free(const struct child_signals *signals)
{
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

static struct timespec seconds_from_now(unsigned seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += (time_t)seconds;
    return time;
}

/* What is left until a time; false: nothing. */
static bool left_until(const struct timespec *end, struct timespec *out_left)
{
    enum { NANOSECONDS = 1000000000 };
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    out_left->tv_sec = end->tv_sec - now.tv_sec;
    out_left->tv_nsec = end->tv_nsec - now.tv_nsec;
    if (out_left->tv_nsec < 0) {
        out_left->tv_nsec += NANOSECONDS;
        out_left->tv_sec--;
    }
    return out_left->tv_sec >= 0;
}

bool child_wait(const struct child_signals *signals, pid_t child, bool has_own_group, unsigned seconds,
                struct child_end *out_end)
{
    struct timespec end = seconds_from_now(seconds);
    struct timespec left;
    *out_end = (struct child_end){0};
    while (waitpid(child, &out_end->state, WNOHANG) != child) {
        if (seconds > 0 && !left_until(&end, &left)) {
            return false;
        }
        siginfo_t info;
        int number = sigtimedwait(&signals->waited, &info, seconds > 0 ? &left : NULL);
        if (number <= 0 || number == SIGCHLD) {
            continue;
        }
        out_end->signal = number;
        if (has_own_group || info.si_code != SI_KERNEL) {
            kill(has_own_group ? -child : child, number);
        }
    }
    return true;
}

void child_end_alike(const struct child_signals *signals, int number)
{
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
}
