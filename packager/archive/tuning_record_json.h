/* SPDX-License-Identifier: Apache-2.0 */
/* One tuning record of a file: see tuning_file.h. */
#ifndef TUNING_RECORD_JSON_H
#define TUNING_RECORD_JSON_H

#include <cubinet/tuning.h>

#include <jansson.h>

/* Reads an object into a record whose `what`, default and instances are set. Strings are the object's.
 * CUBINET_ERROR_INVALID_ARGUMENT, which names the member, for what a record does not have or lacks. */
cubinet_status tuning_record_read(const json_t *object, cubinet_tuning *tuning);

#endif
