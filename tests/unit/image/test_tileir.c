/* SPDX-License-Identifier: Apache-2.0 */
/* Bytecode of Tile IR: that of NVIDIA's tools (tests/golden/tileir), and what is put together here to have
 * what these do not write. */
#include "base/buffer.h"
#include "base/file.h"
#include "image/tileir_read.h"
#include "loader/core/archive/tileir.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRINGS = 1, FUNCTIONS = 2, UNKNOWN_SECTION = 0x55, ALIGNED = 0x80 };

struct file {
    char *data;
    size_t size;
};

static struct file read_golden(const char *version)
{
    char path[1024];
    struct file file = {0};
    snprintf(path, sizeof(path), "%s/scale_%s.tileirbc", TILEIR_FIXTURES, version);
    assert_int_equal(file_read(path, &file.data, &file.size), CUBINET_OK);
    return file;
}

static void reads_what_cutile_writes(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        int number;
    } cases[] = {{"13.1", 131}, {"13.2", 132}, {"13.3", 133}, {"13.4", 134}, {"13.5", 135}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct file file = read_golden(cases[i].version);
        struct contents contents;
        assert_int_equal(tileir_read(file.data, file.size, &contents), CUBINET_OK);
        assert_int_equal(contents.target.kind, CUBINET_IMAGE_TILEIR);
        assert_int_equal(contents.target.number, cases[i].number);
        assert_int_equal(contents.target.suffix, 0);
        assert_int_equal(contents.kernel_count, 2);
        assert_string_equal(contents.kernels[0].name, "scale_f32");
        assert_string_equal(contents.kernels[1].name, "scale_f64");
        assert_int_equal(contents.kernels[0].resources.param_count, CUBINET_UNKNOWN);
        assert_int_equal(contents.kernels[0].resources.registers, CUBINET_UNKNOWN);
        assert_int_equal(contents.global_count, 0);
        contents_free(&contents);
        free(file.data);
    }
}

static cubinet_status read_exactly(const void *data, size_t size)
{
    struct contents contents = {0};
    void *copy = malloc(size ? size : 1); /* so that a sanitizer sees what is read past it */
    assert_non_null(copy);
    memcpy(copy, data, size);
    cubinet_status status = tileir_read(copy, size, &contents);
    free(copy);
    contents_free(&contents);
    return status;
}

static void refuses_what_is_cut_off(void **state)
{
    (void)state;
    struct file file = read_golden("13.5");
    for (size_t size = 0; size < file.size; size++) {
        assert_int_equal(read_exactly(file.data, size), CUBINET_ERROR_DAMAGED);
    }
    file.data = realloc(file.data, file.size + 1);
    assert_non_null(file.data);
    file.data[file.size] = '\0';
    assert_int_equal(read_exactly(file.data, file.size + 1), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "bytes after its end"));
    free(file.data);
}

static void survives_damage(void **state)
{
    (void)state;
    struct file file = read_golden("13.1");
    for (size_t i = 0; i < file.size; i++) {
        for (int value = 0; value < 256; value += i < 200 ? 1 : 51) {
            char kept = file.data[i];
            file.data[i] = (char)value;
            cubinet_status status = read_exactly(file.data, file.size);
            assert_true(status == CUBINET_OK || status == CUBINET_ERROR_DAMAGED ||
                        status == CUBINET_ERROR_INVALID_ARGUMENT);
            file.data[i] = kept;
        }
    }
    free(file.data);
}

/* Bytecode in the making. */
struct bytecode {
    struct buffer whole;
    struct buffer functions;
    struct buffer strings; /* their text */
    uint32_t offsets[8];
    unsigned char string_count;
    unsigned char function_count;
};

static void put(struct buffer *buffer, const char *bytes, size_t size)
{
    buffer_append(buffer, bytes, size);
}
#define PUT(buffer, text) put(buffer, text, sizeof(text) - 1)

static void put_byte(struct buffer *buffer, size_t value)
{
    const char byte = (char)value;
    put(buffer, &byte, 1);
}

