/* SPDX-License-Identifier: Apache-2.0 */
/* What was made, for the summary and the --json of commands that make something. */
#ifndef MADE_H
#define MADE_H

#include "show/shown_archive.h"

#include <jansson.h>
#include <stdint.h>

/* Sizes of an archive. */
struct made {
    size_t modules;
    size_t images;
    uint64_t bytes;
};

cubinet_status made_count(const char *archive, struct made *out_made);

/* Starts a document: the archive's path and bytes, and its modules with their images: target, kind, bytes and
 * kernels. */
cubinet_status made_json(const char *archive, json_t **out_document);

/* The same of an archive that is open. */
cubinet_status made_json_of(const struct shown_archive *shown, json_t **out_document);

/* The lines of compilers' messages that are warnings. */
json_t *made_warnings(const char *messages);

/* Seconds since a time that made_seconds(0) told. */
double made_seconds(double since);

/* A duration in a document: milliseconds are as precise as it gets. */
json_t *made_duration(double seconds);

#endif
