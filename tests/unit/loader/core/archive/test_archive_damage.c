/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that are not as they should be: every rule of docs/reference/format.md broken in turn, with the
 * digests made right again so that nothing but the rule itself can refuse; then every truncation and every
 * changed byte.
 */
#include "archive_sample.h"
#include "loader/core/archive/tables.h"
#include "memory_file.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = -1000 }; /* where a change counts from the start of the index */

/* Reads all that is in an archive, if it could be opened, and closes it; the first failure. */
static cubinet_status read_all(cubinet_status status, cubinet_archive *archive)
{
    for (uint32_t i = 0; !status && i < cubinet_archive_get_module_count(archive); i++) {
        cubinet_module_info module = {.size = sizeof(module)};
        status = cubinet_archive_get_module(archive, i, &module);
        for (uint32_t j = 0; !status && j < module.image_count; j++) {
            char text[1000];
            status = cubinet_archive_read_image(archive, i, j, text, sizeof(text));
        }
    }
    cubinet_archive_close(archive);
    return status;
}

/* Opens an archive in memory, and in a file, which has to come to the same. */
static cubinet_status read_everything(const unsigned char *bytes, size_t size)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open_memory(bytes, size, NULL, &archive);
    status = read_all(status, archive);
    archive = NULL;
    cubinet_status of_file = cubinet_archive_open(memory_file(bytes, size), NULL, &archive);
    assert_int_equal(read_all(of_file, archive), status);
    return status;
}

/* A change that breaks one rule. */
struct change {
    const char *rule;
    int set; /* HEADER, BUILT_ROOT, or a module */
    uint16_t table;
    size_t row;
    size_t offset; /* of the member in its row, or in the header */
    size_t width;
    uint64_t value;
    cubinet_status status;
};

