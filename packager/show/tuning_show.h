/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning records for people and as JSON, in the form that `pack --tuning` reads. */
#ifndef TUNING_SHOW_H
#define TUNING_SHOW_H

#include "base/buffer.h"
#include "base/json_stream.h"
#include "show/shown_archive.h"

#include <cubinet/tuning.h>

#include <jansson.h>

/* What is launched: "block of 128, a thread for 4 elements, at most 264 blocks, cluster of 2". */
void tuning_append_launch(const cubinet_tuning *tuning, struct buffer *text);

/* Why a record is void: "the image for sm_90 has changed since"; nothing of one that is not. */
void tuning_append_void(const struct listing_module *module, const cubinet_tuning *tuning,
                        struct buffer *text);

/* What was tuned, with its records; an empty array if nothing was. */
cubinet_status tuning_json(const struct shown_archive *shown, const struct listing_module *module,
                           json_t **out_array);

/* Prints the same as the member "tunings", if there are any. */
cubinet_status tuning_stream(const struct shown_archive *shown, const struct listing_module *module,
                             struct json_stream *out);

/* Prints a module's records, if it has any. */
cubinet_status tuning_print(const struct shown_archive *shown, const struct listing_module *module);

/* How messages and tables call a kernel of a record. */
const char *tuning_kernel_name(const struct listing_module *module, const char *lowered);

#endif
