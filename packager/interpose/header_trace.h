/* SPDX-License-Identifier: Apache-2.0 */
/* When NVRTC reads which header, for the trace.
 *
 * Its own trace ends a header only where the one that includes it ends, so that siblings look as if they
 * included each other. But it reads a header's file as it goes along, and the command sees every file opened
 * and closed (opened_files.c). Of headers within headers it keeps only so many open: it closes outer ones,
 * and opens them again where it goes on with them. */
#ifndef HEADER_TRACE_H
#define HEADER_TRACE_H

#include <stdbool.h>
#include <stdio.h>

/* Has files that are opened from now on taken for headers, but for a precompiled one (NULL: there is none),
 * which must outlive that. */
void header_trace_start(const char *precompiled);
void header_trace_stop(void);

/* A file was opened to be read; one is about to be closed. */
void header_trace_opened(const char *path, FILE *stream);
void header_trace_closed(FILE *stream);

#endif