static const struct change changes[] = {
    {"magic", HEADER, 0, 0, 0, 1, 0x88, CUBINET_ERROR_NOT_ARCHIVE},
    {"magic's end", HEADER, 0, 0, 7, 1, 0, CUBINET_ERROR_NOT_ARCHIVE},
    {"format major 0", HEADER, 0, 0, 8, 2, 0, CUBINET_ERROR_DAMAGED},
    {"reader major", HEADER, 0, 0, 12, 2, 2, CUBINET_ERROR_NEWER_FORMAT},
    {"reader minor", HEADER, 0, 0, 14, 2, 7, CUBINET_ERROR_NEWER_FORMAT},
    {"reader newer than the format", HEADER, 0, 0, 14, 2, 2, CUBINET_ERROR_DAMAGED},
    {"archive size 0", HEADER, 0, 0, 16, 8, 0, CUBINET_ERROR_DAMAGED},
    {"archive size", HEADER, 0, 0, 16, 8, UINT64_MAX, CUBINET_ERROR_DAMAGED},
    {"index size 0", HEADER, 0, 0, 24, 4, 0, CUBINET_ERROR_DAMAGED},
    {"index size", HEADER, 0, 0, 24, 4, 0xffffffff, CUBINET_ERROR_DAMAGED},
    {"index larger than its blocks", HEADER, 0, 0, 24, 4, 2000, CUBINET_ERROR_DAMAGED},
    {"root size 0", HEADER, 0, 0, 28, 4, 0, CUBINET_ERROR_DAMAGED},
    {"root without directory", HEADER, 0, 0, 28, 4, 48, CUBINET_ERROR_DAMAGED},
    {"root cut in its directory", HEADER, 0, 0, 28, 4, 60, CUBINET_ERROR_DAMAGED},
    {"root larger than the index", HEADER, 0, 0, 28, 4, 0xfffffff0, CUBINET_ERROR_DAMAGED},
    {"tables beyond any", HEADER, 0, 0, 48, 2, 0xffff, CUBINET_ERROR_DAMAGED},
    {"too many tables", HEADER, 0, 0, 48, 2, 65, CUBINET_ERROR_DAMAGED},
    {"no table", HEADER, 0, 0, 48, 2, 0, CUBINET_ERROR_DAMAGED},
    {"directory's zero", HEADER, 0, 0, 50, 2, 1, CUBINET_ERROR_DAMAGED},

    {"archive version's string", BUILT_ROOT, 0x8010, 0, 0, 4, 5000, CUBINET_ERROR_DAMAGED},
    {"producer's string", BUILT_ROOT, 0x8010, 0, 4, 4, 0xffffffff, CUBINET_ERROR_DAMAGED},
    {"first string", BUILT_ROOT, 0x8001, 0, 0, 1, 'x', CUBINET_ERROR_DAMAGED},
    {"module without name", BUILT_ROOT, 0x8011, 0, 0, 4, 0, CUBINET_ERROR_DAMAGED},
    {"module's name", BUILT_ROOT, 0x8011, 0, 0, 4, 5000, CUBINET_ERROR_DAMAGED},
    {"module's name twice", BUILT_ROOT, 0x8011, 1, 0, 4, 14, CUBINET_ERROR_DAMAGED},
    {"block's place", BUILT_ROOT, 0x8011, 0, 4, 4, 8, CUBINET_ERROR_DAMAGED},
    {"block's place far away", BUILT_ROOT, 0x8011, 1, 4, 4, 0xfffffff8, CUBINET_ERROR_DAMAGED},
    {"block's size 0", BUILT_ROOT, 0x8011, 0, 8, 4, 0, CUBINET_ERROR_DAMAGED},
    {"block's size", BUILT_ROOT, 0x8011, 1, 8, 4, 0xffffffff, CUBINET_ERROR_DAMAGED},
    {"block called compressed", BUILT_ROOT, 0x8011, 0, 12, 4, 1, CUBINET_ERROR_DAMAGED},

    {"image's kind 0", SAMPLE_SEGSUM, 0x8020, 0, 0, 1, 0, CUBINET_ERROR_DAMAGED},
    {"image's kind out of order", SAMPLE_SEGSUM, 0x8020, 0, 0, 1, 3, CUBINET_ERROR_DAMAGED},
    {"image's suffix", SAMPLE_SEGSUM, 0x8020, 1, 1, 1, 'b', CUBINET_ERROR_DAMAGED},
    {"image's number 0", SAMPLE_SEGSUM, 0x8020, 0, 2, 2, 0, CUBINET_ERROR_DAMAGED},
    {"image's number", SAMPLE_SEGSUM, 0x8020, 3, 2, 2, 10000, CUBINET_ERROR_DAMAGED},
    {"image's number 9", SAMPLE_SEGSUM, 0x8020, 0, 2, 2, 9, CUBINET_ERROR_DAMAGED},
    {"image's least number", SAMPLE_SEGSUM, 0x8020, 0, 2, 2, 10, CUBINET_OK},
    {"image's largest number", SAMPLE_SEGSUM, 0x8020, 3, 2, 2, 9999, CUBINET_OK},
    {"images out of order", SAMPLE_SEGSUM, 0x8020, 1, 2, 2, 70, CUBINET_ERROR_DAMAGED},
    {"two images for the same", SAMPLE_SEGSUM, 0x8020, 1, 1, 3, 80 << 8, CUBINET_ERROR_DAMAGED},
    {"image's encoding", SAMPLE_SEGSUM, 0x8020, 0, 4, 1, 2, CUBINET_ERROR_DAMAGED},
    {"image's zero", SAMPLE_SEGSUM, 0x8020, 0, 5, 1, 1, CUBINET_ERROR_DAMAGED},
    {"image's last zero", SAMPLE_SEGSUM, 0x8020, 0, 7, 1, 1, CUBINET_ERROR_DAMAGED},
    {"cubin's zero", SAMPLE_SEGSUM, 0x8020, 0, 12, 4, 1, CUBINET_ERROR_DAMAGED},
    {"image in the index", SAMPLE_SEGSUM, 0x8020, 0, 16, 8, 100, CUBINET_ERROR_DAMAGED},
    {"image past the end", SAMPLE_SEGSUM, 0x8020, 0, 16, 8, 1000000, CUBINET_ERROR_DAMAGED},
    {"image's offset overflows", SAMPLE_SEGSUM, 0x8020, 0, 16, 8, UINT64_MAX - 8, CUBINET_ERROR_DAMAGED},
    {"image's stored size 0", SAMPLE_SEGSUM, 0x8020, 2, 24, 8, 0, CUBINET_ERROR_DAMAGED},
    {"image's stored size", SAMPLE_SEGSUM, 0x8020, 2, 24, 8, UINT64_MAX, CUBINET_ERROR_DAMAGED},
    {"raw image's sizes differ", SAMPLE_SEGSUM, 0x8020, 0, 32, 8, 5, CUBINET_ERROR_DAMAGED},
    {"compressed image's raw size 0", SAMPLE_SEGSUM, 0x8020, 2, 32, 8, 0, CUBINET_ERROR_DAMAGED},
    {"compressed image's raw size", SAMPLE_SEGSUM, 0x8020, 2, 32, 8, 83, CUBINET_ERROR_DAMAGED},
    {"raw size above the limit", SAMPLE_SEGSUM, 0x8020, 2, 32, 8, (1 << 30) + 1, CUBINET_ERROR_LIMIT},
    {"image's digest", SAMPLE_SEGSUM, 0x8020, 3, 40, 1, 0x5a, CUBINET_ERROR_DAMAGED},
    {"raw bytes called zstd", SAMPLE_SEGSUM, 0x8020, 0, 4, 1, 1, CUBINET_ERROR_DAMAGED},

    {"kernel without name", SAMPLE_SEGSUM, 0x8021, 0, 0, 4, 0, CUBINET_ERROR_DAMAGED},
    {"kernel's name", SAMPLE_SEGSUM, 0x8021, 2, 0, 4, 5000, CUBINET_ERROR_DAMAGED},
    {"kernels out of order", SAMPLE_SEGSUM, 0x8021, 2, 0, 4, 3, CUBINET_ERROR_DAMAGED},
    {"kernel's expression", SAMPLE_SEGSUM, 0x8021, 1, 4, 4, 0x80000000, CUBINET_ERROR_DAMAGED},
    {"resources' image", SAMPLE_SEGSUM, 0x8022, 5, 0, 4, 4, CUBINET_ERROR_DAMAGED},
    {"resources' kernel", SAMPLE_SEGSUM, 0x8022, 5, 4, 4, 3, CUBINET_ERROR_DAMAGED},
    {"resources out of order", SAMPLE_SEGSUM, 0x8022, 1, 4, 4, 0, CUBINET_ERROR_DAMAGED},
    {"first parameter", SAMPLE_SEGSUM, 0x8022, 0, 72, 4, 2, CUBINET_ERROR_DAMAGED},
    {"only parameter", SAMPLE_SEGSUM, 0x8022, 3, 72, 4, 3, CUBINET_ERROR_DAMAGED},
    {"first parameter overflows", SAMPLE_SEGSUM, 0x8022, 0, 72, 4, 0xffffffff, CUBINET_ERROR_DAMAGED},
    {"count of parameters", SAMPLE_SEGSUM, 0x8022, 0, 76, 2, 0xfffe, CUBINET_ERROR_DAMAGED},
    {"global without name", SAMPLE_SEGSUM, 0x8024, 0, 0, 4, 0, CUBINET_ERROR_DAMAGED},
    {"global's expression", SAMPLE_SEGSUM, 0x8024, 1, 4, 4, 5000, CUBINET_ERROR_DAMAGED},
    {"first global's zero", SAMPLE_SEGSUM, 0x8024, 0, 20, 4, 1, CUBINET_ERROR_DAMAGED},
    {"global's zero", SAMPLE_SEGSUM, 0x8024, 1, 20, 4, 1, CUBINET_ERROR_DAMAGED},
    {"piece of no image", SAMPLE_SEGSUM, 0x0025, 1, 0, 4, 4, CUBINET_ERROR_DAMAGED},
    {"image that is two pieces", SAMPLE_SEGSUM, 0x0025, 1, 0, 4, 2, CUBINET_ERROR_DAMAGED},
    {"piece's first symbol", SAMPLE_SEGSUM, 0x0025, 1, 4, 4, 2, CUBINET_ERROR_DAMAGED},
    {"more defined than there are", SAMPLE_SEGSUM, 0x0025, 1, 8, 4, 4, CUBINET_ERROR_DAMAGED},
    {"more needed than there are", SAMPLE_SEGSUM, 0x0025, 1, 12, 4, 0xffffffff, CUBINET_ERROR_DAMAGED},
    {"symbol of no piece", SAMPLE_SEGSUM, 0x0025, 1, 12, 4, 0, CUBINET_ERROR_DAMAGED},
    {"symbol without name", SAMPLE_SEGSUM, 0x0026, 1, 0, 4, 0, CUBINET_ERROR_DAMAGED},
    {"symbol's name", SAMPLE_SEGSUM, 0x0026, 3, 0, 4, 5000, CUBINET_ERROR_DAMAGED},
    {"symbol's expression", SAMPLE_SEGSUM, 0x0026, 3, 4, 4, 5000, CUBINET_ERROR_DAMAGED},
    {"launch of no resources", SAMPLE_SEGSUM, 0x0027, 2, 0, 4, 6, CUBINET_ERROR_DAMAGED},
    {"launches out of order", SAMPLE_SEGSUM, 0x0027, 2, 0, 4, 3, CUBINET_ERROR_DAMAGED},
    {"launch's first hidden parameter", SAMPLE_SEGSUM, 0x0027, 2, 48, 4, 0, CUBINET_ERROR_DAMAGED},
    {"first hidden parameter of none", SAMPLE_SEGSUM, 0x0027, 1, 48, 4, 1, CUBINET_ERROR_DAMAGED},
    {"more hidden parameters than there are", SAMPLE_SEGSUM, 0x0027, 2, 52, 2, 3, CUBINET_ERROR_DAMAGED},
    {"hidden parameter of no launch", SAMPLE_SEGSUM, 0x0027, 2, 52, 2, 1, CUBINET_ERROR_DAMAGED},
    {"launch's first name", SAMPLE_SEGSUM, 0x0027, 1, 56, 4, 1, CUBINET_ERROR_DAMAGED},
    {"first name of none", SAMPLE_SEGSUM, 0x0027, 2, 56, 4, 3, CUBINET_ERROR_DAMAGED},
    {"more names than there are", SAMPLE_SEGSUM, 0x0027, 1, 54, 2, 2, CUBINET_ERROR_DAMAGED},
    {"fewer names than parameters", SAMPLE_SEGSUM, 0x0027, 0, 54, 2, 1, CUBINET_ERROR_DAMAGED},
    {"hidden parameters out of order", SAMPLE_SEGSUM, 0x0028, 2, 0, 4, 0, CUBINET_ERROR_DAMAGED},
    {"hidden parameter that is not there", SAMPLE_SEGSUM, 0x0028, 0, 0, 4, 2, CUBINET_ERROR_DAMAGED},
    {"hidden parameter's number", SAMPLE_SEGSUM, 0x0028, 2, 0, 4, 0xffff, CUBINET_ERROR_DAMAGED},
    {"parameter's name", SAMPLE_SEGSUM, 0x0029, 2, 0, 4, 5000, CUBINET_ERROR_DAMAGED},
    {"parameter's type", SAMPLE_SEGSUM, 0x0029, 2, 4, 4, 5000, CUBINET_ERROR_DAMAGED},
    {"symbol's type", SAMPLE_SEGSUM, 0x0026, 3, 8, 4, 5000, CUBINET_ERROR_DAMAGED},
};

