/* SPDX-License-Identifier: Apache-2.0 */
/* What version 1.3 of the format added: modules that are listed in pages. */
#include "archive_sample.h"
#include "loader/core/archive/cbn_archive.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULES = 131, NAME_SIZE = 16, THREADS = 8 };

/* Modules named "m00001", "m00003" and so on: between any two there is room for a name that is none. */
struct many {
    struct build_module modules[MODULES];
    char names[MODULES][NAME_SIZE];
};

static struct built build_many(struct many *many, size_t count, size_t page_modules)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(many->names[i], NAME_SIZE, "m%05zu", 2 * i + 1);
        many->modules[i] = sample_modules[SAMPLE_AXPY];
        many->modules[i].name = many->names[i];
    }
    const struct build_archive archive = {
        .producer = "a test", .modules = many->modules, .module_count = count, .page_modules = page_modules};
    return build(&archive);
}

static cubinet_archive *open_built(const struct built *built)
{
    cubinet_archive *archive = NULL;
    if (cubinet_archive_open_memory(built->bytes, built->size, NULL, &archive)) {
        fail_msg("%s", cubinet_error_message());
    }
    return archive;
}

static void expect_found(const cubinet_archive *archive, const char *name, uint32_t number)
{
    uint32_t module = UINT32_MAX;
    cubinet_module_info info = {.size = sizeof(info)};
    if (cubinet_archive_find_module(archive, name, &module)) {
        fail_msg("%s: %s", name, cubinet_error_message());
    }
    assert_int_equal(module, number);
    assert_int_equal(cubinet_archive_get_module(archive, module, &info), CUBINET_OK);
    assert_string_equal(info.name, name);
    assert_int_equal(info.image_count, 2);
}

static void expect_missing(const cubinet_archive *archive, const char *name)
{
    uint32_t module = 77;
    assert_int_equal(cubinet_archive_find_module(archive, name, &module), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(module, 77);
}

static void finds_names_at_every_boundary(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 3, 64, 65, 128, 129, MODULES};
    static const size_t pages[] = {1, 2, 3, 64, 65, 200};
    struct many many;
    for (size_t i = 0; i < COUNT(counts) * COUNT(pages); i++) {
        size_t count = counts[i / COUNT(pages)];
        struct built built = build_many(&many, count, pages[i % COUNT(pages)]);
        cubinet_archive *archive = open_built(&built);
        assert_int_equal(cubinet_archive_get_module_count(archive), count);
        expect_missing(archive, "");
        expect_missing(archive, "m0000");
        for (size_t number = 0; number < count; number++) {
            char between[2 * NAME_SIZE];
            expect_found(archive, many.names[number], (uint32_t)number);
            snprintf(between, sizeof(between), "m%05zu", 2 * number);
            expect_missing(archive, between);
            snprintf(between, sizeof(between), "%s ", many.names[number]);
            expect_missing(archive, between);
        }
        expect_missing(archive, "n");
        cubinet_module_info info = {.size = sizeof(info)};
        assert_int_equal(cubinet_archive_get_module(archive, (uint32_t)count, &info),
                         CUBINET_ERROR_NOT_FOUND);
        cubinet_archive_close(archive);
        built_free(&built);
    }
}

static void reads_an_archive_without_modules(void **state)
{
    (void)state;
    const struct build_archive none = {.producer = "a test", .page_modules = 3};
    struct built built = build(&none);
    cubinet_archive *archive = open_built(&built);
    assert_int_equal(cubinet_archive_get_module_count(archive), 0);
    expect_missing(archive, "m");
    cubinet_archive_close(archive);
    built_free(&built);
}

/* The sample's two modules and a third one. */
static const struct build_module three[] = {
    {.name = "axpy", .images = sample_axpy_images, .image_count = 2},
    {.name = "copy", .images = sample_axpy_images, .image_count = 2},
    {.name = "dot", .images = sample_segsum_images, .image_count = 4},
};

/* A page of two, and a page of one. */
static const struct build_archive paged = {
    .producer = "a test", .modules = three, .module_count = COUNT(three), .is_1_2 = true, .page_modules = 2};

static struct build_archive packed(void)
{
    struct build_archive archive = paged;
    archive.packs_blocks = true;
    return archive;
}

/* Opens an archive and reads all that is in it; the first failure. */
static cubinet_status read_everything(const unsigned char *bytes, size_t size)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open_memory(bytes, size, NULL, &archive);
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

