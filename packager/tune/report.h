/* SPDX-License-Identifier: Apache-2.0 */
/* What was measured, for people and machines. */
#ifndef REPORT_H
#define REPORT_H

#include "tune/outcome.h"

#include <stdio.h>

/* "12.3 us" */
enum { TIME_TEXT_SIZE = 32 };
const char *report_time(double nanoseconds, char text[TIME_TEXT_SIZE]);

/* One line: "scale, 1000: block 128, 12.3 us ± 0.1 us, 1.25 times as fast as untuned", or why there is none.
 * with_gpu: names the GPU, too */
cubinet_status report_line(const struct tune_set *set, const struct outcome *outcome, bool with_gpu,
                           FILE *file);

/* All candidates with their times, the fastest first. */
cubinet_status report_times(const struct tune_set *set, const struct outcome *outcome, FILE *file);

/* "1000 × 64" */
enum { EXTENT_TEXT_SIZE = 80 };
const char *report_extent(const struct tune_set *set, uint32_t extent, char text[EXTENT_TEXT_SIZE]);

#endif
