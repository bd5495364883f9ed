/* SPDX-License-Identifier: Apache-2.0 */
/* AOTInductor's packages (.pt2): zip files with Triton's cubins, and with the C++ that launches them. */
#ifndef IMPORT_INDUCTOR_H
#define IMPORT_INDUCTOR_H

#include "import/import_list.h"

/* Takes what the package's C++, which lies in it uncompressed, says of kernels: dynamic shared memory, warps,
 * and parameters for scratch memory. Whatever can't be found stays unknown. */
cubinet_status import_inductor(const char *data, size_t size, struct import_item *item);

#endif