static void reads_pages_of_compressed_blocks(void **state)
{
    (void)state;
    struct build_archive archive = packed();
    struct built built = build(&archive);
    if (read_everything(built.bytes, built.size)) {
        fail_msg("%s", cubinet_error_message());
    }
    built_free(&built);
}

static void reads_pages_of_a_newer_minor_version(void **state)
{
    (void)state;
    struct build_archive newer = paged;
    newer.wider = 12;
    newer.unknown_table = 0x0042;
    struct built built = build(&newer);
    if (read_everything(built.bytes, built.size)) {
        fail_msg("%s", cubinet_error_message());
    }
    built_free(&built);
    newer.unknown_table = 0x8042;
    built = build(&newer);
    assert_int_equal(read_everything(built.bytes, built.size), CUBINET_ERROR_NEWER_FORMAT);
    built_free(&built);
}

/* A change that breaks one rule, in the root or a page. */
static const struct {
    const char *rule;
    int set;
    uint16_t table;
    size_t row;
    size_t offset; /* of the member in its row */
    size_t width;
    uint64_t value;
} changes[] = {
    {"page without name", BUILT_ROOT, 0x8012, 0, 0, 4, 0},
    {"page's name", BUILT_ROOT, 0x8012, 1, 0, 4, 5000},
    {"pages out of order", BUILT_ROOT, 0x8012, 1, 0, 4, 8},
    {"page named after another module", BUILT_ROOT, 0x8012, 1, 0, 4, 14},
    {"first page's place", BUILT_ROOT, 0x8012, 0, 4, 4, 8},
    {"page's place not aligned", BUILT_ROOT, 0x8012, 1, 4, 4, 1001},
    {"page's place in the page before", BUILT_ROOT, 0x8012, 1, 4, 4, 176},
    {"page's place far away", BUILT_ROOT, 0x8012, 1, 4, 4, 0xfffffff8},
    {"page's size 0", BUILT_ROOT, 0x8012, 0, 8, 4, 0},
    {"page's size", BUILT_ROOT, 0x8012, 1, 8, 4, 0xffffffff},
    {"page cut in its directory", BUILT_ROOT, 0x8012, 0, 8, 4, 12},
    {"page with a module less", BUILT_ROOT, 0x8012, 0, 12, 4, 1},
    {"page with a module more", BUILT_ROOT, 0x8012, 0, 12, 4, 3},
    {"page with modules beyond any", BUILT_ROOT, 0x8012, 0, 12, 4, 0xffffffff},
    {"last page without modules", BUILT_ROOT, 0x8012, 1, 12, 4, 0},
    {"last page with more than others", BUILT_ROOT, 0x8012, 1, 12, 4, 3},
    {"last page with a module more", BUILT_ROOT, 0x8012, 1, 12, 4, 2},

    {"tables beyond any", BUILT_PAGE(0), 0, 0, 0, 2, 0xffff},
    {"no table", BUILT_PAGE(0), 0, 0, 0, 2, 0},
    {"first string", BUILT_PAGE(0), 0x8001, 0, 0, 1, 'x'},
    {"module without name", BUILT_PAGE(0), 0x8011, 0, 0, 4, 0},
    {"module's name", BUILT_PAGE(0), 0x8011, 1, 0, 4, 5000},
    {"module's name twice", BUILT_PAGE(0), 0x8011, 1, 0, 4, 1},
    {"first module has another name", BUILT_PAGE(0), 0x8011, 0, 0, 4, 2},
    {"first module has a later name", BUILT_PAGE(1), 0x8011, 0, 0, 4, 2},
    {"last module belongs to the next page", BUILT_PAGE(0), 0x8001, 0, 6, 1, 'x'},
    {"block's place", BUILT_PAGE(0), 0x8011, 0, 4, 4, 8},
    {"block's place far away", BUILT_PAGE(0), 0x8011, 1, 4, 4, 0xfffffff8},
    {"block's size 0", BUILT_PAGE(0), 0x8011, 0, 8, 4, 0},
    {"block's size", BUILT_PAGE(0), 0x8011, 1, 8, 4, 0xffffffff},
    {"block reaches into the next page", BUILT_PAGE(0), 0x8011, 1, 8, 4, 1000},
    {"last block ends early", BUILT_PAGE(1), 0x8011, 0, 8, 4, 100},
    {"last module is the next page's first", BUILT_PAGE(0), 0x8001, 0, 6, 4, 0x746f64 /* "dot" */},
    {"block called compressed", BUILT_PAGE(0), 0x8011, 0, 12, 4, 1},
};

