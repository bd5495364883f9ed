/* SPDX-License-Identifier: Apache-2.0 */
/* The process that measures on one device. */
#ifndef SLOT_H
#define SLOT_H

#include "base/buffer.h"
#include "tune/jobs.h"

#include <sys/types.h>

struct slot {
    const struct tune_device *device;
    struct worker_state *state; /* shared with the process */
    struct job *job;            /* NULL: no process runs */
    pid_t pid;
    int fd; /* from which its lines come */
    struct buffer text;
    char *message;       /* why it ends, in its own words; NULL: it did not say */
    int end;             /* as waitpid() tells it */
    bool is_hung;        /* it was killed because nothing went on */
    uint64_t last_steps; /* when it was looked at last */
    double last_change;  /* seconds */
};

/* One for each device. */
cubinet_status slots_make(const struct tune_devices *devices, struct slot **out_slots);

/* Ends what runs, too. */
void slots_free(struct slot *slots, size_t count);

/* Starts a process; the task's output is set here. */
cubinet_status slot_start(struct slot *slot, struct job *job, const struct worker_task *task);

/* Reads what there is; false if the process has closed its end. */
bool slot_read(struct slot *slot);

/* The next whole line, which the caller frees; NULL: there is none. CUBINET_ERROR_OUT_OF_MEMORY, also if it
 * was out for what slot_read() read. */
cubinet_status slot_line(struct slot *slot, char **out_line);

/* Kills the process if it has not done a step for so many seconds. */
void slot_watch(struct slot *slot, uint32_t seconds);

/* Waits for the process's end. */
void slot_wait(struct slot *slot);

/* Writes why it ended. */
void slot_reason(const struct slot *slot, uint32_t seconds, char text[320]);

/* Makes it ready for the next process. */
void slot_reset(struct slot *slot);

#endif
