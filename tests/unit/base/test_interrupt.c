/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end the command while its threads work. */
#include "base/command.h"
#include "base/interrupt.h"
#include "loader/core/support/error.h"
#include "unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sem_t was_stopped;

/* Ends what another thread waits for, long before the process ends. */
static void stop_work(void)
{
    const struct timespec long_enough = {.tv_nsec = 200000000};
    sem_post(&was_stopped);
    nanosleep(&long_enough, NULL);
}

static void *get_signal(void *unused)
{
    (void)unused;
    raise(SIGTERM); /* this thread's */
    return NULL;
}

/* The command, whose work fails because it was stopped. */
static _Noreturn void work(void)
{
    pthread_t thread;
    sem_init(&was_stopped, 0, 0);
    interrupt_call(stop_work);
    if (pthread_create(&thread, NULL, get_signal, NULL) != 0) {
        _exit(EXIT_FAILURE);
    }
    sem_wait(&was_stopped);
    cbn_error(CUBINET_ERROR_COMPILE, "the compiler was killed");
    _exit(command_failed());
}

static void work_that_a_signal_stops_has_not_failed(void **state)
{
    (void)state;
    int end = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        work();
    }
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFSIGNALED(end));
    assert_int_equal(WTERMSIG(end), SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_that_a_signal_stops_has_not_failed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
