/* SPDX-License-Identifier: Apache-2.0 */
/* Name expressions against lowered names, without a compiler. */
#ifndef LOWERED_NAME_H
#define LOWERED_NAME_H

#include <stdbool.h>

/* Whether a lowered name, mangled by the Itanium C++ ABI or not at all, may be what an expression names, as
 * far as its text tells: the names in it stand in the lowered name in the same order, and its first template
 * arguments that are built-in types and numbers are those of the lowered name. An expression that is more
 * than a name and arguments (a cast, a macro's call) fits everything. The name of an alias or a macro fits
 * nothing, so that an expression which does not fit need not be wrong. */
bool lowered_name_fits(const char *expression, const char *lowered);

#endif
