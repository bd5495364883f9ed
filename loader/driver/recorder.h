/* SPDX-License-Identifier: Apache-2.0 */
/* The file that a record of use is written to. Several threads, drivers and processes may write to one file.
 *
 * Nothing that fails here fails the program: it is told once, by its log. */
#ifndef CBN_RECORDER_H
#define CBN_RECORDER_H

#include "loader/core/record/record_line.h"
#include "loader/core/support/log.h"

struct cbn_recorder;

/* Opens the file at `path`, or else at that of CUBINET_RECORD, to add to what is in it. Every "%p" of the
 * path stands for the number of the process. NULL if nothing is to be recorded, or can be. */
struct cbn_recorder *cbn_recorder_open(const char *path, struct cbn_log log);

/* NULL is allowed. */
void cbn_recorder_close(struct cbn_recorder *recorder);

/* Adds an entry, with the time, unless the file has it already. From any thread. A forked process adds
 * nothing to what its parent opened. */
void cbn_recorder_add(struct cbn_recorder *recorder, struct cbn_record_entry entry);

#endif