static void expect_damaged(const struct built *built, const char *rule)
{
    cubinet_status status = read_everything(built->bytes, built->size);
    if (status != CUBINET_ERROR_DAMAGED) {
        fail_msg("%s: %s (%s)", rule, cubinet_status_name(status), cubinet_error_message());
    }
    assert_null(strchr(cubinet_error_message(), '\n'));
}

static void refuses_each_broken_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(changes); i++) {
        struct built built = build(&paged);
        size_t place = changes[i].table ? built_row(&built, changes[i].set, changes[i].table, changes[i].row)
                                        : built_set(&built, changes[i].set);
        unsigned char *member = built.bytes + place + changes[i].offset;
        assert_true(get(member, changes[i].width) != changes[i].value);
        put(member, changes[i].width, changes[i].value);
        built_seal(&built);
        expect_damaged(&built, changes[i].rule);
        built_free(&built);
    }
}

/* Whose block is cut short: that it ends where the index does is said before the block is looked at. */
static void refuses_a_gap_at_the_end(void **state)
{
    (void)state;
    struct built built = build(&paged);
    unsigned char *size = built.bytes + built_row(&built, BUILT_PAGE(1), 0x8011, 0) + 8;
    put(size, 4, get(size, 4) - 8);
    built_seal(&built);
    expect_damaged(&built, "a gap");
    assert_non_null(strstr(cubinet_error_message(), "what follows its last module is misplaced"));
    built_free(&built);
}

static void says_which_block_lies_outside(void **state)
{
    (void)state;
    struct built built = build(&paged);
    unsigned char *size = built.bytes + built_row(&built, BUILT_PAGE(1), 0x8011, 0) + 8;
    const uint64_t sizes[] = {get(size, 4) + 8, UINT32_MAX};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        put(size, 4, sizes[i]);
        built_seal(&built);
        expect_damaged(&built, "a block that is too long");
        assert_non_null(strstr(cubinet_error_message(), "misplaced block of module number 0"));
    }
    built_free(&built);
}

/* All modules in one page, whose row says another count of them. */
static struct built build_one_page(uint32_t count)
{
    const struct build_archive one = {
        .producer = "a test", .modules = three, .module_count = COUNT(three), .page_modules = COUNT(three)};
    struct built built = build(&one);
    put(built.bytes + built_row(&built, BUILT_ROOT, 0x8012, 0) + 12, 4, count);
    built_seal(&built);
    return built;
}

/* The last page has room for two modules, and may have one. */
static void refuses_a_last_page_that_is_longer_than_others(void **state)
{
    (void)state;
    struct build_module modules[COUNT(three)];
    memcpy(modules, three, sizeof(modules));
    modules[2].name = "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz";
    const struct build_archive archive = {
        .producer = "a test", .modules = modules, .module_count = COUNT(modules), .page_modules = 1};
    struct built built = build(&archive);
    put(built.bytes + built_row(&built, BUILT_ROOT, 0x8012, 2) + 12, 4, 2);
    built_seal(&built);
    expect_damaged(&built, "a longer last page");
    assert_non_null(strstr(cubinet_error_message(), "wrong number of modules of page number 2"));
    built_free(&built);
}

static void let_go(void *owner)
{
    assert_null(owner);
}

/* Bytes that are known to be sound are not compared: a digest costs time. */
static void does_not_compare_what_is_sound(void **state)
{
    (void)state;
    struct built built = build(&paged);
    cubinet_archive *archive = NULL;
    uint32_t module = 0;
    built.bytes[built_module_row(&built, 0) + 16] ^= 1; /* of the page, and of what it says of the block */
    expect_damaged(&built, "a page's digest");
    assert_int_equal(cbn_archive_open_sound(built.bytes, built.size, NULL, let_go, &archive), CUBINET_OK);
    assert_int_equal(cubinet_archive_find_module(archive, three[0].name, &module), CUBINET_OK);
    cubinet_archive_close(archive);
    built_free(&built);
}

/* What the root says of the pages is a copy of nothing: swapped rows put other modules where they are said to
 * be. */
static void refuses_swapped_pages(void **state)
{
    (void)state;
    struct built built = build(&paged);
    unsigned char *first = built.bytes + built_row(&built, BUILT_ROOT, 0x8012, 0) + 4;
    unsigned char *second = built.bytes + built_row(&built, BUILT_ROOT, 0x8012, 1) + 4;
    for (size_t i = 0; i < 28; i++) {
        unsigned char byte = first[i];
        first[i] = second[i];
        second[i] = byte;
    }
    built_seal(&built);
    expect_damaged(&built, "swapped pages");
    built_free(&built);
}

