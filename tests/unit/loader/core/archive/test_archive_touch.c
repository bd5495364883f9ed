/* SPDX-License-Identifier: Apache-2.0 */
/* What opening an archive and loading from it reads: the bytes that this process has read, as Linux counts
 * them in /proc/self/io, and the pages of a mapped file that it has touched, as /proc/self/pagemap tells.
 * Images are so large that what the kernel maps around a touched page stays away from the middle of the
 * others. */
#include "unit.h"

#include "archive/archive_writer.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IMAGES = 4, IMAGE_SIZE = 8 << 20, MODULES = 8192, NAME_SIZE = 2000 };

static char folder[] = "/tmp/cubinet-test-XXXXXX";
static char path[sizeof(folder) + 16];

/* An archive of one module whose images have nothing in common. */
static int write_archive(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/a.cubinet", folder);
    struct draft draft = {0};
    for (uint32_t i = 0; i < IMAGES; i++) {
        unsigned char *bytes = malloc(IMAGE_SIZE);
        memset(bytes, 'a' + (int)i, IMAGE_SIZE);
        cubinet_target target = {CUBINET_IMAGE_CUBIN, (uint16_t)(80 + i), 0};
        assert_int_equal(
            draft_add_image(draft_module(&draft, "m"), target, bytes, IMAGE_SIZE, NULL, "test", NULL),
            CUBINET_OK);
    }
    const struct archive_writer_options plain = {0};
    cubinet_status status = archive_write_file(&draft, &plain, path);
    draft_free(&draft);
    return status ? -1 : 0;
}

static int remove_archive(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* 1 if the page at an address is in this process's memory, 0 if not, -1 if Linux does not tell. */
static int is_touched(const void *address)
{
    uint64_t entry = 0;
    off_t place = (off_t)((uintptr_t)address / (uintptr_t)sysconf(_SC_PAGESIZE) * sizeof(entry));
    int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : pread(file, &entry, sizeof(entry), place);
    if (file >= 0) {
        close(file);
    }
    return size == (ssize_t)sizeof(entry) ? (int)(entry >> 63) : -1;
}

/* Bytes that this process has read from files so far; -1 if Linux does not tell. */
static long bytes_read(void)
{
    long count = -1;
    FILE *file = fopen("/proc/self/io", "re");
    if (file && fscanf(file, "rchar: %ld", &count) != 1) {
        count = -1;
    }
    if (file) {
        fclose(file);
    }
    return count;
}

static const unsigned char *mapped(const cubinet_archive *archive)
{
    return atomic_load(&archive->storage.bytes);
}

static int middle_is_touched(const cubinet_archive *archive, uint32_t image)
{
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_image(archive, 0, image, &info), CUBINET_OK);
    return is_touched(mapped(archive) + info.offset + info.stored_size / 2);
}

/* A large image is used straight from the file's mapping. */
static void only_the_image_that_is_used_is_touched(void **state)
{
    (void)state;
    cubinet_archive *archive = NULL;
    struct cbn_image_bytes bytes = {0};
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
    assert_null(mapped(archive));
    assert_int_equal(cbn_archive_take_image(archive, 0, 2, false, &bytes), CUBINET_OK);
    assert_null(bytes.owned);
    assert_in_range((uintptr_t)bytes.data, (uintptr_t)mapped(archive),
                    (uintptr_t)mapped(archive) + archive->storage.size);
    if (middle_is_touched(archive, 0) < 0) {
        skip(); /* no pagemap here */
    }
    for (uint32_t i = 0; i < IMAGES; i++) {
        assert_int_equal(middle_is_touched(archive, i), i == 2);
    }
    cubinet_archive_close(archive);
}

/* An archive of many modules that are all alike but for their long names, so that it is little but its index.
 */
static void write_many(const char *to)
{
    struct draft draft = {0};
    for (uint32_t i = 0; i < MODULES; i++) {
        char name[NAME_SIZE + 1];
        snprintf(name, sizeof(name), "%0*u", NAME_SIZE, (unsigned)i);
        const cubinet_target target = {CUBINET_IMAGE_CUBIN, 80, 0};
        unsigned char *bytes = (unsigned char *)strdup("code");
        assert_int_equal(draft_add_image(draft_module(&draft, name), target, bytes, 4, NULL, "test", NULL),
                         CUBINET_OK);
    }
    const struct archive_writer_options plain = {0};
    assert_int_equal(archive_write_file(&draft, &plain, to), CUBINET_OK);
    draft_free(&draft);
}

