/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive has recorded already, for --check. */
#ifndef RECORDED_H
#define RECORDED_H

#include "tune/devices.h"
#include "tune/outcome.h"

#include <cubinet/archive.h>

/* A record of an extent; `time` is 0 where there is none. */
struct recorded {
    struct candidate candidate;
    double time; /* nanoseconds */
    double noise;
    bool is_void; /* the image has changed since */
    bool is_cold; /* measured with cold caches */
};

/* Finds the record of each of the set's extents on such a device. out_records: as many as extents */
cubinet_status recorded_find(const cubinet_archive *archive, const struct tune_set *set,
                             const struct tune_device *device, struct recorded *out_records);

/* Whether a new time of the recorded configuration is another one: beyond the noise of both and the
 * resolution together, or there is none. `out_time` is the new one, 0 if there is none. */
bool recorded_has_drifted(const struct recorded *record, const struct outcome *outcome, double resolution,
                          double *out_time);

#endif
