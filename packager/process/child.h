/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a child process: signals that end programs go on to it while this process waits. */
#ifndef CHILD_H
#define CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child_signals {
    sigset_t waited; /* blocked while this process waits */
    sigset_t before; /* what was blocked before: the child's own mask */
};

/* Call before the child is made, and child_signals_free() after it has ended. */
void child_signals_block(struct child_signals *out_signals);
void child_signals_free(const struct child_signals *signals);

struct child_end {
    int state;  /* as waitpid() tells it */
    int signal; /* the last one that this process got; 0: none */
};

/* Waits until a child has ended, or so many seconds (0: however long) have passed: then it returns false.
 *
 * has_own_group: the child leads a process group, and all of it gets the signals. Otherwise it is in this
 * process's group, and has those that come from the terminal already */
bool child_wait(const struct child_signals *signals, pid_t child, bool has_own_group, unsigned seconds,
                struct child_end *out_end);

/* Ends this process by a signal: make and Ninja look at that. Returns if the signal does not end it. */
void child_end_alike(const struct child_signals *signals, int number);

#endif
