/* SPDX-License-Identifier: Apache-2.0 */
/* Two archives side by side as a web page, for `cubinet diff --html`. */
#ifndef DIFF_HTML_H
#define DIFF_HTML_H

#include "show/diff.h"

/* Writes the page: one file that fetches nothing. */
cubinet_status diff_html_write(const struct diff_shown *shown, const char *path);

#endif