static void expect_opens(struct built *built, cubinet_status expected, const char *said)
{
    cubinet_archive *archive = NULL;
    built_seal(built);
    assert_int_equal(cubinet_archive_open_memory(built->bytes, built->size, NULL, &archive), expected);
    assert_true(expected == CUBINET_OK || strstr(cubinet_error_message(), said));
    cubinet_archive_close(archive);
}

/* Opening compares the pages' places by itself: it does not wait for somebody to read a page. */
static void opens_no_archive_with_misplaced_pages(void **state)
{
    (void)state;
    enum { NAME = 0, PLACE = 4, BYTES = 8, ROW = 32 };
    struct built built = build(&paged);
    uint64_t index_size = get(built.bytes + built.index + 24, 4);
    unsigned char *first = built.bytes + built_row(&built, BUILT_ROOT, 0x8012, 0);
    unsigned char *last = built.bytes + built_row(&built, BUILT_ROOT, 0x8012, 1);
    uint64_t place = get(first + PLACE, 4);
    uint64_t next = get(last + PLACE, 4);
    unsigned char rows[2][ROW];
    memcpy(rows[0], first, ROW);
    memcpy(rows[1], last, ROW);
    const struct {
        unsigned char *row;
        size_t offset;
        uint64_t value;
        const char *said; /* NULL: it opens */
    } cases[] = {
        {last, NAME, get(first + NAME, 4), "misplaced name of page number 1"},
        {first, PLACE, place + 8, "misplaced bytes of page number 0"},
        {last, PLACE, next + 4, "misplaced bytes of page number 1"},
        {last, PLACE, place, "misplaced bytes of page number 1"},
        {first, BYTES, next - place + 1, "misplaced bytes of page number 1"},
        {first, BYTES, next - place, NULL},
        {last, BYTES, index_size - next + 1, "misplaced bytes of page number 1"},
        {last, BYTES, index_size - next, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        put(cases[i].row + cases[i].offset, 4, cases[i].value);
        expect_opens(&built, cases[i].said ? CUBINET_ERROR_DAMAGED : CUBINET_OK, cases[i].said);
        memcpy(first, rows[0], ROW);
        memcpy(last, rows[1], ROW);
    }
    built_free(&built);
}

/* A count of modules is as large as the page has room for at most. */
static void opens_no_page_with_more_rows_than_bytes(void **state)
{
    (void)state;
    struct built built = build_one_page(COUNT(three));
    unsigned char *row = built.bytes + built_row(&built, BUILT_ROOT, 0x8012, 0);
    uint64_t most = get(row + 8, 4) / 32;
    put(row + 12, 4, most);
    expect_opens(&built, CUBINET_OK, NULL);
    put(row + 12, 4, most + 1);
    expect_opens(&built, CUBINET_ERROR_DAMAGED, "wrong number of modules of page number 0");
    built_free(&built);
}

/* Opening trusts no count that a page has no room for, so that nobody walks along modules that are not there.
 */
static void opens_no_page_that_is_too_small(void **state)
{
    (void)state;
    struct built built = build_one_page(0x10000000);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive),
                     CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "wrong number of modules of page number 0"));
    built_free(&built);
}

/* An archive lists its modules in its root or in pages. */
static void refuses_modules_in_both_places(void **state)
{
    (void)state;
    const struct build_archive two = {
        .producer = "a test", .modules = three, .module_count = 2, .page_modules = 1, .unknown_table = 0x42};
    struct built built = build(&two);
    /* One page is enough, so that the other's row can stand for a module's. The directory's last entry
     * becomes that of the pages. */
    unsigned char *entry = built.bytes + built_entry(&built, BUILT_ROOT, 0x8012);
    size_t rows = get(entry + 4, 4);
    memcpy(entry + 12, entry, 12);
    put(entry, 2, 0x8011);
    put(entry + 8, 4, 1);
    put(entry + 12 + 4, 4, rows + 32);
    put(entry + 12 + 8, 4, 1);
    built.part_count = 0; /* nothing is where it was */
    built_seal(&built);
    expect_damaged(&built, "both");
    assert_non_null(strstr(cubinet_error_message(), "it lists modules both in its root and in pages"));
    built_free(&built);
}

