/* SPDX-License-Identifier: Apache-2.0 */
/* A file that claims to be an archive: opened as it is, then with its digests made right. */
#include "harness.h"
#include "seal.h"
#include "walk.h"

static void open_and_walk(const unsigned char *bytes, size_t size)
{
    cubinet_archive *archive = NULL;
    if (cubinet_archive_open_memory(bytes, size, NULL, &archive) == CUBINET_OK) {
        walk(archive);
    }
    cubinet_archive_close(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = harness_copy(data, size);
    open_and_walk(bytes, size);
    seal(bytes, size);
    open_and_walk(bytes, size);
    free(bytes);
    return 0;
}
