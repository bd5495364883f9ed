/* SPDX-License-Identifier: Apache-2.0 */
/* Code that a file leaves out because a macro is defined, with nothing in its place: `#ifndef MACRO` and
 * `#if !defined(MACRO)` without an #else. */
#ifndef CXX_LEFT_OUT_H
#define CXX_LEFT_OUT_H

#include "cxx/cxx_token.h"

/* Whether there is any. `text`: what the tokens were read from; each such condition becomes `#if 1` in it,
 * and all else stays where it was. NULL: nothing is changed. */
bool cxx_left_out(const struct cxx_tokens *tokens, const char *macro, char *text);

#endif
