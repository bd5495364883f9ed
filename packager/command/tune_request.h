/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet tune` is told, and the parts of it. */
#ifndef TUNE_REQUEST_H
#define TUNE_REQUEST_H

#include "command/edit.h"
#include "tune/meter.h"

struct tune_request {
    struct edit edit;
    const char *archive;
    const char *description;
    struct tune_options options;
    struct cbn_text_list only; /* names of sets; none: all */
    int device;                /* negative: all */
    const char *export_path;
    bool goes_on; /* --resume */
    bool checks;
    bool shows_times;
    bool json;
};

/* What was opened for it. */
struct tune_work {
    const struct tune_request *request;
    struct shown_archive shown;
    struct tune_description description;
    struct tune_devices devices;
    struct jobs jobs;
    struct outcome *outcomes;
    size_t count;
    struct meter meter;
    int signal; /* that ended it; 0: all is measured */
};

cubinet_status tune_work_open(const struct tune_request *request, struct tune_work *out_work);
void tune_work_close(struct tune_work *work);

/* Whether the set is among those that are asked for. */
bool tune_wants_set(const struct tune_work *work, const struct tune_set *set);

/* Takes over an outcome. */
cubinet_status tune_work_add(struct tune_work *work, struct outcome *outcome);

/* Whether several kinds of GPUs are measured on. */
bool tune_has_kinds(const struct tune_work *work);

/* Measures and records. Both return exit statuses. */
int tune_measure(struct tune_work *work);

/* Measures what is recorded again. */
int tune_check(struct tune_work *work);

/* Writes the archive with what was measured, and what is exported. */
cubinet_status tune_write(struct tune_work *work);

/* The JSON of all outcomes. */
cubinet_status tune_print_json(const struct tune_work *work);

#endif