static void expect(const struct built *built, const char *rule, cubinet_status expected)
{
    cubinet_status status = read_everything(built->bytes, built->size);
    if (status != expected) {
        fail_msg("%s: %s, not %s (%s)", rule, cubinet_status_name(status), cubinet_status_name(expected),
                 cubinet_error_message());
    }
    assert_null(strchr(cubinet_error_message(), '\n'));
}

static void break_rule(struct built *built, const struct change *change)
{
    size_t place =
        change->set == HEADER ? built->index : built_row(built, change->set, change->table, change->row);
    unsigned char *member = built->bytes + place + change->offset;
    assert_true(get(member, change->width) != change->value);
    put(member, change->width, change->value);
    built_seal(built);
}

static void refuses_each_broken_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(changes); i++) {
        struct built built = build(&sample_archive);
        break_rule(&built, &changes[i]);
        expect(&built, changes[i].rule, changes[i].status);
        built_free(&built);
    }
}

/* The first rule that is broken, where what is read later would break as well. */
static void says_which_rule(void **state)
{
    (void)state;
    static const struct change said[] = {
        {"malformed or misplaced target", SAMPLE_SEGSUM, 0x8020, 0, 2, 2, 9, CUBINET_ERROR_DAMAGED},
        {"malformed or misplaced target", SAMPLE_SEGSUM, 0x8020, 3, 2, 2, 10000, CUBINET_ERROR_DAMAGED},
        {"malformed or misplaced target", SAMPLE_SEGSUM, 0x8020, 1, 1, 3, 80 << 8, CUBINET_ERROR_DAMAGED},
        {"unknown encoding", SAMPLE_SEGSUM, 0x8020, 0, 4, 1, 2, CUBINET_ERROR_DAMAGED},
        {"a reserved member is set", SAMPLE_SEGSUM, 0x8020, 0, 6, 1, 1, CUBINET_ERROR_DAMAGED},
        {"sizes that contradict each other", SAMPLE_SEGSUM, 0x8020, 2, 24, 8, 0, CUBINET_ERROR_DAMAGED},
        {"sizes that contradict each other", SAMPLE_SEGSUM, 0x8020, 2, 32, 8, 0, CUBINET_ERROR_DAMAGED},
        {"sizes that contradict each other", SAMPLE_SEGSUM, 0x8020, 0, 32, 8, 5, CUBINET_ERROR_DAMAGED},
        {"it lies outside the archive", SAMPLE_SEGSUM, 0x8020, 0, 16, 8, 100, CUBINET_ERROR_DAMAGED},
        {"it lies outside the archive", SAMPLE_SEGSUM, 0x8020, 0, 16, 8, 1000000, CUBINET_ERROR_DAMAGED},
    };
    for (size_t i = 0; i < COUNT(said); i++) {
        struct built built = build(&sample_archive);
        break_rule(&built, &said[i]);
        expect(&built, said[i].rule, said[i].status);
        if (!strstr(cubinet_error_message(), said[i].rule)) {
            fail_msg("%s: %s", said[i].rule, cubinet_error_message());
        }
        built_free(&built);
    }
}

