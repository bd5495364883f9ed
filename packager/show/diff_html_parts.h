/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of what the page of `cubinet diff --html` tells: rows, those that matter most first. */
#ifndef DIFF_HTML_PARTS_H
#define DIFF_HTML_PARTS_H

#include "show/diff.h"

#include <jansson.h>

/* What a row tells, in the order in which it matters. */
enum matter { MATTER_REMOVED, MATTER_WORSE, MATTER_CHANGED, MATTER_BETTER, MATTER_ADDED };

/* "removed", "worse", "changed", "better", "added" */
const char *matter_word(enum matter matter);

enum { ROW_WEIGHTS = 4 };

struct diff_row {
    json_t *json;
    enum matter matter;
    double weights[ROW_WEIGHTS]; /* among rows that matter alike, larger ones come first */
    size_t number;               /* then by name, and then the row that was added first */
};

struct diff_rows {
    struct diff_row *items;
    size_t count;
};

/* Adds a row, with "change" in it, and takes its JSON. */
void diff_rows_add(struct diff_rows *rows, const struct diff_row *row);

/* The sorted rows as an array; frees them. */
json_t *diff_rows_json(struct diff_rows *rows);

/* A module of both archives, or of one, and then the other is NULL. */
struct module_pair {
    const struct listing_module *before;
    const struct listing_module *after;
};

struct module_pairs {
    struct module_pair *items; /* in the order of people */
    size_t count;
};

cubinet_status module_pairs_make(const struct diff_shown *shown, struct module_pairs *out_pairs);
void module_pairs_free(struct module_pairs *pairs);

/* What GPUs get of modules that both archives have, where that is not the same. */
cubinet_status diff_html_coverage(const struct module_pairs *pairs, json_t **out_rows);

/* Images of modules that both archives have: code, bytes, toolkit, options. */
cubinet_status diff_html_images(const struct diff_shown *shown, const struct module_pairs *pairs,
                                json_t **out_rows);

/* Modules that were added or removed, or in which something differs: by `diff` or by the rows of images. */
json_t *diff_html_modules(const struct diff_shown *shown, const struct module_pairs *pairs, json_t *images);

/* Kernels with their resources before and after. */
cubinet_status diff_html_kernels(const struct diff_shown *shown, json_t **out_rows);

#endif
