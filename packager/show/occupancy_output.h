/* SPDX-License-Identifier: Apache-2.0 */
/* The forms in which `cubinet occupancy` shows its cases, of which there is at least one. */
#ifndef OCCUPANCY_OUTPUT_H
#define OCCUPANCY_OUTPUT_H

#include "show/occupancy_cases.h"

/* Tables on standard output: for one block size a line for each case, otherwise the curves. */
cubinet_status occupancy_print(const struct occupancy_cases *cases, const struct occupancy_request *request);

/* The curves, drawn with characters on standard output. */
cubinet_status occupancy_print_plot(const struct occupancy_cases *cases);

cubinet_status occupancy_print_json(const struct shown_archive *shown, const struct occupancy_cases *cases,
                                    const struct occupancy_request *request);

/* A drawing for browsers: for each kernel the curves of all architectures. */
cubinet_status occupancy_write_svg(const struct occupancy_cases *cases, const char *path);

/* Whether every case's occupancy is at least that, 0 to 1: with the block size that was asked for, or the
 * best one. Each that falls short is an error on standard error. */
bool occupancy_check(const struct occupancy_cases *cases, const struct occupancy_request *request,
                     double least);

#endif
