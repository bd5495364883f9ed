/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of this process goes, for CUBINET_TRACE=DIR: phases, with what each works on. They are kept
 * in memory and added to the folder's trace at the end: see trace_file.h.
 *
 * Without that variable every function here returns at once. All but trace_start() and trace_finish() may be
 * called from any thread. Running out of memory costs the trace, and nothing else. */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether phases are noted or shown, for what would be costly to tell. */
bool trace_is_on(void);

/* Whether the headers that are read are, too. */
bool trace_follows_headers(void);

/* A phase of the calling thread starts, within the one that it is in: "front end", with a detail such as the
 * architecture, or NULL. Names of phases are a few fixed ones; both texts are copied. */
void trace_begin(const char *phase, const char *detail);

/* The calling thread's innermost phase ends. */
void trace_end(void);

/* What the process works on, as the trace shall call it: a module or a file, and its architectures or NULL.
 * The last call counts. */
void trace_subject(const char *name, const char *targets);

/* Something that was timed elsewhere, in the calling thread. `category` tells kinds of them apart; times are
 * trace_now()'s. */
void trace_span(const char *category, const char *name, const char *detail, int64_t start, int64_t end);

/* What the phase is reading at the moment, for trace_show(); NULL: nothing in particular. */
void trace_reading(const char *path);

/* Where a process stands, for another one to see in memory that they share. Parts may be of two moments. */
struct trace_shown {
    char phase[64]; /* the innermost, or the last one that was; "" before all */
    char detail[64];
    char reading[4096]; /* path; "": no file */
    bool has_reading;   /* asked for: it takes time */
};

/* Shows it in `shown` from now on, whether there is a trace or not. */
void trace_show(struct trace_shown *shown);

/* The folder that the trace is for; NULL: there is none. */
const char *trace_folder(void);

/* Microseconds since 1970, as if the clock had not been set since the process started. */
int64_t trace_now(void);

/* Drops what this process noted: a child of its own tells it. */
void trace_forget(void);

/* Called by main() alone: first, with the subcommand's name or NULL, and last. */
void trace_start(const char *command);
void trace_finish(int exit_status);

#endif
