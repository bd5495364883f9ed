/* SPDX-License-Identifier: Apache-2.0 */
/* A file that claims to be an archive: opened as it is, then with its digests made right. */
#include "harness.h"
#include "memory_file.h"
#include "seal.h"
#include "walk.h"

#include <elf.h>
#include <stdbool.h>

/* In a file it has to be opened, or refused, as in memory. */
static void open_and_walk(const unsigned char *bytes, size_t size)
{
    cubinet_archive *archive = NULL;
    cubinet_archive *in_file = NULL;
    cubinet_status status = cubinet_archive_open_memory(bytes, size, NULL, &archive);
    cubinet_status of_file = cubinet_archive_open(memory_file(bytes, size), NULL, &in_file);
    bool may_be_inside = size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0; /* of a program */
    if (status != of_file && !may_be_inside) {
        abort();
    }
    if (archive) {
        walk(archive);
    }
    if (in_file) {
        walk(in_file);
    }
    cubinet_archive_close(archive);
    cubinet_archive_close(in_file);
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
