/* SPDX-License-Identifier: Apache-2.0 */
/* What names that an archive records, and that people read, are made of. */
#ifndef NAME_CHECK_H
#define NAME_CHECK_H

#include <cubinet/status.h>

/* CUBINET_ERROR_INVALID_ARGUMENT unless the name is text of at least one character, in UTF-8 and without
 * control characters, of which text.h tells. `what` starts the message: "a module's name". */
cubinet_status name_check(const char *what, const char *name);

#endif
