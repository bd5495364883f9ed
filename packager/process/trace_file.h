/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of a whole build: one file, to which each process adds its events.
 *
 * It is an array of trace events in JSON, one event a line, so that it can be read line by line, and is whole
 * JSON whenever no process is adding to it. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <cubinet/status.h>

#include <stddef.h>

/* The file's name in its folder. */
#define TRACE_FILE_NAME "trace.json"

/* Adds events (JSON objects, one a line, with commas between them) to the trace in a folder, which is made if
 * it is not there. Processes wait for each other. What a process that was killed wrote in part is dropped. */
cubinet_status trace_file_append(const char *folder, const char *events, size_t size);

#endif
