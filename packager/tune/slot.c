/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/slot.h"

#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

cubinet_status slots_make(const struct tune_devices *devices, struct slot **out_slots)
{
    struct slot *slots = calloc(devices->count, sizeof(*slots));
    if (!slots) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < devices->count; i++) {
        void *shared = mmap(NULL, sizeof(struct worker_state), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) {
            slots_free(slots, i);
            return cbn_error_memory();
        }
        slots[i].device = &devices->items[i];
        slots[i].state = shared;
    }
    *out_slots = slots;
    return CUBINET_OK;
}

void slots_free(struct slot *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (slots[i].job) {
            kill(slots[i].pid, SIGKILL);
            slot_wait(&slots[i]);
            slot_reset(&slots[i]);
        }
        munmap(slots[i].state, sizeof(struct worker_state));
    }
    free(slots);
}

/* It ends if this process does, and by nothing else: signals of a terminal go to both. It prints nothing. */
static void become_worker(pid_t parent, const struct worker_task *task)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILURE);
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    _exit(worker_run(task)); /* the driver's exit handlers may wait for a kernel that never ends */
}

cubinet_status slot_start(struct slot *slot, struct job *job, const struct worker_task *task)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return cbn_error(CUBINET_ERROR_IO, "cannot make a pipe: %s", strerror(errno));
    }
    memset(slot->state, 0, sizeof(*slot->state));
    fflush(stdout);
    fflush(stderr);
    pid_t pid = fork();
    if (pid == 0) {
        struct worker_task own = *task;
        own.output = ends[1];
        close(ends[0]);
        become_worker(parent, &own);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return cbn_error(CUBINET_ERROR_IO, "cannot start a process: %s", strerror(errno));
    }
    slot->job = job;
    slot->pid = pid;
    slot->fd = ends[0];
    slot->last_change = seconds_now();
    return CUBINET_OK;
}

bool slot_read(struct slot *slot)
{
    char chunk[64 << 10];
    ssize_t count = read(slot->fd, chunk, sizeof(chunk));
    if (count < 0 && errno == EINTR) {
        return true;
    }
    if (count > 0) {
        buffer_append(&slot->text, chunk, (size_t)count);
    }
    return count > 0;
}

cubinet_status slot_line(struct slot *slot, char **out_line)
{
    char *end = slot->text.size ? memchr(slot->text.data, '\n', slot->text.size) : NULL;
    size_t length = end ? (size_t)(end - slot->text.data) : 0;
    *out_line = end ? strndup(slot->text.data, length) : NULL;
    if (slot->text.failed || (end && !*out_line)) {
        free(*out_line);
        return cbn_error_memory();
    }
    if (!end) {
        return CUBINET_OK;
    }
    memmove(slot->text.data, end + 1, slot->text.size - length - 1);
    slot->text.size -= length + 1;
    return CUBINET_OK;
}

void slot_watch(struct slot *slot, uint32_t seconds)
{
    uint64_t steps = atomic_load(&slot->state->steps);
    double now = seconds_now();
    if (steps != slot->last_steps) {
        slot->last_steps = steps;
        slot->last_change = now;
    }
    /* Before that the driver starts, and may compile PTX, and arguments are made, which may be large. */
    uint32_t phase = atomic_load(&slot->state->phase);
    bool launches = phase == WORKER_CHECKS || phase == WORKER_TIMES;
    if (launches && !slot->is_hung && now - slot->last_change > seconds) {
        slot->is_hung = true;
        kill(slot->pid, SIGKILL);
    }
}

void slot_wait(struct slot *slot)
{
    while (waitpid(slot->pid, &slot->end, 0) < 0 && errno == EINTR) {
    }
}

void slot_reason(const struct slot *slot, uint32_t seconds, char text[320])
{
    if (slot->is_hung) {
        snprintf(text, 320, "it took more than %u s (--hang)", seconds);
    } else if (slot->message) {
        snprintf(text, 320, "%s", slot->message);
    } else if (WIFSIGNALED(slot->end)) {
        snprintf(text, 320, "the process that launched it got signal %d (%s)", WTERMSIG(slot->end),
                 strsignal(WTERMSIG(slot->end)));
    } else {
        snprintf(text, 320, "the process that launched it ended with status %d", WEXITSTATUS(slot->end));
    }
}

void slot_reset(struct slot *slot)
{
    close(slot->fd);
    buffer_free(&slot->text);
    free(slot->message);
    *slot = (struct slot){.device = slot->device, .state = slot->state};
}
