/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning records of what was measured. */
#ifndef TUNING_OF_H
#define TUNING_OF_H

#include "archive/draft.h"
#include "tune/outcome.h"

#include <cubinet/tuning.h>

/* Puts the record of an outcome that has a choice into the draft, which is made of the archive. */
cubinet_status tuning_put(const cubinet_archive *archive, const struct tune_set *set,
                          const struct outcome *outcome, struct draft *draft);

#endif
