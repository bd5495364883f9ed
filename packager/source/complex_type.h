/* SPDX-License-Identifier: Apache-2.0 */
/* C's complex types, `_Complex float` and `double _Complex`, which NVRTC does not know. */
#ifndef COMPLEX_TYPE_H
#define COMPLEX_TYPE_H

#include "cxx/cxx_token.h"

/* Writes the name of the class that stands for the type whose first token is at `at`; after the type, or
 * `at` if it is none. */
size_t complex_type_name(const struct cxx_token *tokens, size_t at, char *name, size_t size);

#endif
