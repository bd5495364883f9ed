/* SPDX-License-Identifier: Apache-2.0 */
#include "supervise.h"

#include "command.h"
#include "error.h"
#include "text_table.h"
#include "trace.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a child that was told to end may take to remove its temporary file. */
enum { GRACE_SECONDS = 2 };

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING_COUNT = sizeof(ending_signals) / sizeof(ending_signals[0]) };

/* What both processes know. */
static struct {
    const struct limits *limits;
    const char *subject;
    struct trace_shown *shown; /* shared: where the child stands, or stood last */
} work;

/* Adds where the child was: "in NVRTC for compute_80, while it read 'scan.h'". */
static void say_where(struct buffer *text)
{
    const struct trace_shown *shown = work.shown;
    if (shown->phase[0] == '\0') {
        buffer_puts(text, " before anything was compiled");
        return;
    }
    buffer_printf(text, strcmp(shown->phase, "NVRTC") == 0 ? " in %s" : " in the phase '%s'", shown->phase);
    if (shown->detail[0]) {
        buffer_printf(text, " for %s", shown->detail);
    }
    if (shown->reading[0]) {
        buffer_printf(text, ", while it read '%s'", shown->reading);
    }
}

static cubinet_status fail_time(void)
{
    struct buffer where = {0};
    say_where(&where);
    cubinet_status status = cbn_error(
        CUBINET_ERROR_LIMIT,
        "%s: stopped after %u s, its time limit (--timeout, CUBINET_TIMEOUT),%s; give it more time, or look "
        "there for templates or constexpr functions without end",
        work.subject, work.limits->seconds, where.data ? where.data : "");
    buffer_free(&where);
    return status;
}

static cubinet_status fail_memory(const char *how)
{
    struct buffer where = {0};
    char size[SIZE_TEXT_SIZE];
    say_where(&where);
    cubinet_status status = cbn_error(
        CUBINET_ERROR_LIMIT,
        "%s: %s %s, its memory limit (--memory-limit, CUBINET_MEMORY_LIMIT),%s; give it more memory, or "
        "split the source",
        work.subject, how, size_text(work.limits->memory, size), where.data ? where.data : "");
    buffer_free(&where);
    return status;
}

static bool says_out_of_memory(const char *text)
{
    static const char *const phrases[] = {"out of memory", "bad_alloc", "memory allocation",
                                          "cannot allocate"};
    for (size_t i = 0; text && i < sizeof(phrases) / sizeof(phrases[0]); i++) {
        if (strcasestr(text, phrases[i])) {
            return true;
        }
    }
    return false;
}

/* Whether this process has had as much memory as it may. nvJitLink says only that it failed. */
static bool has_used_all(void)
{
    enum { KIBIBYTE = 1024 };
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 && (uint64_t)usage.ru_maxrss * KIBIBYTE >= work.limits->memory;
}

cubinet_status supervise_explain(cubinet_status status, const struct buffer *messages)
{
    if (status == CUBINET_OK || !work.shown || work.limits->memory == 0) {
        return status;
    }
    if (status == CUBINET_ERROR_OUT_OF_MEMORY || says_out_of_memory(cubinet_error_message()) ||
        says_out_of_memory(messages->data)) {
        return fail_memory("it needs more than");
    }
    return status == CUBINET_ERROR_LINK && has_used_all() ? fail_memory("it seems to need more than")
                                                          : status;
}

/* The size of what is written to and not shared with others: libraries' code and files that are only read do
 * not count, which they would as address space. */
static void limit_memory(void)
{
    struct rlimit limit;
    if (work.limits->memory == 0 || getrlimit(RLIMIT_DATA, &limit) != 0) {
        return;
    }
    rlim_t wanted = (rlim_t)work.limits->memory;
    limit.rlim_cur = limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_DATA, &limit);
}

/* A group of its own has what the child starts end with it; and it ends if this process is killed. */
static void become_child(pid_t parent, const sigset_t *signals)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILED);
    }
    sigprocmask(SIG_SETMASK, signals, NULL);
    limit_memory();
    trace_show(work.shown);
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

