/* SPDX-License-Identifier: Apache-2.0 */
/* Zip files from zip_writer.h, read back through their directory, and by libarchive. */
#include "unit.h"

#include "archive/libarchive.h"
#include "archive/zip_directory.h"
#include "archive/zip_writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What archive/libarchive.h declares in place of these headers. */
_Static_assert(LIBARCHIVE_OK == ARCHIVE_OK && LIBARCHIVE_EOF == ARCHIVE_EOF, "the values are libarchive's");
_Static_assert(_Generic((la_int64_t *)0, int64_t * : 1, default : 0), "sizes are libarchive's");
#define SAME_TYPE(name, result, parameters)                                                                  \
    _Static_assert(_Generic(name, result(*) parameters : 1, default : 0), "a function is libarchive's");
LIBARCHIVE_FUNCTIONS(SAME_TYPE)

enum { MORE_THAN_16_BITS = 70000 };

struct made {
    char *bytes;
    size_t size;
};

/* `count` entries "folder/NUMBER", each two parts: its number, and '!'. */
static struct made make(unsigned count)
{
    struct made made = {0};
    FILE *stream = open_memstream(&made.bytes, &made.size);
    struct zip_writer *writer = NULL;
    assert_int_equal(zip_writer_open(stream, 315532800, &writer), CUBINET_OK);
    for (unsigned i = 0; i < count; i++) {
        char name[32];
        uint64_t offset = 0;
        int size = snprintf(name, sizeof(name), "folder/%u", i);
        struct byte_span parts[] = {{name + 7, (size_t)size - 7}, {"!", 1}};
        assert_int_equal(zip_writer_add(writer, name, parts, COUNT(parts), &offset), CUBINET_OK);
    }
    uint64_t size = 0;
    assert_int_equal(zip_writer_finish(writer, &size), CUBINET_OK);
    zip_writer_free(writer);
    fclose(stream);
    assert_int_equal(made.size, size);
    return made;
}

static void check_directory(const struct made *made, unsigned count)
{
    struct zip_directory directory;
    assert_int_equal(zip_directory_open(made->bytes, made->size, &directory), CUBINET_OK);
    assert_int_equal(directory.left, count);
    for (unsigned i = 0; i < count; i++) {
        struct zip_entry entry;
        char expected[32];
        int size = snprintf(expected, sizeof(expected), "folder/%u!", i) - 1;
        assert_int_equal(zip_directory_next(&directory, &entry), CUBINET_OK);
        assert_int_equal(entry.name_size, size);
        assert_memory_equal(entry.name, expected, entry.name_size);
        assert_int_equal(entry.size, size - 7 + 1);
        assert_int_equal(entry.stored_size, entry.size);
        assert_memory_equal(made->bytes + entry.data, expected + 7, entry.size);
    }
}

/* Which looks at the checksums, too. */
static void check_with_libarchive(const struct made *made, unsigned count)
{
    struct archive *zip = archive_read_new();
    struct archive_entry *entry = NULL;
    unsigned found = 0;
    archive_read_support_format_zip_seekable(zip);
    assert_int_equal(archive_read_open_memory(zip, made->bytes, made->size), ARCHIVE_OK);
    while (archive_read_next_header(zip, &entry) == ARCHIVE_OK) {
        assert_int_equal(archive_entry_mtime(entry), 315532800);
        assert_int_equal(archive_entry_perm(entry), 0644);
        assert_int_equal(archive_read_data_skip(zip), ARCHIVE_OK);
        found++;
    }
    assert_int_equal(found, count);
    archive_read_free(zip);
}

static void entries_read_back(void **state)
{
    (void)state;
    static const unsigned counts[] = {1, 100, UINT16_MAX - 1, UINT16_MAX, MORE_THAN_16_BITS};
    setenv("TZ", "UTC0", 1);
    for (size_t i = 0; i < COUNT(counts); i++) {
        struct made made = make(counts[i]);
        check_directory(&made, counts[i]);
        check_with_libarchive(&made, counts[i]);
        free(made.bytes);
    }
}

/* 30 bytes before each entry, 46 for it in the directory, its name twice, and 22 at the end. */
static void nothing_is_written_that_zip_does_not_require(void **state)
{
    (void)state;
    struct made made = make(1);
    assert_int_equal(made.size, 30 + 8 + 2 + 46 + 8 + 22);
    free(made.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_read_back),
        cmocka_unit_test(nothing_is_written_that_zip_does_not_require),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