/* Modules whose names are tails of the last one's, each a byte longer than the one before. */
static struct built build_tails(size_t count)
{
    enum { LONGEST = 4000 };
    struct many many;
    char *longest = calloc(1, LONGEST + 1);
    memset(longest, 'z', LONGEST);
    for (size_t i = 0; i < count; i++) {
        many.modules[i] = sample_modules[SAMPLE_AXPY];
        many.modules[i].name = i + 1 < count ? "a" : longest;
    }
    const struct build_archive archive = {
        .producer = "a test", .modules = many.modules, .module_count = count};
    struct built built = build(&archive);
    uint64_t last = get(built.bytes + built_row(&built, BUILT_ROOT, 0x8011, count - 1), 4);
    for (size_t i = 0; i < count; i++) {
        put(built.bytes + built_row(&built, BUILT_ROOT, 0x8011, i), 4, last + (count - 1 - i));
    }
    built_seal(&built);
    free(longest);
    return built;
}

/* Comparing names takes time in proportion to the archive's size, however many share the same bytes. */
static void refuses_names_that_share_too_much(void **state)
{
    (void)state;
    struct built some = build_tails(3);
    if (read_everything(some.bytes, some.size)) {
        fail_msg("%s", cubinet_error_message());
    }
    built_free(&some);
    struct built many = build_tails(MODULES);
    expect_damaged(&many, "names that overlap");
    assert_non_null(strstr(cubinet_error_message(), "name of module number "));
    built_free(&many);
}

static void refuses_set_bytes_in_gaps(void **state)
{
    (void)state;
    struct build_archive archive = paged;
    archive.unknown_table = 0x0042; /* ends at no multiple of 8 */
    struct built built = build(&archive);
    int gaps = 0;
    static const int sets[] = {BUILT_PAGE(0), 0, 1, BUILT_PAGE(1), 2};
    size_t ends[COUNT(sets)];
    ends[0] = built.index + get(built.bytes + built.index + 28, 4);
    for (size_t i = 1; i < COUNT(sets); i++) {
        size_t row = sets[i - 1] < 0
                         ? built_row(&built, BUILT_ROOT, 0x8012, (size_t)(BUILT_PAGE(0) - sets[i - 1]))
                         : built_module_row(&built, (size_t)sets[i - 1]);
        ends[i] = built_set(&built, sets[i - 1]) + get(built.bytes + row + 8, 4);
    }
    for (size_t i = 0; i < COUNT(sets); i++) {
        for (size_t at = ends[i]; at < built_set(&built, sets[i]); at++, gaps++) {
            built.bytes[at] = 1;
            expect_damaged(&built, "a gap");
            built.bytes[at] = 0;
        }
    }
    assert_true(gaps >= (int)COUNT(sets));
    built_free(&built);
}

/* Changes of a byte: one bit at either end, one in between, all. */
static const unsigned char flips[] = {0x01, 0x10, 0x80, 0xff};

static void detects_every_flipped_byte_of_the_index(void **state)
{
    (void)state;
    const struct build_archive archives[] = {paged, packed()};
    for (size_t a = 0; a < COUNT(archives); a++) {
        struct built built = build(&archives[a]);
        for (size_t place = built.index; place < built.index + built.index_size; place++) {
            for (size_t i = 0; i < COUNT(flips); i++) {
                built.bytes[place] ^= flips[i];
                if (read_everything(built.bytes, built.size) == CUBINET_OK) {
                    fail_msg("byte %zu, changed by %#x, was missed", place, flips[i]);
                }
                built.bytes[place] ^= flips[i];
            }
        }
        assert_int_equal(read_everything(built.bytes, built.size), CUBINET_OK);
        built_free(&built);
    }
}

static void survives_every_sealed_flip(void **state)
{
    (void)state;
    struct built built = build(&paged);
    unsigned char *pristine = malloc(built.size);
    memcpy(pristine, built.bytes, built.size);
    for (size_t place = built.index; place < built.index + built.index_size; place++) {
        for (size_t i = 0; i < COUNT(flips); i++) {
            built.bytes[place] ^= flips[i];
            built_seal(&built);
            read_everything(built.bytes, built.size);
            memcpy(built.bytes, pristine, built.size);
        }
    }
    free(pristine);
    built_free(&built);
}

