/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC's log, rewritten to the form of gcc's messages, which editors and IDEs know. */
#ifndef DIAGNOSTICS_H
#define DIAGNOSTICS_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct diagnostics_options {
    const char *source; /* the path of the source, for messages that name no file */
    size_t last_line;   /* of the source, for messages about its end */
    /* Warnings about files under these folders are left out. */
    const char *const *quiet_folders;
    size_t quiet_folder_count;
    bool no_warnings;         /* as if every folder were quiet */
    size_t error_limit;       /* of errors beyond so many the number is told; 0: all are shown */
    const char *already_said; /* messages that are in this text are left out; may be NULL */
};

struct diagnostics {
    char *text;            /* "" if nothing is to be said */
    size_t errors;         /* those about name expressions are not counted, those that are not shown are */
    size_t *source_errors; /* lines of the source that errors are about, in the order of the log */
    size_t source_error_count;
    size_t warnings;
    char *refused_option;     /* what NVRTC says of an option that it refuses, or NULL */
    char *refused_expression; /* the first name expression that it refuses, or NULL … */
    char *refused_because;    /* … and what it says of it */
};

/* `path(3): error: text` becomes `path:3: error: text`, `path(3): warning #177-D: text` becomes
 * `path:3: warning: text [177-D]`, `At end of source: error: text` the same with the last line; lines of
 * source and of context stay; counts and hints at the end go. That functions are not annotated is said once.
 */
cubinet_status diagnostics_read(const char *log, const struct diagnostics_options *options,
                                struct diagnostics *out_diagnostics);

void diagnostics_free(struct diagnostics *diagnostics);

#endif
