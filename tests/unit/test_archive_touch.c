/* SPDX-License-Identifier: Apache-2.0 */
/* What opening an archive and loading from it brings into memory: the pages of a file that this process has
 * touched, as Linux tells in /proc/self/pagemap. Images are so large that what the kernel maps around a
 * touched page stays away from the middle of the others. */
#include "unit.h"

#include "archive_writer.h"
#include "cbn_archive.h"
#include "opened.h"

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

static int middle_is_touched(const cubinet_archive *archive, uint32_t image)
{
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_image(archive, 0, image, &info), CUBINET_OK);
    return is_touched(archive->bytes + info.offset + info.stored_size / 2);
}

static void only_the_image_that_is_read_is_touched(void **state)
{
    (void)state;
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
    if (middle_is_touched(archive, 0) < 0) {
        skip(); /* no pagemap here */
    }
    for (uint32_t i = 0; i < IMAGES; i++) {
        assert_int_equal(middle_is_touched(archive, i), 0);
    }
    const void *bytes = NULL;
    assert_int_equal(cbn_archive_image_bytes(archive, 0, 2, &bytes), CUBINET_OK);
    assert_in_range((uintptr_t)bytes, (uintptr_t)archive->bytes, (uintptr_t)archive->bytes + archive->size);
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
static void opening_touches_no_page_of_modules(void **state)
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
    unlink(many);
    const unsigned char *middle = archive->index + archive->index_size / 2;
    const unsigned char *end = archive->index + archive->index_size - 1;
    if (is_touched(middle) < 0) {
        skip(); /* no pagemap here */
    }
    assert_int_equal(is_touched(middle), 0);
    assert_int_equal(is_touched(end), 0);
    assert_int_equal(cubinet_archive_find_module(archive, last, &module), CUBINET_OK);
    assert_int_equal(module, MODULES - 1);
    cubinet_module_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_module(archive, module, &info), CUBINET_OK);
    assert_int_equal(is_touched(end), 1);
    assert_int_equal(is_touched(middle), 0);
    cubinet_archive_close(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_image_that_is_read_is_touched),
        cmocka_unit_test(opening_touches_no_page_of_modules),
    };
    return cmocka_run_group_tests(tests, write_archive, remove_archive);
}