static unsigned char add_string(struct bytecode *bytecode, const char *text, size_t size)
{
    bytecode->offsets[bytecode->string_count] = (uint32_t)bytecode->strings.size;
    put(&bytecode->strings, text, size);
    return bytecode->string_count++;
}

/* A function with a body of two bytes. `attributes`: what comes between its place in the source and its body.
 */
static void add_function(struct bytecode *bytecode, size_t name, size_t flags, const char *attributes,
                         size_t attributes_size)
{
    put_byte(&bytecode->functions, name);
    PUT(&bytecode->functions, "\x81\x01"); /* type 129 */
    put_byte(&bytecode->functions, flags);
    PUT(&bytecode->functions, "\x03");
    put(&bytecode->functions, attributes, attributes_size);
    PUT(&bytecode->functions, "\x02\x5b\x5c");
    bytecode->function_count++;
}
#define ADD_FUNCTION(bytecode, name, flags, attributes)                                                      \
    add_function(bytecode, name, flags, attributes, sizeof(attributes) - 1)

static void put_section(struct buffer *whole, size_t id, const struct buffer *section)
{
    put_byte(whole, id);
    put_byte(whole, section->size & 0x7f ? (section->size & 0x7f) | 0x80 : 0x80);
    put_byte(whole, section->size >> 7);
    if (id & ALIGNED) {
        put_byte(whole, 8);
        while (whole->size % 8) {
            PUT(whole, "\xcb");
        }
    }
    put(whole, section->data, section->size);
}

/* Sections of functions and strings, in this order, after the header. */
static void finish(struct bytecode *bytecode, const char *version)
{
    struct buffer functions = {0};
    struct buffer strings = {0};
    put_byte(&functions, bytecode->function_count);
    put(&functions, bytecode->functions.data, bytecode->functions.size);
    put_byte(&strings, bytecode->string_count);
    PUT(&strings, "\xcb\xcb\xcb");
    for (size_t i = 0; i < bytecode->string_count; i++) {
        for (int shift = 0; shift < 32; shift += 8) {
            put_byte(&strings, bytecode->offsets[i] >> shift & 0xff);
        }
    }
    put(&strings, bytecode->strings.data, bytecode->strings.size);
    PUT(&bytecode->whole, "\x7fTileIR\0");
    put(&bytecode->whole, version, 4);
    put_section(&bytecode->whole, FUNCTIONS | ALIGNED, &functions);
    put_section(&bytecode->whole, UNKNOWN_SECTION, &functions); /* of a version to come */
    put_section(&bytecode->whole, STRINGS | ALIGNED, &strings);
    PUT(&bytecode->whole, "\0");
    buffer_free(&functions);
    buffer_free(&strings);
    assert_false(bytecode->whole.failed);
}

static void bytecode_free(struct bytecode *bytecode)
{
    buffer_free(&bytecode->whole);
    buffer_free(&bytecode->functions);
    buffer_free(&bytecode->strings);
}

#define VERSION_13_1 "\x0d\x01\0\0"
#define VERSION_13_5 "\x0d\x05\0\0"

/* Every attribute whose size can be told, in a dictionary. */
static const char hints[] = "\x0b\x02"                 /* hints, two of them */
                            "\x00\x0a\x06"             /* string 0: a dictionary of six */
                            "\x01\x01\x04\x90\x01"     /* integer, of type 4: 144 */
                            "\x02\x03\x01"             /* bool */
                            "\x03\x05\x02"             /* string */
                            "\x04\x04\x07"             /* type */
                            "\x05\x08\x10\x01\x04"     /* divisible by 16, each 2 */
                            "\x06\x0c\x03\x01\x02"     /* between -1 and 1 */
                            "\x07\x06\x02"             /* string 7: an array of two */
                            "\x09\x01\0\0\0\0\0\0\0\0" /* the same elements, one */
                            "\x0a\x00";                /* an empty dictionary */

