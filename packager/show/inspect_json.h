/* SPDX-License-Identifier: Apache-2.0 */
/* `cubinet inspect --json`. */
#ifndef INSPECT_JSON_H
#define INSPECT_JSON_H

#include "show/shown_archive.h"

cubinet_status inspect_print_json(const struct shown_archive *shown);

#endif
