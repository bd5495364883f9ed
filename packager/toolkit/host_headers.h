/* SPDX-License-Identifier: Apache-2.0 */
/* What the headers for host code are, and what takes their place in device code. */
#ifndef HOST_HEADERS_H
#define HOST_HEADERS_H

#include "base/buffer.h"

/* What to use in place of a header; NULL if it is not one for host code. */
const char *host_headers_instead(const char *name);

/* Whether they declare a name of std's, such as `vector`. */
bool host_headers_declare(const char *name, size_t size);

/* Appends messages of a compiler, in gcc's form, as far as they are the user's: where in the shipped headers
 * something is declared is not. Each of the host's types and functions that device code uses is explained
 * once, after the message that names it first. */
void host_headers_say(const char *messages, struct buffer *text);

#endif