/* Waits until the child has ended; seconds: 0: however long. False if it has not by then. Signals (which are
 * blocked) are handed on, and the last of them is told. */
static bool wait_for(pid_t child, const sigset_t *signals, unsigned seconds, int *out_state, int *out_signal)
{
    struct timespec end = seconds_from_now(seconds);
    struct timespec left;
    while (waitpid(child, out_state, WNOHANG) != child) {
        if (seconds > 0 && !left_until(&end, &left)) {
            return false;
        }
        int signal = sigtimedwait(signals, NULL, seconds > 0 ? &left : NULL);
        if (signal > 0 && signal != SIGCHLD) {
            kill(-child, signal);
            *out_signal = signal;
        }
    }
    return true;
}

static void stop(pid_t child, const sigset_t *signals)
{
    int state;
    int signal;
    kill(-child, SIGTERM);
    bool ended = wait_for(child, signals, GRACE_SECONDS, &state, &signal);
    kill(-child, SIGKILL);
    while (!ended && waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
}

/* Ends this process as its child ended: make and Ninja look at that. */
static void end_by(int number, const sigset_t *signals)
{
    trace_forget();
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_SETMASK, signals, NULL);
}

/* The exit status for a child that a signal ended. */
static int ended_by(int number)
{
    if (work.limits->memory > 0 && (number == SIGSEGV || number == SIGABRT || number == SIGBUS)) {
        fail_memory("the compiler crashed, perhaps because it needs more than");
        return command_failed();
    }
    struct buffer where = {0};
    say_where(&where);
    cbn_error(CUBINET_ERROR_COMPILE, "%s: ended by signal %d (%s)%s", work.subject, number, strsignal(number),
              where.data ? where.data : "");
    buffer_free(&where);
    return command_failed();
}

static int watch(pid_t child, const sigset_t *waited, const sigset_t *before)
{
    int state = 0;
    int signal = 0;
    if (!wait_for(child, waited, work.limits->seconds, &state, &signal)) {
        stop(child, waited);
        fail_time();
        command_failed();
        return EXIT_TIMED_OUT;
    }
    /* NVRTC catches signals that end programs, and exits. */
    if (signal != 0 && !(WIFEXITED(state) && WEXITSTATUS(state) == EXIT_OK)) {
        end_by(signal, before);
    }
    if (WIFEXITED(state)) {
        trace_forget(); /* the child has told it */
        return WEXITSTATUS(state);
    }
    return ended_by(WTERMSIG(state));
}

/* The signals that this process waits for, blocked from now on. */
static void block_signals(sigset_t *out_waited, sigset_t *out_before)
{
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(out_waited);
    sigaddset(out_waited, SIGCHLD);
    for (size_t i = 0; i < ENDING_COUNT; i++) {
        struct sigaction action;
        if (sigaction(ending_signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(out_waited, ending_signals[i]);
        }
    }
    sigprocmask(SIG_BLOCK, out_waited, out_before);
}

static int fail_start(const char *what)
{
    cbn_error(CUBINET_ERROR_IO, "%s: %s cannot be made, which its limits need: %s", work.subject, what,
              strerror(errno));
    return command_failed();
}

bool supervise(const struct limits *limits, const char *subject, int *out_exit)
{
    sigset_t waited;
    sigset_t before;
    work.limits = limits;
    work.subject = subject;
    work.shown = mmap(NULL, sizeof(*work.shown), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (work.shown == MAP_FAILED) {
        *out_exit = fail_start("shared memory");
        return true;
    }
    block_signals(&waited, &before);
    fflush(NULL);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        become_child(parent, &before);
        return false;
    }
    if (child < 0) {
        *out_exit = fail_start("a process");
    } else {
        setpgid(child, child); /* in case this comes first */
        *out_exit = watch(child, &waited, &before);
    }
    munmap(work.shown, sizeof(*work.shown));
    sigprocmask(SIG_SETMASK, &before, NULL);
    return true;
}
