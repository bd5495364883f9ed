/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX licence expressions: "MIT", "Apache-2.0 WITH LLVM-exception OR (MIT AND Zlib)". */
#ifndef SPDX_LICENSE_H
#define SPDX_LICENSE_H

#include <cubinet/status.h>

/* Whether a text has the form of an expression (SPDX 2.3, annex D). Names of licences are not looked up: the
 * list grows with every release of it. CUBINET_ERROR_INVALID_ARGUMENT says what is wrong. */
cubinet_status spdx_license_check(const char *expression);

#endif
