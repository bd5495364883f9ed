/* SPDX-License-Identifier: Apache-2.0 */
/* Pickles of Python's: what each step of them makes, and that no bytes do harm. */
#include "unit.h"

#include "import/pickle.h"

#include <string.h>

#define READ(text, out) pickle_read(text, sizeof(text) - 1, out)

static void assert_number(const struct pickle_value *value, int64_t number)
{
    assert_non_null(value);
    assert_int_equal(value->kind, PICKLE_NUMBER);
    assert_int_equal(value->number, number);
}

static void numbers_are_read(void **state)
{
    (void)state;
    struct pickle pickle;
    assert_int_equal(
        READ("\x80\x04(K\x07M\x00\x01J\xff\xff\xff\xff\x8a\x01\x80\x8a\x00\x8b\x02\x00\x00\x00\xff\x7f"
             "\x8a\x09\x01\x02\x03\x04\x05\x06\x07\x08\x09G12345678\x88\x89Nt.",
             &pickle),
        CUBINET_OK);
    static const int64_t numbers[] = {7, 256, -1, -128, 0, 32767, 0, 0};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        assert_number(pickle_item(pickle.top, i), numbers[i]);
    }
    assert_true(pickle_item(pickle.top, 0)->real == 0);
    assert_int_equal(pickle_item(pickle.top, 8)->kind, PICKLE_BOOL);
    assert_int_equal(pickle_item(pickle.top, 8)->number, 1);
    assert_int_equal(pickle_item(pickle.top, 9)->number, 0);
    assert_int_equal(pickle_item(pickle.top, 10)->kind, PICKLE_NONE);
    assert_null(pickle_item(pickle.top, 11));
    pickle_free(&pickle);
}

static void what_follows_is_another_pickle(void **state)
{
    (void)state;
    struct pickle pickle;
    const char text[] = "\x80\x04K\x01.\x80\x04G\x3f\xf8\0\0\0\0\0\0.";
    assert_int_equal(READ(text, &pickle), CUBINET_OK);
    assert_int_equal(pickle.size, 5);
    size_t size = pickle.size;
    pickle_free(&pickle);
    assert_int_equal(pickle_read(text + size, sizeof(text) - 1 - size, &pickle), CUBINET_OK);
    assert_true(pickle.top->real == 1.5);
    assert_int_equal(pickle.size, sizeof(text) - 1 - size);
    pickle_free(&pickle);
}

static void texts_and_bytes_are_read(void **state)
{
    (void)state;
    struct pickle pickle;
    assert_int_equal(READ("\x80\x05(\x8c\x02"
                          "abX\x01\x00\x00\x00"
                          "c\x8d\x01\x00\x00\x00\x00\x00\x00\x00"
                          "dC\x01"
                          "eB\x01\x00\x00\x00"
                          "f\x8e\x01\x00\x00\x00\x00\x00\x00\x00g\x96\x01\x00\x00\x00\x00\x00\x00\x00hU\x01iT"
                          "\x01\x00\x00\x00jt.",
                          &pickle),
                     CUBINET_OK);
    assert_true(pickle_is_text(pickle_item(pickle.top, 0), "ab"));
    assert_true(pickle_is_text(pickle_item(pickle.top, 1), "c"));
    assert_true(pickle_is_text(pickle_item(pickle.top, 2), "d"));
    for (size_t i = 3; i < 9; i++) {
        const struct pickle_value *value = pickle_item(pickle.top, i);
        assert_int_equal(value->kind, PICKLE_BYTES);
        assert_int_equal(value->size, 1);
        assert_int_equal(value->bytes[0], 'e' + i - 3);
        assert_false(pickle_is_text(value, "e"));
    }
    pickle_free(&pickle);
}

static void collections_are_read(void **state)
{
    (void)state;
    struct pickle pickle;
    assert_int_equal(READ("\x80\x04}(\x8c\x01"
                          "a](K\x01K\x02"
                          "e\x8c\x01"
                          "b}\x8c\x01kK\x03s\x8c\x01"
                          "cK\x01\x85\x8c\x01"
                          "dK\x01K\x02\x86\x8c\x01"
                          "eK\x01K\x02K\x03\x87\x8c\x01"
                          "f]K\x05"
                          "a\x8c\x01g\x8f(K\x06\x90\x8c\x01h(K\x07\x91\x8c\x01i(\x8c\x01kK\x08"
                          "d\x8c\x01j(K\x09lu.",
                          &pickle),
                     CUBINET_OK);
    assert_int_equal(pickle_get(pickle.top, "a")->item_count, 2);
    assert_number(pickle_item(pickle_get(pickle.top, "a"), 1), 2);
    assert_number(pickle_get(pickle_get(pickle.top, "b"), "k"), 3);
    assert_int_equal(pickle_get(pickle.top, "c")->item_count, 1);
    assert_int_equal(pickle_get(pickle.top, "d")->item_count, 2);
    assert_int_equal(pickle_get(pickle.top, "e")->item_count, 3);
    assert_number(pickle_item(pickle_get(pickle.top, "f"), 0), 5);
    assert_number(pickle_item(pickle_get(pickle.top, "g"), 0), 6);
    assert_number(pickle_item(pickle_get(pickle.top, "h"), 0), 7);
    assert_number(pickle_get(pickle_get(pickle.top, "i"), "k"), 8);
    assert_number(pickle_item(pickle_get(pickle.top, "j"), 0), 9);
    assert_null(pickle_get(pickle.top, "z"));
    assert_null(pickle_get(pickle_get(pickle.top, "a"), "k"));
    assert_null(pickle_item(pickle.top, 0));
    pickle_free(&pickle);
}

