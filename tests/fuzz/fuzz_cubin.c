/* SPDX-License-Identifier: Apache-2.0 */
/* A file that claims to be a cubin. */
#include "harness.h"
#include "image/cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *bytes = harness_copy(data, size);
    struct contents contents = {0};
    if (cubin_read(bytes, size, &contents) == CUBINET_OK) {
        contents_free(&contents);
    }
    free(bytes);
    return 0;
}
