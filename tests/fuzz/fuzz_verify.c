/* SPDX-License-Identifier: Apache-2.0 */
/* `cubinet verify` of a file that claims to be an archive: the index against the zip directory, which is read
 * with libarchive, and every image against what is recorded of it. */
#include "archive/check_archive.h"
#include "harness.h"
#include "seal.h"
#include "show/shown_archive.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void verify(const char *path)
{
    struct shown_archive shown;
    struct problems problems = {0};
    if (shown_archive_open(path, NULL, &shown) != CUBINET_OK) {
        return;
    }
    check_archive(shown.archive, &shown.listing, 1 << 20, &problems);
    problems_free(&problems);
    shown_archive_close(&shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = harness_copy(data, size);
    char path[64];
    int file = memfd_create("archive", MFD_CLOEXEC);
    seal(bytes, size);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size) {
        abort();
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    verify(path);
    close(file);
    free(bytes);
    return 0;
}
