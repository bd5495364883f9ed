/* SPDX-License-Identifier: Apache-2.0 */
/* Headers that only some files find.
 *
 * NVRTC has one list of folders for all. Which header a file finds depends on more, so the command's own
 * fopen() and stat() (opened_files.c, hidden_files.c), through which NVRTC looks for them, ask here:
 *
 * - what is in toolkit_only/ is found by the toolkit's headers alone. Thrust's include <iostream>, which is
 * to stay an error in the user's;
 * - the toolkit's own headers for host code are found by the toolkit's alone: what includes them elsewhere
 * gets the error that says so, or the header of that name in host_only/;
 * - what is in host_only/, types that do nothing, is found by all but the toolkit's, which find what is in
 * toolkit_only/ as well;
 * - a header in cuda/, which stands before one of the toolkit's, is found if the toolkit has that one.
 *
 * NVRTC keeps a file open while it looks for those that the file includes, so the last one that is open is
 * the one that asks. */
#ifndef HIDDEN_HEADERS_H
#define HIDDEN_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Where headers lie, and which of the toolkit's are for host code. */
struct hidden_headers {
    const char *shipped;   /* the folder that has toolkit_only/, host_only/ and cuda/ */
    char *const *includes; /* the folders that are searched, the toolkit's among them */
    size_t include_count;
    bool (*is_hosts)(
        const char *name); /* whether a header of the toolkit's, as it is included, is for host code */
};

/* Starts hiding. What is pointed to has to stay until the stop. */
void hidden_headers_start(const struct hidden_headers *headers);

void hidden_headers_stop(void);

/* Whether headers are shipped, and so some hidden. */
bool hidden_headers_are_on(void);

/* Whether the file that is being read does not find a path. */
bool hidden_headers_hides(const char *path);

/* The same when it is opened: one that is opened again, to be read on, is not hidden, nor
 * one in host_only/. */
bool hidden_headers_hides_opening(const char *path);

/* Tell that a file was opened for reading, and that it is about to be closed. */
void hidden_headers_opened(const char *path, const FILE *stream);
void hidden_headers_closed(const FILE *stream);

#endif
