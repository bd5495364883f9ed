/* SPDX-License-Identifier: Apache-2.0 */
/* What a server of Bazel's remote cache keeps under an action's digest: the message ActionResult of
 * build.bazel.remote.execution.v2, with one output file, which is the cache entry. */
#ifndef ACTION_RESULT_H
#define ACTION_RESULT_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_TEXT_SIZE = 65 }; /* in hexadecimal digits, with the NUL */

/* The message Digest: of a file in the server's content-addressed storage. */
struct remote_digest {
    char hash[SHA256_TEXT_SIZE];
    uint64_t size; /* bytes */
};

/* The digest of bytes. */
void remote_digest_make(const void *bytes, size_t size, struct remote_digest *out_digest);

/* Whether they are the bytes that a digest stands for. */
bool remote_digest_matches(const struct remote_digest *digest, const void *bytes, size_t size);

/* Appends the result of an action that succeeded and wrote one file, `path`. */
void action_result_write(const char *path, const struct remote_digest *digest, struct buffer *result);

/* Finds the digest of the output file `path` in bytes that anybody may have made. NULL, or what is wrong with
 * them. */
const char *action_result_read(const void *bytes, size_t size, const char *path,
                               struct remote_digest *out_digest);

#endif
