/* SPDX-License-Identifier: Apache-2.0 */
/* An archive as a web page, for `cubinet report`. */
#ifndef REPORT_H
#define REPORT_H

#include "show/shown_archive.h"

#include <jansson.h>

/* What the page shows, as its script reads it. */
cubinet_status report_data(const struct shown_archive *shown, json_t **out_data);

/* Writes the page: one file that fetches nothing. */
cubinet_status report_write(const struct shown_archive *shown, const char *path);

#endif
