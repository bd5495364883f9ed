/* SPDX-License-Identifier: Apache-2.0 */
/* -Werror: gcc's, which takes no value, and nvcc's, which takes a list of kinds of warnings. */
#ifndef WERROR_H
#define WERROR_H

#include "compile/compile_arguments.h"

/* Whether an argument after the option is its list. */
bool werror_is_list(const char *text);

/* Takes the option with its list; NULL: it has none. */
cubinet_status werror_take(struct compile_arguments *arguments, const char *kinds);

#endif
