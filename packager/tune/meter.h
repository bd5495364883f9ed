/* SPDX-License-Identifier: Apache-2.0 */
/* How far a tuning is, on a terminal: one line that is written again and again. */
#ifndef METER_H
#define METER_H

#include "tune/supervisor.h"

struct meter {
    const struct tune_description *description;
    const struct jobs *jobs;
    bool is_on;    /* standard error is a terminal */
    bool is_shown; /* there is a line to clear */
    double start;  /* seconds */
    double last;   /* when it was written */
};

void meter_start(struct meter *meter, const struct tune_description *description, const struct jobs *jobs);
void meter_show(struct meter *meter, const struct supervised *running, size_t count);
void meter_clear(struct meter *meter);

/* The line: "[3/160] 0:12, 0:40 left: scale, 1000: round 7, 4 candidates left, best 12.3 us". Without the
 * time that is left as long as it can't be told. */
void meter_write(const struct meter *meter, double elapsed, const struct supervised *running, size_t count,
                 struct buffer *text);

#endif