/* Changes of a directory's entry: offset in it, width, value. */
static void refuses_broken_directories(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        uint16_t table;
        size_t offset;
        size_t width;
        uint64_t value;
        cubinet_status status;
    } entries[] = {
        {"hidden parameters of no launch", 0x0027, 8, 4, 1, CUBINET_ERROR_DAMAGED},
        {"unknown required table", 0x8024, 0, 2, 0x8025, CUBINET_ERROR_NEWER_FORMAT},
        {"same id twice", 0x8021, 0, 2, 0x8020, CUBINET_ERROR_DAMAGED},
        {"same id twice but for bit 15", 0x8021, 0, 2, 0x0020, CUBINET_ERROR_DAMAGED},
        {"ids out of order", 0x8021, 0, 2, 0x0002, CUBINET_ERROR_DAMAGED},
        {"images made an optional table", 0x8020, 0, 2, 0x0020, CUBINET_ERROR_DAMAGED},
        {"short rows", 0x8020, 2, 2, 55, CUBINET_ERROR_DAMAGED},
        {"rows of no size", 0x8022, 2, 2, 0, CUBINET_ERROR_DAMAGED},
        {"wide strings", 0x8001, 2, 2, 2, CUBINET_ERROR_DAMAGED},
        {"in the directory", 0x8023, 4, 4, 8, CUBINET_ERROR_DAMAGED},
        {"not aligned", 0x8023, 4, 4, 1 << 20 | 4, CUBINET_ERROR_DAMAGED},
        {"outside", 0x8023, 4, 4, 0xfffffff8, CUBINET_ERROR_DAMAGED},
        {"too long", 0x8023, 8, 4, 0x20000001, CUBINET_ERROR_DAMAGED},
        {"no image", 0x8020, 8, 4, 0, CUBINET_ERROR_DAMAGED},
        {"overlap", 0x8023, 8, 4, 4, CUBINET_ERROR_DAMAGED},
        {"strings cut", 0x8001, 8, 4, 5, CUBINET_ERROR_DAMAGED},
    };
    for (size_t i = 0; i < COUNT(entries); i++) {
        struct built built = build(&sample_archive);
        size_t place = built_entry(&built, SAMPLE_SEGSUM, entries[i].table) + entries[i].offset;
        put(built.bytes + place, entries[i].width, entries[i].value);
        built_seal(&built);
        expect(&built, entries[i].rule, entries[i].status);
        built_free(&built);
    }
}

