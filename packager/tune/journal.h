/* SPDX-License-Identifier: Apache-2.0 */
/* What was measured so far, in a file beside the output: for --resume, after whatever ended the process. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "tune/outcome.h"
#include "tune/worker.h"

#include <stdio.h>

struct journal {
    char *path; /* of the output, and ".tuning" after it */
    FILE *file; /* NULL: none is kept */
};

/* A line for each outcome. What a process that was killed wrote in part is passed over. */
struct journal_lines {
    struct outcome *items;
    size_t count;
};

/* The path of an output's journal, which the caller frees; NULL if memory is out. */
char *journal_path(const char *output);

/* Opens the journal of an output. If it is to go on, the outcomes that it has are read, and it is
 * CUBINET_ERROR_INVALID_ARGUMENT if they are of another description or were measured in another way;
 * otherwise it starts empty. */
cubinet_status journal_open(const char *output, const struct tune_description *description,
                            const struct tune_options *options, bool goes_on, struct journal *out_journal,
                            struct journal_lines *out_lines);

cubinet_status journal_add(struct journal *journal, const struct outcome *outcome,
                           const struct tune_description *description);

/* Closes it, and removes it if all is measured. */
void journal_close(struct journal *journal, bool is_complete);

void journal_lines_free(struct journal_lines *lines);

#endif
