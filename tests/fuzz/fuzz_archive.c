/* SPDX-License-Identifier: Apache-2.0 */
/* A file that claims to be an archive: opened as it is, then with its digests made right. */
#include "harness.h"
#include "seal.h"
#include "walk.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* The path of a file with these bytes. */
static const char *write_file(const unsigned char *bytes, size_t size)
{
    static char path[40];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("archive", MFD_CLOEXEC);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0) || pwrite(file, bytes, size, 0) != (ssize_t)size) {
        abort();
    }
    return path;
}

/* In a file it has to be opened, or refused, as in memory. */
static void open_and_walk(const unsigned char *bytes, size_t size)
{
    cubinet_archive *archive = NULL;
    cubinet_archive *in_file = NULL;
    cubinet_status status = cubinet_archive_open_memory(bytes, size, NULL, &archive);
    cubinet_status of_file = cubinet_archive_open(write_file(bytes, size), NULL, &in_file);
    bool may_differ = size >= 4 && memcmp(bytes,
                                          "\x7f"
                                          "ELF",
                                          4) == 0; /* an archive in a program */
    if (status != of_file && !may_differ) {
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
