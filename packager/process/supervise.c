/* SPDX-License-Identifier: Apache-2.0 */
#include "process/supervise.h"

#include "base/command.h"
#include "base/text_table.h"
#include "loader/core/support/error.h"
#include "process/child.h"
#include "process/trace.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NVJITLINK_CRASHED                                                                                    \
    "; nvJitLink crashed, which it does when memory runs out: run fewer compiles at once, or take another "  \
    "release of it"

/* How long a child that was told to end may take to remove its temporary file. */
enum { GRACE_SECONDS = 2 };

/* What both processes know. */
static struct {
    struct limits limits;
    const char *subject;
    struct trace_shown *shown; /* shared: where the child stands, or stood last */
    bool is_part;              /* the trace and the messages are this process's, not the child's */
} work;

/* What a child leaves that calls one function. */
struct called {
    cubinet_status status;
    char message[8192];
    _Alignas(max_align_t) unsigned char result[];
};

/* Says what happened, unless the caller does. */
static int tell(int exit_status)
{
    if (!work.is_part) {
        command_failed();
    }
    return exit_status;
}

static bool is_in_nvrtc(void)
{
    return strcmp(work.shown->phase, "NVRTC") == 0;
}

/* Adds where the child was: "in NVRTC for compute_80, while it read 'scan.h'". */
static void say_where(struct buffer *text)
{
    const struct trace_shown *shown = work.shown;
    if (shown->phase[0] == '\0') {
        buffer_puts(text, " before anything was made");
        return;
    }
    buffer_printf(text, is_in_nvrtc() ? " in %s" : " in the phase '%s'", shown->phase);
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
        "%s: stopped after %u s, its time limit (--timeout, CUBINET_TIMEOUT),%s; give it more time%s",
        work.subject, work.limits.seconds, where.data ? where.data : "",
        is_in_nvrtc() ? ", or look for unbounded templates or constexpr functions" : "");
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
        "less to do",
        work.subject, how, size_text(work.limits.memory, size), where.data ? where.data : "");
    buffer_free(&where);
    return status;
}

static bool says_out_of_memory(const char *text)
{
    static const char *const phrases[] = {"out of memory", "bad_alloc", "memory allocation",
                                          "cannot allocate", "cannot map"};
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
    return getrusage(RUSAGE_SELF, &usage) == 0 && (uint64_t)usage.ru_maxrss * KIBIBYTE >= work.limits.memory;
}

cubinet_status supervise_explain(cubinet_status status, const struct buffer *messages)
{
    if (!status || !work.shown || work.limits.memory == 0) {
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
    if (work.limits.memory == 0 || getrlimit(RLIMIT_DATA, &limit) != 0) {
        return;
    }
    rlim_t wanted = (rlim_t)work.limits.memory;
    limit.rlim_cur = limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_DATA, &limit);
}

/* A group of its own has what the child starts end with it. Without a time limit it stays in this process's,
 * which a terminal stops and lets go on as a whole. */
static bool has_own_group(void)
{
    return work.limits.seconds > 0;
}

/* It ends if this process is killed. */
static void become_child(pid_t parent, const struct child_signals *signals)
{
    if (has_own_group()) {
        setpgid(0, 0);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILED);
    }
    child_signals_free(signals);
    limit_memory();
    work.shown->has_reading = limits_are_set(&work.limits);
    trace_show(work.shown);
}

static void stop(pid_t child, const struct child_signals *signals)
{
    struct child_end end;
    kill(-child, SIGTERM);
    bool ended = child_wait(signals, child, true, GRACE_SECONDS, &end);
    kill(-child, SIGKILL);
    while (!ended && waitpid(child, &end.state, 0) < 0 && errno == EINTR) {
    }
}

/* Whose defect a crash most likely is, by the phase that it came in. */
static const char *culprit(void)
{
    static const struct {
        const char *phase;
        const char *advice;
    } culprits[] = {
        {"NVRTC", "; NVRTC crashed, which it does when memory runs out: run fewer compiles at once"},
        {"load nvJitLink", NVJITLINK_CRASHED},
        {"assemble", NVJITLINK_CRASHED "; or assemble with ptxas (--assembler ptxas)"},
        {"link", NVJITLINK_CRASHED},
        {"read LTO-IR", NVJITLINK_CRASHED},
        {"read JSON",
         "; jansson crashed, which it does when memory runs out: let fewer programs run beside it"},
        {"read as zip",
         "; libarchive crashed, which it does when memory runs out: let fewer programs run beside it"},
    };
    for (size_t i = 0; i < sizeof(culprits) / sizeof(culprits[0]); i++) {
        if (strcmp(work.shown->phase, culprits[i].phase) == 0) {
            return culprits[i].advice;
        }
    }
    return "";
}