/* Of many modules opening reads a list of pages, and a module's first use its page and its block. */
static void opening_reads_no_page_of_modules(void **state)
{
    (void)state;
    enum { PAGE_BYTES = 1024 * (NAME_SIZE + 40) }; /* a page has so many modules at most */
    char many[sizeof(path)];
    char last[NAME_SIZE + 1];
    cubinet_archive *archive = NULL;
    uint32_t module = 0;
    snprintf(many, sizeof(many), "%s/m.cubinet", folder);
    snprintf(last, sizeof(last), "%0*u", NAME_SIZE, MODULES - 1);
    write_many(many);
    long before = bytes_read();
    if (before < 0) {
        skip(); /* no counters here */
    }
    assert_int_equal(cubinet_archive_open(many, NULL, &archive), CUBINET_OK);
    unlink(many);
    long opened = bytes_read() - before;
    assert_true(archive->index_size > 8L * PAGE_BYTES / 2);
    assert_in_range(opened, archive->root_size, archive->root_size + (16 << 10));
    assert_int_equal(cubinet_archive_find_module(archive, last, &module), CUBINET_OK);
    assert_int_equal(module, MODULES - 1);
    cubinet_module_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_module(archive, module, &info), CUBINET_OK);
    assert_in_range(bytes_read() - before - opened, NAME_SIZE, PAGE_BYTES);
    assert_null(mapped(archive));
    cubinet_archive_close(archive);
}

static void expect_shorter(const char *file, const cubinet_archive *archive, int size)
{
    char expected[sizeof(path) + 100];
    snprintf(expected, sizeof(expected), "'%s': its file has %d bytes, and had %zu when it was opened", file,
             size, archive->storage.size);
    assert_string_equal(cubinet_error_message(), expected);
}

/* Who shortens a file in place while it is open gets an error, not the signal SIGBUS. */
static void a_file_that_got_shorter_is_an_error(void **state)
{
    (void)state;
    char many[sizeof(path)];
    char last[NAME_SIZE + 1];
    cubinet_archive *archive = NULL;
    uint32_t module = 0;
    snprintf(many, sizeof(many), "%s/m.cubinet", folder);
    snprintf(last, sizeof(last), "%0*u", NAME_SIZE, MODULES - 1);
    write_many(many);
    assert_int_equal(cubinet_archive_open(many, NULL, &archive), CUBINET_OK);
    assert_int_equal(truncate(many, 100000), 0);
    assert_int_equal(cubinet_archive_find_module(archive, last, &module), CUBINET_ERROR_IO);
    expect_shorter(many, archive, 100000);
    unlink(many);
    cubinet_archive_close(archive);
}

static void a_file_that_got_shorter_is_not_mapped(void **state)
{
    (void)state;
    char copy[sizeof(path)];
    char line[2 * sizeof(path) + 16];
    cubinet_archive *archive = NULL;
    struct cbn_image_bytes bytes = {0};
    snprintf(copy, sizeof(copy), "%s/c.cubinet", folder);
    snprintf(line, sizeof(line), "cp %s %s", path, copy);
    assert_int_equal(system(line), 0); /* NOLINT: in the test's own folder */
    assert_int_equal(cubinet_archive_open(copy, NULL, &archive), CUBINET_OK);
    assert_int_equal(truncate(copy, IMAGE_SIZE), 0);
    assert_int_equal(cbn_archive_take_image(archive, 0, 3, false, &bytes), CUBINET_ERROR_IO);
    expect_shorter(copy, archive, IMAGE_SIZE);
    unlink(copy);
    cubinet_archive_close(archive);
}

/* Many archives are many descriptors, which a process has not. */
static void a_mapped_archive_keeps_no_file(void **state)
{
    (void)state;
    cubinet_archive *archive = NULL;
    assert_int_equal(cbn_archive_open_mapped(path, NULL, &archive), CUBINET_OK);
    assert_int_equal(archive->storage.file, -1);
    const void *bytes = NULL;
    assert_int_equal(cbn_archive_image_bytes(archive, 0, 1, &bytes), CUBINET_OK);
    assert_int_equal(((const char *)bytes)[IMAGE_SIZE - 1], 'b');
    cubinet_archive_close(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_image_that_is_used_is_touched),
        cmocka_unit_test(opening_reads_no_page_of_modules),
        cmocka_unit_test(a_file_that_got_shorter_is_an_error),
        cmocka_unit_test(a_file_that_got_shorter_is_not_mapped),
        cmocka_unit_test(a_mapped_archive_keeps_no_file),
    };
    return cmocka_run_group_tests(tests, write_archive, remove_archive);
}
