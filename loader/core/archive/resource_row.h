/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the resource table, as they are written. */
#ifndef CBN_RESOURCE_ROW_H
#define CBN_RESOURCE_ROW_H

#include <cubinet/archive.h>

/* Writes what a kernel needs in an image into its row. Which they are, and the parameters, are the caller's
 * to write. */
void cbn_resource_row_put(unsigned char *row, const cubinet_kernel_resources *resources);

#endif
