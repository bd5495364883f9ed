/* SPDX-License-Identifier: Apache-2.0 */
/* Archives in files that can't be read as they should be: each read fails in turn, or is interrupted, or
 * brings less than was asked for. */
#include "archive_sample.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads of this program, and so of the library in it, go through here (see CMakeLists.txt). */
ssize_t __real_pread(int file, void *out, size_t size, off_t offset);
ssize_t __wrap_pread(int file, void *out, size_t size, off_t offset);

static int reads;         /* since the last reset */
static int failing;       /* the number of the one that fails; 0: none */
static bool is_disturbed; /* every other one is interrupted, and the others bring a byte or two */

ssize_t __wrap_pread(int file, void *out, size_t size, off_t offset)
{
    reads++;
    if (reads == failing) {
        errno = EIO;
        return -1;
    }
    if (is_disturbed && reads % 2) {
        errno = EINTR;
        return -1;
    }
    return __real_pread(file, out, is_disturbed && size > 2 ? 2 : size, offset);
}

static cubinet_status open_and_read(const char *path, char *text, size_t capacity)
{
    cubinet_archive *archive = NULL;
    memset(text, 0, capacity);
    reads = 0;
    cubinet_status status = cubinet_archive_open(path, NULL, &archive);
    if (!status) {
        status = cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 0, text, capacity - 1);
    }
    cubinet_archive_close(archive);
    return status;
}

static void each_read_fails(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    const char *path = built_file(built.bytes, built.size);
    char expected[100];
    char text[1000];
    snprintf(expected, sizeof(expected), "'%s': its file cannot be read: %s", path, strerror(EIO));
    int failed = 0;
    cubinet_status status = CUBINET_ERROR_IO;
    for (failing = 1; status; failing++) {
        status = open_and_read(path, text, sizeof(text));
        if (status) {
            assert_int_equal(status, CUBINET_ERROR_IO);
            assert_string_equal(cubinet_error_message(), expected);
            failed++;
        }
    }
    failing = 0;
    assert_int_equal(failed, 3); /* the root, a block, an image */
    assert_string_equal(text, sample_modules[SAMPLE_SEGSUM].images[0].text);
    built_free(&built);
}

static void reads_come_in_pieces(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    char text[1000];
    is_disturbed = true;
    assert_int_equal(open_and_read(built_file(built.bytes, built.size), text, sizeof(text)), CUBINET_OK);
    is_disturbed = false;
    assert_true(reads > 1000);
    assert_string_equal(text, sample_modules[SAMPLE_SEGSUM].images[0].text);
    built_free(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_read_fails),
        cmocka_unit_test(reads_come_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
