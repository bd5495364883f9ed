/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of what report_data() and diff_html_data() tell. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "base/buffer.h"
#include "show/occupancy_cases.h"
#include "show/shown_archive.h"

#include <jansson.h>

/* The modules of a listing in the order of people, which the caller frees; NULL if memory is out. */
const struct listing_module **report_modules(const struct listing *listing);

/* {"name", "device"} of each generation of GPUs. */
json_t *report_generations(void);

/* How a module gets to a GPU, from worst to best. */
enum coverage_way { COVERAGE_NONE, COVERAGE_LINK, COVERAGE_JIT, COVERAGE_CODE };

/* The way that a word of coverage_word() tells. */
enum coverage_way report_coverage_way(const char *word);

/* Appends what each generation gets, as `cubinet list` says it, with spaces between. */
cubinet_status report_coverage_text(const struct listing_module *module, struct buffer *text);

/* The words of such a text. */
json_t *report_coverage_words(const char *text);

/* {"words", "modules"}: modules with the same coverage are one row. In the order of the first modules. */
cubinet_status report_coverage(const struct listing_module *const *modules, size_t count, json_t *out_rows);

/* A kernel in each image with machine code; in the first image of other kinds where it has none. */
cubinet_status report_kernels(const struct shown_archive *shown, const struct occupancy_cases *cases,
                              const struct listing_module *const *modules, json_t *out_kernels);

/* Adds to a kernel's object its tuning records that are true of the image, with the occupancy that is
 * predicted for what was measured. item: NULL of a kernel without machine code. */
cubinet_status report_tunings(const struct shown_archive *shown, const struct listing_module *module,
                              uint32_t image, const char *kernel, const struct occupancy_case *item,
                              json_t *out_kernel);

/* Sorts the cases of kernels by module, then kernel, in the order of people. */
void report_sort_cases(struct occupancy_cases *cases);

/* What matters most: which GPUs compile, link or can't run; spills; the largest modules; who signed. */
cubinet_status report_headline(const struct shown_archive *shown, const struct occupancy_cases *cases,
                               const struct listing_module *const *modules, json_t *coverage,
                               json_t **out_headline);

#endif
