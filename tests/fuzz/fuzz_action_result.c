/* SPDX-License-Identifier: Apache-2.0 */
/* What a remote cache's server sends as an ActionResult: what is read is a digest or nothing. */
#include "cache/action_result.h"
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = harness_copy(data, size);
    struct remote_digest digest = {0};
    const char *problem =
        action_result_read(bytes, size, "0123456789abcdef0123456789abcdef.compile", &digest);
    bool is_digest = strspn(digest.hash, "0123456789abcdef") == SHA256_TEXT_SIZE - 1 &&
                     strlen(digest.hash) == SHA256_TEXT_SIZE - 1 && digest.size > 0 &&
                     digest.size <= INT64_MAX;
    if (is_digest == (problem != NULL)) {
        abort();
    }
    free(bytes);
    return 0;
}
