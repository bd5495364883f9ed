/* SPDX-License-Identifier: Apache-2.0 */
/* Web pages that are one file, fetch nothing, and show data with a script. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <cubinet/status.h>

#include <jansson.h>

#include <stddef.h>

/* Writes a template as a page. In the template, @STYLE@ and @SCRIPT@ stand for what the pages share, and
 * @DATA@ for the data, of which this lets go. */
cubinet_status page_write(const unsigned char *template, size_t size, json_t *data, const char *path);

/* The files that are part of the command; their bytes end without a NUL. */
extern const unsigned char report_template[];
extern const size_t report_template_size;
extern const unsigned char diff_template[];
extern const size_t diff_template_size;
extern const unsigned char page_style[];
extern const size_t page_style_size;
extern const unsigned char page_script[];
extern const size_t page_script_size;

#endif