/* The sizes of roots are compared before, and those of blocks start at 0. */
static void refuses_sets_without_room_for_a_directory(void **state)
{
    (void)state;
    static const unsigned char set[CBN_HEADER_SIZE + CBN_DIRECTORY_SIZE];
    for (uint32_t size = 0; size <= sizeof(set); size++) {
        assert_int_equal(cbn_tables_read(set, size, CBN_HEADER_SIZE, NULL, 0, NULL),
                         size < sizeof(set) ? CUBINET_ERROR_DAMAGED : CUBINET_OK);
    }
}

static void refuses_unknown_required_tables_only(void **state)
{
    (void)state;
    struct build_archive archive = sample_archive;
    archive.unknown_table = 0x8042;
    struct built built = build(&archive);
    expect(&built, "unknown required table in the root", CUBINET_ERROR_NEWER_FORMAT);
    assert_non_null(strstr(cubinet_error_message(), "0x8042"));
    built_free(&built);
    archive.unknown_table = 0x0042;
    built = build(&archive);
    assert_int_equal(read_everything(built.bytes, built.size), CUBINET_OK);
    built_free(&built);
}

static void refuses_set_bytes_between_blocks(void **state)
{
    (void)state;
    struct build_archive archive = sample_archive;
    archive.unknown_table = 0x0042; /* ends at no multiple of 8 */
    struct built built = build(&archive);
    int gaps = 0;
    size_t end = built.index + get(built.bytes + built.index + 28, 4);
    for (int module = 0; module < 2; module++) {
        size_t start = built_set(&built, module);
        for (; end < start; end++, gaps++) {
            built.bytes[end] = 1;
            expect(&built, "a gap", CUBINET_ERROR_DAMAGED);
            built.bytes[end] = 0;
        }
        end = start + get(built.bytes + built_row(&built, BUILT_ROOT, 0x8011, (size_t)module) + 8, 4);
    }
    assert_true(gaps > 0);
    built_free(&built);
}