static void steps_over_functions_and_hints(void **state)
{
    (void)state;
    struct bytecode bytecode = {0};
    size_t entry = add_string(&bytecode, "entry", 5);
    size_t helper = add_string(&bytecode, "helper", 6);
    size_t last = add_string(&bytecode, "a_last", 6);
    ADD_FUNCTION(&bytecode, helper, 0, "");
    add_function(&bytecode, entry, 2 | 4, hints, sizeof(hints) - 1);
    ADD_FUNCTION(&bytecode, helper, 1, "");
    ADD_FUNCTION(&bytecode, last, 2, "");
    finish(&bytecode, VERSION_13_1);
    struct contents contents;
    assert_int_equal(tileir_read(bytecode.whole.data, bytecode.whole.size, &contents), CUBINET_OK);
    assert_int_equal(contents.kernel_count, 2);
    assert_string_equal(contents.kernels[0].name, "a_last");
    assert_string_equal(contents.kernels[1].name, "entry");
    contents_free(&contents);
    bytecode_free(&bytecode);
}

static void knows_the_functions_of_13_5(void **state)
{
    (void)state;
    struct bytecode bytecode = {0};
    size_t entry = add_string(&bytecode, "entry", 5);
    size_t helper = add_string(&bytecode, "helper", 6);
    ADD_FUNCTION(&bytecode, helper, 0, "\x06\x01\x08\x10\x00"); /* its arguments' attributes alone */
    ADD_FUNCTION(&bytecode, entry, 2, "\x0b\x00\x06\x00");
    finish(&bytecode, VERSION_13_5);
    struct contents contents;
    assert_int_equal(tileir_read(bytecode.whole.data, bytecode.whole.size, &contents), CUBINET_OK);
    assert_int_equal(contents.kernel_count, 1);
    assert_string_equal(contents.kernels[0].name, "entry");
    contents_free(&contents);
    bytecode_free(&bytecode);
}

/* One function of that name and with these attributes, in bytecode of that version, is refused. */
static void expect_refused(const char *name, size_t name_size, const char *attributes, size_t attributes_size,
                           const char *version, cubinet_status expected, const char *why)
{
    struct bytecode bytecode = {0};
    add_string(&bytecode, name, name_size);
    add_string(&bytecode, "other", 5);
    add_function(&bytecode, 0, attributes_size ? 2 | 4 : 2, attributes, attributes_size);
    ADD_FUNCTION(&bytecode, 1, 2, "");
    finish(&bytecode, version);
    assert_int_equal(read_exactly(bytecode.whole.data, bytecode.whole.size), expected);
    if (!strstr(cubinet_error_message(), why)) {
        fail_msg("'%s' is not in: %s", why, cubinet_error_message());
    }
    bytecode_free(&bytecode);
}

static void refuses_names_that_are_none(void **state)
{
    (void)state;
    expect_refused("", 0, "", 0, VERSION_13_1, CUBINET_ERROR_DAMAGED, "a function without a name");
    expect_refused("a\0b", 3, "", 0, VERSION_13_1, CUBINET_ERROR_DAMAGED, "a function without a name");
    expect_refused("other", 5, "", 0, VERSION_13_1, CUBINET_ERROR_DAMAGED, "two kernels are named 'other'");
}

static void refuses_attributes_of_unknown_size(void **state)
{
    (void)state;
    static const char floating[] = "\x0b\x01\x00\x02\x07\x00";
    static const char newer[] = "\x0d\x00";
    char deep[200];
    for (size_t i = 0; i < sizeof(deep); i += 2) {
        deep[i] = 6;
        deep[i + 1] = 1;
    }
    const char *why = "a function of another form";
    expect_refused("k", 1, floating, sizeof(floating) - 1, VERSION_13_1, CUBINET_ERROR_DAMAGED, why);
    expect_refused("k", 1, newer, sizeof(newer) - 1, VERSION_13_1, CUBINET_ERROR_DAMAGED, why);
    expect_refused("k", 1, deep, sizeof(deep), VERSION_13_1, CUBINET_ERROR_DAMAGED, why);
}

