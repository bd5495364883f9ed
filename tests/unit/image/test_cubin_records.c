/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute streams and notes of a cubin. */
#include "unit.h"

#include "loader/link/cubin_note.h"
#include "loader/link/nv_info.h"

#include <string.h>

static void reads_a_record_of_each_format(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {
        1, 0x3e, 0, 0, 2, 0x4c, 7, 0xaa, 3, 0x19, 0x34, 0x12, 4, 0x2f, 8, 0, 9, 0, 0, 0, 0xff, 0, 0, 0x80,
    };
    struct cbn_nv_info_reader reader = {.bytes = bytes, .size = sizeof(bytes)};
    struct cbn_nv_info_record record;
    assert_int_equal(cbn_nv_info_next(&reader, &record), 1);
    assert_int_equal(record.code, 0x3e);
    assert_int_equal(cbn_nv_info_next(&reader, &record), 1);
    assert_int_equal(record.code, 0x4c);
    assert_int_equal(record.value, 7);
    assert_int_equal(cbn_nv_info_word(&record, 0), 0);
    assert_int_equal(cbn_nv_info_next(&reader, &record), 1);
    assert_int_equal(record.value, 0x1234);
    assert_int_equal(cbn_nv_info_next(&reader, &record), 1);
    assert_int_equal(record.code, CBN_NV_INFO_REGCOUNT);
    assert_int_equal(record.size, 8);
    assert_int_equal(cbn_nv_info_word(&record, 0), 9);
    assert_int_equal(cbn_nv_info_word(&record, 1), 0x800000ff);
    assert_int_equal(cbn_nv_info_word(&record, 2), 0);
    assert_int_equal(cbn_nv_info_next(&reader, &record), 0);
}

static void refuses_what_is_no_record(void **state)
{
    (void)state;
    static const struct {
        unsigned char bytes[8];
        size_t size;
    } cases[] = {
        {{1, 0x3e, 0}, 3},                      /* too short for a record */
        {{0, 0x3e, 0, 0}, 4},                   /* a format that does not exist */
        {{5, 0x3e, 0, 0}, 4},                   /* another */
        {{4, 0x2f, 5, 0, 1, 2, 3, 4}, 8},       /* one byte longer than what is left */
        {{4, 0x2f, 0xff, 0xff, 1, 2, 3, 4}, 8}, /* much longer */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cbn_nv_info_reader reader = {.bytes = cases[i].bytes, .size = cases[i].size};
        struct cbn_nv_info_record record;
        assert_int_equal(cbn_nv_info_next(&reader, &record), -1);
    }
}

static void reads_both_forms_of_a_parameter(void **state)
{
    (void)state;
    static const unsigned char old_form[] = {0, 0, 0, 0, 2, 0, 0x08, 0x01, 0, 0xf0, 0x81, 0x3e};
    static const unsigned char new_form[] = {0, 0, 0, 0, 1, 0, 0xe8, 0x7f, 8, 0, 0, 5};
    struct cbn_nv_info_record record = {
        .code = CBN_NV_INFO_KPARAM_INFO, .data = old_form, .size = sizeof(old_form)};
    struct cbn_nv_info_param param;
    assert_int_equal(cbn_nv_info_param(&record, &param), 1);
    assert_int_equal(param.ordinal, 2);
    assert_int_equal(param.offset, 0x108);
    assert_int_equal(param.size, 4000);
    record = (struct cbn_nv_info_record){
        .code = CBN_NV_INFO_KPARAM_INFO_V2, .data = new_form, .size = sizeof(new_form)};
    assert_int_equal(cbn_nv_info_param(&record, &param), 1);
    assert_int_equal(param.ordinal, 1);
    assert_int_equal(param.offset, 0x7fe8);
    assert_int_equal(param.size, 8);
    record.size = 11;
    assert_int_equal(cbn_nv_info_param(&record, &param), 0);
    record =
        (struct cbn_nv_info_record){.code = CBN_NV_INFO_REGCOUNT, .data = new_form, .size = sizeof(new_form)};
    assert_int_equal(cbn_nv_info_param(&record, &param), 0);
}

/* Two notes: a cuinfo of CUDA 13.0, and a tkinfo whose tool was ptxas with "-v -arch sm_100f -c". */
static const unsigned char notes[] = "\x0c\0\0\0\x08\0\0\0\xe8\x03\0\0NVIDIA Corp\0\x02\0\x64\0\x82\0\0\0"
                                     "\x0c\0\0\0\x36\0\0\0\xd0\x07\0\0NVIDIA Corp\0"
                                     "\x02\0\0\0\0\0\0\0\x01\0\0\0\x07\0\0\0\x08\0\0\0\x09\0\0\0"
                                     "\0ptxas\0\0\0-v -arch sm_100f -c\0\0";

static void reads_notes(void **state)
{
    (void)state;
    struct cbn_cubin_note_reader reader = {.bytes = notes, .size = sizeof(notes) - 1};
    struct cbn_cubin_note note;
    assert_int_equal(cbn_cubin_note_next(&reader, &note), 1);
    assert_int_equal(cbn_cubin_note_toolkit(&note), 130);
    assert_int_equal(cbn_cubin_note_has_arch(&note, "sm_100f"), 0);
    assert_int_equal(cbn_cubin_note_next(&reader, &note), 1);
    assert_int_equal(cbn_cubin_note_toolkit(&note), 0);
    assert_int_equal(cbn_cubin_note_has_arch(&note, "sm_100f"), 1);
    assert_int_equal(cbn_cubin_note_has_arch(&note, "sm_100"), 0);
    assert_int_equal(cbn_cubin_note_has_arch(&note, "sm_100fa"), 0);
}

static void refuses_notes_that_are_cut_off(void **state)
{
    (void)state;
    enum { FIRST = 32 };
    for (size_t size = 1; size < sizeof(notes) - 1; size++) {
        struct cbn_cubin_note_reader reader = {.bytes = notes, .size = size};
        struct cbn_cubin_note note;
        int first = cbn_cubin_note_next(&reader, &note);
        assert_int_equal(first, size < FIRST ? -1 : 1);
        if (first == 1) {
            assert_true(note.description >= notes && note.description + note.size <= notes + size);
        }
    }
    unsigned char huge[FIRST];
    memcpy(huge, notes, sizeof(huge));
    memset(huge, 0xff, 8);
    struct cbn_cubin_note_reader reader = {.bytes = huge, .size = sizeof(huge)};
    struct cbn_cubin_note note;
    assert_int_equal(cbn_cubin_note_next(&reader, &note), -1);
}

static void options_outside_the_note_are_none(void **state)
{
    (void)state;
    unsigned char description[] = "\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0-arch sm_90";
    struct cbn_cubin_note note = {.type = 2000, .description = description, .size = sizeof(description)};
    assert_int_equal(cbn_cubin_note_has_arch(&note, "sm_90"), 1);
    note.size--; /* without the NUL */
    assert_int_equal(cbn_cubin_note_has_arch(&note, "sm_90"), 0);
    note.size++;
    memset(description + 20, 0xff, 4);
    assert_int_equal(cbn_cubin_note_has_arch(&note, "sm_90"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_record_of_each_format),
        cmocka_unit_test(refuses_what_is_no_record),
        cmocka_unit_test(reads_both_forms_of_a_parameter),
        cmocka_unit_test(reads_notes),
        cmocka_unit_test(refuses_notes_that_are_cut_off),
        cmocka_unit_test(options_outside_the_note_are_none),
    };
    return cmocka_run_group_tests_name("cubin_records", tests, NULL, NULL);
}
