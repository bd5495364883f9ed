/* SPDX-License-Identifier: Apache-2.0 */
/* -Werror: gcc's, which takes no value, and nvcc's, which takes a list of kinds of warnings. */
#ifndef WERROR_H
#define WERROR_H

#include "base/options.h"
#include "compile/compile_arguments.h"

/* Takes the option that was just read, and its list, which may be the next argument. */
cubinet_status werror_take(struct option_reader *reader, struct compile_arguments *arguments);

#endif
