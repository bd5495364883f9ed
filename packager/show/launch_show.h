/* SPDX-License-Identifier: Apache-2.0 */
/* Launch records for people and as JSON, in the form that `pack --launch` reads. */
#ifndef LAUNCH_SHOW_H
#define LAUNCH_SHOW_H

#include "base/buffer.h"
#include "show/shown_archive.h"

#include <cubinet/launch_record.h>

#include <jansson.h>

/* "20480 bytes of dynamic shared memory, block of 128, hidden 2 scratch (96 bytes a block)"; nothing of an
 * empty record. */
void launch_append_text(const cubinet_launch_record *record, struct buffer *text);

/* An object, without members of which nothing is recorded; null for an empty record. */
json_t *launch_json(const cubinet_launch_record *record);

/* Prints the records of an image's kernels, if it has any. */
cubinet_status launch_print(const struct shown_archive *shown, const struct listing_module *module,
                            uint32_t image);

#endif