static void refuses_every_truncation(void **state)
{
    (void)state;
    struct built built = build(&paged);
    for (size_t size = 0; size < built.size; size++) {
        unsigned char *bytes = malloc(size ? size : 1);
        memcpy(bytes, built.bytes, size);
        cubinet_archive *archive = NULL;
        assert_int_not_equal(cubinet_archive_open_memory(bytes, size, NULL, &archive), CUBINET_OK);
        free(bytes);
    }
    built_free(&built);
}

/* Damage is found by whoever needs what is damaged. */
static void uses_what_is_not_on_a_damaged_page(void **state)
{
    (void)state;
    struct many many;
    struct built built = build_many(&many, 6, 2);
    built.bytes[built_row(&built, BUILT_PAGE(1), 0x8011, 0) + 16] ^= 1;
    cubinet_archive *archive = open_built(&built);
    uint32_t module = 77;
    expect_found(archive, many.names[1], 1);
    expect_found(archive, many.names[5], 5);
    for (size_t i = 0; i < 2; i++) { /* a failure is not kept */
        assert_int_equal(cubinet_archive_find_module(archive, many.names[3], &module), CUBINET_ERROR_DAMAGED);
        assert_string_equal(cubinet_error_message(),
                            "the archive in memory is damaged: its list of modules from 'm00005' on: it does "
                            "not have the digest that the archive says");
    }
    assert_int_equal(cubinet_archive_find_module(archive, "m00006", &module), CUBINET_ERROR_DAMAGED);
    cubinet_module_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_module(archive, 2, &info), CUBINET_ERROR_DAMAGED);
    assert_int_equal(module, 77);
    assert_int_equal(cubinet_archive_find_module(archive, "m00008", &module), CUBINET_ERROR_DAMAGED);
    assert_int_equal(cubinet_archive_find_module(archive, "m00002", &module), CUBINET_ERROR_NOT_FOUND);
    assert_non_null(strstr(cubinet_error_message(), "the nearest is 'm00001'"));
    cubinet_archive_close(archive);
    built_free(&built);
}

struct user {
    pthread_t thread;
    const cubinet_archive *archive;
    const struct many *many;
    size_t start;
    int failures;
};

static void *use(void *data)
{
    struct user *user = data;
    for (size_t i = 0; i < MODULES; i++) {
        size_t number = (user->start + i) % MODULES;
        uint32_t module = 0;
        cubinet_module_info info = {.size = sizeof(info)};
        user->failures += cubinet_archive_find_module(user->archive, user->many->names[number], &module) ||
                          module != number || cubinet_archive_get_module(user->archive, module, &info) ||
                          strcmp(info.name, user->many->names[number]) != 0;
    }
    return NULL;
}

static void threads_share_the_first_use_of_a_page(void **state)
{
    (void)state;
    struct many many;
    struct built built = build_many(&many, MODULES, 16);
    for (int round = 0; round < 20; round++) {
        cubinet_archive *archive = open_built(&built);
        struct user users[THREADS];
        for (size_t i = 0; i < THREADS; i++) {
            users[i] = (struct user){.archive = archive, .many = &many, .start = i / 2 * 16};
            assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
        }
        for (size_t i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(users[i].thread, NULL), 0);
            assert_int_equal(users[i].failures, 0);
        }
        cubinet_archive_close(archive);
    }
    built_free(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_names_at_every_boundary),
        cmocka_unit_test(reads_an_archive_without_modules),
        cmocka_unit_test(reads_pages_of_compressed_blocks),
        cmocka_unit_test(reads_pages_of_a_newer_minor_version),
        cmocka_unit_test(refuses_each_broken_rule),
        cmocka_unit_test(refuses_a_gap_at_the_end),
        cmocka_unit_test(says_which_block_lies_outside),
        cmocka_unit_test(refuses_swapped_pages),
        cmocka_unit_test(opens_no_archive_with_misplaced_pages),
        cmocka_unit_test(opens_no_page_with_more_rows_than_bytes),
        cmocka_unit_test(opens_no_page_that_is_too_small),
        cmocka_unit_test(refuses_a_last_page_that_is_longer_than_others),
        cmocka_unit_test(does_not_compare_what_is_sound),
        cmocka_unit_test(refuses_modules_in_both_places),
        cmocka_unit_test(refuses_names_that_share_too_much),
        cmocka_unit_test(refuses_set_bytes_in_gaps),
        cmocka_unit_test(detects_every_flipped_byte_of_the_index),
        cmocka_unit_test(survives_every_sealed_flip),
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(uses_what_is_not_on_a_damaged_page),
        cmocka_unit_test(threads_share_the_first_use_of_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