static void keeps_to_a_programs_limit(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    cubinet_archive *archive = NULL;
    cubinet_archive_options options = {.size = sizeof(options), .max_image_size = 40};
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, &options, &archive), CUBINET_OK);
    char text[1000];
    assert_int_equal(cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 0, text, sizeof(text)), CUBINET_OK);
    assert_int_equal(cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 1, text, sizeof(text)),
                     CUBINET_ERROR_LIMIT);
    assert_string_equal(
        cubinet_error_message(),
        "sm_90a of module 'segmented_sum' in the archive in memory has 45 bytes, and the limit is "
        "40; a program can set another in cubinet_archive_options");
    assert_int_equal(cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 2, text, sizeof(text)),
                     CUBINET_ERROR_LIMIT);
    cubinet_archive_close(archive);
    built_free(&built);
}

static void refuses_every_truncation(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    for (size_t size = 0; size < built.size; size++) {
        /* Memory of exactly that size, so that a read past it is seen. */
        unsigned char *bytes = malloc(size ? size : 1);
        memcpy(bytes, built.bytes, size);
        cubinet_archive *archive = NULL;
        cubinet_status status = cubinet_archive_open_memory(bytes, size, NULL, &archive);
        assert_true(status == CUBINET_ERROR_DAMAGED || status == CUBINET_ERROR_NOT_ARCHIVE);
        assert_null(archive);
        if (size > built.index + 48) {
            char expected[200];
            snprintf(expected, sizeof(expected),
                     "the archive in memory is truncated: its index promises %zu bytes, the memory has %zu",
                     built.size, size);
            assert_string_equal(cubinet_error_message(), expected);
        }
        assert_int_equal(cubinet_archive_open(memory_file(bytes, size), NULL, &archive), status);
        assert_null(archive);
        free(bytes);
    }
    built_free(&built);
}

