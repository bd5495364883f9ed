/* SPDX-License-Identifier: Apache-2.0 */
/* Names and types of a kernel's parameters in Triton's IR, the text in NAME.ttir. */
#ifndef IMPORT_TTIR_H
#define IMPORT_TTIR_H

#include "image/launch_record.h"

/* Adds a name for each parameter of the kernel; none if the text does not say. A type that C has no name for
 * is left empty. */
cubinet_status import_ttir_names(const char *text, const char *kernel, struct launch_record *record);

#endif