static void refuses_versions_to_come_and_previews(void **state)
{
    (void)state;
    expect_refused("k", 1, "", 0, "\x0d\x06\0\0", CUBINET_ERROR_INVALID_ARGUMENT,
                   "it is Tile IR 13.6, and Cubinet reads 13.1 to 13.5");
    expect_refused("k", 1, "", 0, "\x0e\x00\0\0", CUBINET_ERROR_INVALID_ARGUMENT, "it is Tile IR 14.0");
    expect_refused("k", 1, "", 0, "\x0d\x00\0\0", CUBINET_ERROR_INVALID_ARGUMENT, "it is Tile IR 13.0");
    expect_refused("k", 1, "", 0, "\x0d\x03\x01\0", CUBINET_ERROR_INVALID_ARGUMENT,
                   "features of Tile IR 13.3 that are previews");
    expect_refused("k", 1, "", 0, "\x0d\x0a\0\0", CUBINET_ERROR_DAMAGED, "version 13.10");
    expect_refused("k", 1, "", 0, "\0\0\0\0", CUBINET_ERROR_DAMAGED, "version 0.0");
}

static void expect_sections_refused(const char *sections, size_t size, const char *why)
{
    struct cbn_tileir tileir = {.number = 42};
    struct buffer whole = {0};
    PUT(&whole, "\x7fTileIR\0\x0d\x01\0\0");
    put(&whole, sections, size);
    assert_int_equal(cbn_tileir_open(whole.data, whole.size, &tileir), CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(), why);
    assert_int_equal(tileir.number, 42); /* untouched */
    buffer_free(&whole);
}
#define EXPECT_SECTIONS_REFUSED(sections, why) expect_sections_refused(sections, sizeof(sections) - 1, why)

static void refuses_sections_that_are_wrong(void **state)
{
    (void)state;
    EXPECT_SECTIONS_REFUSED("", "not Tile IR: an end without its marker at offset 12");
    EXPECT_SECTIONS_REFUSED("\x80", "not Tile IR: an end of another form at offset 13");
    EXPECT_SECTIONS_REFUSED("\x01\x02\xaa", "not Tile IR: a section that is cut off at offset 14");
    EXPECT_SECTIONS_REFUSED("\x81\x00\x03\x00", "not Tile IR: a section of another form at offset 15");
    EXPECT_SECTIONS_REFUSED("\x81\x00\x00\x00", "not Tile IR: a section of another form at offset 15");
    EXPECT_SECTIONS_REFUSED("\x01\x00\x01\x00\x00",
                            "not Tile IR: a section that was there before at offset 16");
    EXPECT_SECTIONS_REFUSED("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", /* more than 64 bits */
                            "not Tile IR: a section of another form at offset 13");
    EXPECT_SECTIONS_REFUSED("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                            "not Tile IR: a section that is cut off at offset 23");
}

static void needs_functions_and_strings(void **state)
{
    (void)state;
    static const char neither[] = "\x7fTileIR\0\x0d\x01\0\0\0";
    static const char no_strings[] = "\x7fTileIR\0\x0d\x01\0\0\x02\x01\x00\0";
    static const char no_kernel[] = "\x7fTileIR\0\x0d\x01\0\0\x02\x01\x00\x01\x01\x00\0";
    assert_int_equal(read_exactly(neither, sizeof(neither) - 1), CUBINET_ERROR_DAMAGED);
    assert_int_equal(read_exactly(no_strings, sizeof(no_strings) - 1), CUBINET_ERROR_DAMAGED);
    assert_int_equal(read_exactly(no_kernel, sizeof(no_kernel) - 1), CUBINET_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_cutile_writes),
        cmocka_unit_test(refuses_what_is_cut_off),
        cmocka_unit_test(survives_damage),
        cmocka_unit_test(steps_over_functions_and_hints),
        cmocka_unit_test(knows_the_functions_of_13_5),
        cmocka_unit_test(refuses_names_that_are_none),
        cmocka_unit_test(refuses_attributes_of_unknown_size),
        cmocka_unit_test(refuses_versions_to_come_and_previews),
        cmocka_unit_test(refuses_sections_that_are_wrong),
        cmocka_unit_test(needs_functions_and_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