/* Whether a byte belongs to the index or to an image: what a digest covers. */
static bool is_covered(const struct built *built, size_t place)
{
    if (place >= built->index && place < built->index + built->index_size) {
        return true;
    }
    for (int module = 0; module < 2; module++) {
        for (size_t i = 0; i < sample_modules[module].image_count; i++) {
            const unsigned char *row = built->bytes + built_row(built, module, 0x8020, i);
            size_t offset = get(row + 16, 8);
            if (place >= offset && place < offset + get(row + 24, 8)) {
                return true;
            }
        }
    }
    return false;
}

/* Changes of a byte: one bit at either end, one in between, all. */
static const unsigned char flips[] = {0x01, 0x10, 0x80, 0xff};

static void detects_every_flipped_byte(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    for (size_t place = 0; place < built.size; place++) {
        for (size_t i = 0; i < COUNT(flips); i++) {
            built.bytes[place] ^= flips[i];
            cubinet_status status = read_everything(built.bytes, built.size);
            built.bytes[place] ^= flips[i];
            if (status == CUBINET_OK && is_covered(&built, place)) {
                fail_msg("byte %zu, changed by %#x, was missed", place, flips[i]);
            }
        }
    }
    assert_int_equal(read_everything(built.bytes, built.size), CUBINET_OK);
    built_free(&built);
}

/* With the digests made right again, what a flip leaves is either refused or another valid archive. */
static void survives_every_sealed_flip(void **state)
{
    (void)state;
    struct built sample = build(&sample_archive);
    unsigned char *pristine = malloc(sample.size);
    memcpy(pristine, sample.bytes, sample.size);
    for (size_t place = sample.index; place < sample.index + sample.index_size; place++) {
        for (size_t i = 0; i < COUNT(flips); i++) {
            sample.bytes[place] ^= flips[i];
            built_seal(&sample);
            read_everything(sample.bytes, sample.size);
            memcpy(sample.bytes, pristine, sample.size);
        }
    }
    free(pristine);
    built_free(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_each_broken_rule),
        cmocka_unit_test(says_which_rule),
        cmocka_unit_test(refuses_broken_directories),
        cmocka_unit_test(refuses_sets_without_room_for_a_directory),
        cmocka_unit_test(refuses_unknown_required_tables_only),
        cmocka_unit_test(refuses_set_bytes_between_blocks),
        cmocka_unit_test(keeps_to_a_programs_limit),
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(detects_every_flipped_byte),
        cmocka_unit_test(survives_every_sealed_flip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