static void calls_are_noted_and_not_made(void **state)
{
    (void)state;
    struct pickle pickle;
    assert_int_equal(READ("\x80\x04\x8c\x02os\x8c\x06system\x93\x94\x8c\x04true\x85R}\x8c\x01kK\x01s"
                          "b.",
                          &pickle),
                     CUBINET_OK);
    assert_true(pickle_is_call(pickle.top, "system"));
    assert_false(pickle_is_call(pickle.top, "popen"));
    assert_false(pickle_is_call(NULL, "system"));
    assert_true(pickle_is_text(pickle_item(pickle_item(pickle.top, 1), 0), "true"));
    assert_number(pickle_get(pickle.top, "k"), 1);
    pickle_free(&pickle);
    assert_int_equal(READ("\x80\x02"
                          "cos\nsystem\n)\x81.",
                          &pickle),
                     CUBINET_OK);
    assert_true(pickle_is_call(pickle.top, "system"));
    pickle_free(&pickle);
    assert_int_equal(READ("\x80\x04"
                          "cos\nsystem\n)}\x92(K\x01K\x02uK\x03"
                          "a0K\x04.",
                          &pickle),
                     CUBINET_OK);
    assert_number(pickle.top, 4);
    pickle_free(&pickle);
}

static void values_are_shared(void **state)
{
    (void)state;
    struct pickle pickle;
    assert_int_equal(READ("\x80\x04\x95\x01\x00\x00\x00\x00\x00\x00\x00K\x01q\x00"
                          "0K\x02r\x01\x00\x00\x00"
                          "0]\x94h\x00"
                          "aj\x01\x00\x00\x00"
                          "ah\x02"
                          "a(K\x05K\x06"
                          "12Q0.",
                          &pickle),
                     CUBINET_OK);
    assert_number(pickle_item(pickle.top, 0), 1);
    assert_number(pickle_item(pickle.top, 1), 2);
    assert_ptr_equal(pickle_item(pickle.top, 2), pickle.top);
    pickle_free(&pickle);
}

static void what_is_no_pickle_is_damaged(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",       "0.",   "1.",   "2.",        "a.",       "K\1a.", "e.",     "(e.",
        "K\1(e.", "]]s.", "t.",   "\x85.",     "K\1\x86.", "b.",    "K\1b.x", "R.",
        "K\1R.",  "c",    "ca\n", "h\5.",      "j\5",      "q\5.",  "]q\5.",  "\x94.",
        "\xff.",  ".",    "(.",   "(K\1.",     "K\1K\1.",  "\x92.", "X\xff",  "\x8c\5a",
        "\x8a\5", "G1",   "C",    "K\1(K\1s.", "(K\1s.",   "Q.",    "]K\1u.", "]K\1K\1s."};
    struct pickle pickle = {0};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char bytes[64] = "\x80\x04";
        strcat(bytes, texts[i]);
        cubinet_status status = pickle_read(bytes, strlen(bytes), &pickle);
        if (!status) { /* a state that is set in no object is passed over */
            assert_string_equal(texts[i], "K\1b.x");
            pickle_free(&pickle);
        }
    }
    assert_false(pickle_is("\x80\x06N.", 4));
    assert_false(pickle_is("\x80\x01N.", 4));
    assert_false(pickle_is("\x80\x04", 2));
    assert_int_equal(pickle_read("N.", 2, &pickle), CUBINET_ERROR_DAMAGED);
    assert_null(pickle.top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(what_follows_is_another_pickle),
        cmocka_unit_test(texts_and_bytes_are_read),
        cmocka_unit_test(collections_are_read),
        cmocka_unit_test(calls_are_noted_and_not_made),
        cmocka_unit_test(values_are_shared),
        cmocka_unit_test(what_is_no_pickle_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
