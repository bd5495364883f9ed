/* SPDX-License-Identifier: Apache-2.0 */
/* Code before it goes to the driver, which is told where it starts and not how long it is: it believes what
 * the code says of itself, and would read on past its end. */
#ifndef CBN_CHECK_CODE_H
#define CBN_CHECK_CODE_H

#include "loader/link/device_elf.h"

#include <cubinet/archive.h>

/* CUBINET_ERROR_DAMAGED for a cubin that is no ELF file or has parts outside its bytes, and for PTX that is
 * no text. An image like that was filed so: its digest is right.
 *
 * module: its number; for the message, like the archive
 * out_elf: a cubin, open; of other code untouched */
cubinet_status cbn_check_code(const cubinet_archive *archive, uint32_t module, const cubinet_image_info *info,
                              const void *code, struct cbn_elf *out_elf);

#endif
