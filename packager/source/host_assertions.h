/* SPDX-License-Identifier: Apache-2.0 */
/* Static assertions in what stays of a source. nvcc checks them, so they are not dropped because they fail:
 * but where they are about types that are only stood in for here, the host's compiler alone knows. */
#ifndef HOST_ASSERTIONS_H
#define HOST_ASSERTIONS_H

#include "base/buffer.h"
#include "source/host_skip.h"

/* Whether a token is of an assertion that is a declaration. */
bool host_assertion_has(const struct host_skip *skip, size_t token);

/* Whether an error says that one failed. */
bool host_assertion_failed(const char *said);

/* Whether an assertion that failed is about the host's types: it names one, or a class that has one in it, or
 * the message does. `token`: any of the assertion. */
bool host_assertion_is_hosts(const struct host_skip *skip, size_t token, const char *message, size_t size);

/* Adds a warning for each assertion that was dropped, and counts them. */
size_t host_assertions_warn(const struct host_skip *skip, const char *path, struct buffer *messages);

#endif
