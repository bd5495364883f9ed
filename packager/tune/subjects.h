/* SPDX-License-Identifier: Apache-2.0 */
/* What of an archive a description is about. */
#ifndef SUBJECTS_H
#define SUBJECTS_H

#include "tune/outcome.h"

#include <cubinet/archive.h>

/* Looks for every module and kernel; a set without a module gets the archive's only one. */
cubinet_status subjects_check(const cubinet_archive *archive, const char *path,
                              struct tune_description *description);

/* The lowered name of a set's instance; it belongs to the archive. NULL: there is none. */
const char *subject_kernel(const cubinet_archive *archive, const struct tune_set *set, size_t instance);

/* What tuning records call the set: the lowered name of a kernel that is tuned for itself. */
const char *subject_name(const cubinet_archive *archive, const struct tune_set *set);

/* Whether the archive still has the image that was measured. */
bool subject_is_current(const cubinet_archive *archive, const struct tune_set *set,
                        const struct outcome *outcome);

#endif
