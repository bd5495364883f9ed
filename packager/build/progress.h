/* SPDX-License-Identifier: Apache-2.0 */
/* How far a build is: what Ninja's status lines say, and how long the rest may take. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

/* The NINJA_STATUS of a build whose status lines are read: the steps that are done and all of them, between
 * characters that start no other line. */
#define PROGRESS_NINJA_STATUS "\x1d%f/%t\x1d"

struct progress_step {
    char *text;     /* as on Ninja's status line */
    double seconds; /* that it took last time; negative: not known */
    bool is_done;
};

struct progress {
    struct progress_step *steps; /* that are to be run, in Ninja's order; may be unknown: none */
    size_t step_count;
    size_t finished; /* as Ninja counts */
    size_t total;    /* 0: not known yet */
    size_t lanes;    /* steps that run at a time */
    bool is_known;   /* whether a status line has come */
};

/* Reads a line of Ninja's: if it is a status line, notes what it says. `out_text` is then what follows the
 * numbers. */
bool progress_take(struct progress *progress, const char *line, const char **out_text);

/* Adds a step that will be run. */
cubinet_status progress_add(struct progress *progress, const char *text, double seconds);

/* About how many seconds the rest takes after so many; negative: that can't be told. It is what the steps
 * took last time, spread over the lanes; where no step was run before, what is done takes part of the time so
 * far.
 */
double progress_left(const struct progress *progress, double elapsed);

/* The line for a terminal of so many columns: "[3/7] 0:12, 0:20 left: Compiling scale for sm_80". The caller
 * frees it; NULL if memory is out. */
char *progress_line(const struct progress *progress, double elapsed, size_t columns);

void progress_free(struct progress *progress);

#endif
