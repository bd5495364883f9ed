/* SPDX-License-Identifier: Apache-2.0 */
/* `cubinet inspect --json`. */
#ifndef INSPECT_JSON_H
#define INSPECT_JSON_H

#include "show/shown_archive.h"

#include <jansson.h>

/* The keys that signed, as far as the archive says. */
json_t *inspect_signers_json(const struct shown_archive *shown);

cubinet_status inspect_print_json(const struct shown_archive *shown);

#endif
