/* SPDX-License-Identifier: Apache-2.0 */
/* What device code shows of its kernels beyond what the archive records. */
#ifndef CBN_LOOK_AT_CODE_H
#define CBN_LOOK_AT_CODE_H

#include "loader/driver/module.h"

/* Looks at a part of an image, or the whole of one that has no parts, that is about to be loaded: nothing
 * else than this has the code at hand. CUBINET_ERROR_DAMAGED if the code is not what the archive says of it.
 */
cubinet_status cbn_look_at_code(struct cubinet_module *module, uint32_t part, const cubinet_image_info *info,
                                const void *code);

/* Whether the archive records which kernels of an image wait for the kernel before them, and which take
 * dynamic shared memory: whoever wrote it has looked at the code, or at the PTX that it was made of, which
 * shows more. */
bool cbn_records_code(const cubinet_archive *archive, const cubinet_image_info *info);

#endif
