/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet slice --used` is told by records of use. */
#ifndef SLICE_USED_H
#define SLICE_USED_H

#include "archive/draft.h"
#include "loader/core/record/record_file.h"
#include "loader/core/support/text_list.h"
#include "show/explain_devices.h"

enum { SLICE_DATE_SIZE = sizeof("2026-11-25") };

/* Zero-initialise to start. */
struct slice_used {
    struct cbn_record record;
    const struct cbn_record_entry **entries; /* those that count, in the order of their modules' names */
    size_t count;
    char date[SLICE_DATE_SIZE]; /* the latest day of the records; "" if they have none */
};

/* Reads the records as one. `only_launched`: what was looked up and never launched does not count, as for an
 * archive with a rest, which has it. */
cubinet_status slice_used_read(struct slice_used *used, const struct cbn_text_list *paths,
                               bool only_launched);
void slice_used_free(struct slice_used *used);

/* Adds the GPUs of the records. */
cubinet_status slice_used_add_devices(const struct slice_used *used, struct explain_devices *devices);

/* CUBINET_ERROR_NOT_FOUND if the records are of other archives; warns of what the archive lacks, or if it is
 * another build than what was recorded. */
cubinet_status slice_used_check(const struct slice_used *used, const struct shown_archive *shown);

/* Whether the module was used; and if so marks its images that were loaded or linked, and PTX, for GPUs that
 * nobody recorded. */
bool slice_used_mark(const struct slice_used *used, const struct listing_module *module, bool *wanted);

/* Whether a kernel or variable was used: its lowered name. */
bool slice_used_global(const struct slice_used *used, const char *module, const char *global);
bool slice_used_kernel(const struct slice_used *used, const char *module, const char *kernel);

#endif
