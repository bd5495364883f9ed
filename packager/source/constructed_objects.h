/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that read like functions: `static registrar r(f);` or `r("name", f);`, where `f` is a function.
 */
#ifndef CONSTRUCTED_OBJECTS_H
#define CONSTRUCTED_OBJECTS_H

#include "source/declarations.h"

/* Makes variables of the declarations without a body that take values in place of parameters. */
cubinet_status constructed_objects_find(const struct cxx_tokens *tokens, struct declarations *declarations);

#endif