/* The exit status for a child that a signal ended. */
static int ended_by(int number)
{
    if (work.limits.memory > 0 && (number == SIGSEGV || number == SIGABRT || number == SIGBUS)) {
        fail_memory("the compiler crashed, perhaps because it needs more than");
        return tell(EXIT_FAILED);
    }
    struct buffer where = {0};
    say_where(&where);
    cbn_error(CUBINET_ERROR_COMPILE, "%s: ended by signal %d (%s)%s%s", work.subject, number,
              strsignal(number), where.data ? where.data : "", culprit());
    buffer_free(&where);
    return tell(EXIT_FAILED);
}

static int watch(pid_t child, const struct child_signals *signals)
{
    struct child_end end;
    if (!child_wait(signals, child, has_own_group(), work.limits.seconds, &end)) {
        stop(child, signals);
        fail_time();
        return tell(EXIT_TIMED_OUT);
    }
    bool has_succeeded = WIFEXITED(end.state) && WEXITSTATUS(end.state) == EXIT_OK;
    if (end.signal != 0 && !has_succeeded) { /* NVRTC catches signals, and exits */
        child_end_alike(signals, end.signal);
    }
    if (WIFEXITED(end.state) && !work.is_part) {
        trace_forget(); /* the child has told it */
    }
    if (WIFEXITED(end.state)) {
        return WEXITSTATUS(end.state);
    }
    return ended_by(WTERMSIG(end.state));
}

static int fail_start(const char *what)
{
    cbn_error(CUBINET_ERROR_IO, "%s: %s cannot be made, in which the work is done: %s", work.subject, what,
              strerror(errno));
    return tell(EXIT_FAILED);
}

static bool make_child(const struct limits *limits, const char *subject, int *out_exit)
{
    struct child_signals signals;
    if (work.shown) {
        return false;
    }
    work.limits = limits ? *limits : (struct limits){0};
    work.subject = subject;
    work.shown = mmap(NULL, sizeof(*work.shown), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (work.shown == MAP_FAILED) {
        *out_exit = fail_start("shared memory");
        return true;
    }
    fflush(NULL);
    child_signals_block(&signals);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        become_child(parent, &signals);
        return false;
    }
    if (child < 0) {
        *out_exit = fail_start("a process");
    } else {
        if (has_own_group()) {
            setpgid(child, child); /* in case this comes first */
        }
        *out_exit = watch(child, &signals);
    }
    child_signals_free(&signals);
    munmap(work.shown, sizeof(*work.shown));
    work.shown = NULL;
    return true;
}

bool supervise(const struct limits *limits, const char *subject, int *out_exit)
{
    work.is_part = false;
    return make_child(limits, subject, out_exit);
}

/* In the child. What this process has taken over is its parent's to free, and to remove. */
_Noreturn static void call_and_end(struct called *called, supervised_fn call, const void *input)
{
    called->status = call(input, called->result);
    if (called->status) {
        snprintf(called->message, sizeof(called->message), "%s", cubinet_error_message());
    }
    fflush(NULL);
    _exit(EXIT_OK);
}

static cubinet_status take_result(const struct called *called, int exit_status, void *out_result, size_t size)
{
    if (exit_status == EXIT_TIMED_OUT) {
        command_fails_with(EXIT_TIMED_OUT);
        return CUBINET_ERROR_LIMIT;
    }
    if (exit_status != EXIT_OK) {
        return CUBINET_ERROR_TOOLKIT;
    }
    if (called->status) {
        return cbn_error(called->status, "%s", called->message);
    }
    memcpy(out_result, called->result, size);
    return CUBINET_OK;
}

cubinet_status supervise_call(const struct limits *limits, const char *subject, supervised_fn call,
                              const void *input, void *out_result, size_t size)
{
    int exit_status = EXIT_OK;
    if (work.shown) {
        return call(input, out_result);
    }
    struct called *called =
        mmap(NULL, sizeof(*called) + size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (called == MAP_FAILED) {
        return cbn_error_memory();
    }
    work.is_part = true;
    if (!make_child(limits, subject, &exit_status)) {
        call_and_end(called, call, input);
    }
    cubinet_status status = take_result(called, exit_status, out_result, size);
    munmap(called, sizeof(*called) + size);
    return status;
}
