/* SPDX-License-Identifier: Apache-2.0 */
/* What Triton's IR, the text in NAME.ttir, says of a kernel. */
#ifndef IMPORT_TTIR_H
#define IMPORT_TTIR_H

#include "image/launch_record.h"

/* Adds a name for each parameter of the kernel; none if the text does not say. A type that C has no name for
 * is left empty. */
cubinet_status import_ttir_names(const char *text, const char *kernel, struct launch_record *record);

/* A digest of the text without its places in the source, which is equal where the same code was compiled for
 * the same types and constants. The caller frees it; NULL if memory is out. */
char *import_ttir_identity(const char *text);

#endif
