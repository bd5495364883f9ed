/* SPDX-License-Identifier: Apache-2.0 */
#include "base/c_text.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

typedef void (*append_fn)(struct buffer *text, const char *bytes);

static void expect(append_fn append, const char *bytes, const char *expected)
{
    struct buffer text = {0};
    append(&text, bytes);
    char *written = buffer_take(&text);
    assert_string_equal(written, expected);
    free(written);
}

static void makes_identifiers_that_people_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *identifier;
    } cases[] = {
        {"saxpy", "saxpy"},
        {"segsum<float,int,256,4>", "segsum_float_int_256_4"},
        {"segsum< float , int >", "segsum_float_int"},
        {"ns::detail::scale<ns::half>", "ns_detail_scale_ns_half"},
        {"f<float*, const int&>", "f_float_ptr_const_int_ref"},
        {"f<float**>", "f_float_ptr_ptr"},
        {"f<-1>", "f_minus_1"},
        {"f<(-1)>", "f_minus_1"},
        {"f<1, -1>", "f_1_minus_1"},
        {"f<N-1>", "f_n_1"},
        {"f<5-3>", "f_5_3"},
        {"segmented-sum", "segmented_sum"},
        {"&table", "table"},
        {"_Z5scalePf", "z5scalepf"},
        {"__a__b__", "a_b"},
        {"3d", "3d"},
        {"gr\xc3\xb6\xc3\x9f"
         "e",
         "grc3b6c39fe"},
        {"<>", ""},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect(c_text_identifier, cases[i].name, cases[i].identifier);
    }
    expect(c_text_file_identifier, "a.b/my-kernels.v2.cubinet", "my_kernels_v2");
    expect(c_text_file_identifier, "/folder.x/.hidden", "hidden");
}

static void knows_identifiers(void **state)
{
    (void)state;
    assert_true(c_text_is_identifier("a"));
    assert_true(c_text_is_identifier("_1"));
    assert_true(c_text_is_identifier("Kernels_2"));
    assert_false(c_text_is_identifier(""));
    assert_false(c_text_is_identifier("2d"));
    assert_false(c_text_is_identifier("a-b"));
    assert_false(c_text_is_identifier("gr\xc3\xb6"));
}

/* Trigraphs and hexadecimal digits after an escape must not change what the literal is. */
static void writes_literals(void **state)
{
    (void)state;
    expect(c_text_literal, "segsum<float>", "\"segsum<float>\"");
    expect(c_text_literal, "a\"b\\c", "\"a\\\"b\\\\c\"");
    expect(c_text_literal, "what?\?/", "\"what\\?\\?/\"");
    expect(c_text_literal,
           "\n\x01"
           "1\xffg",
           "\"\\012\\0011\\377g\"");
    expect(c_text_literal, "", "\"\"");
}

static void writes_comments(void **state)
{
    (void)state;
    expect(c_text_comment, "segsum<float*, int>", "segsum<float*, int>");
    expect(c_text_comment, "a*/b/*c", "a* /b/ *c");
    expect(c_text_comment, "*/*", "* / *");
    expect(c_text_comment, "\n\xc3\xb6", "???");
}

static void knows_keywords(void **state)
{
    (void)state;
    static const char *const keywords[] = {"alignas", "new", "xor_eq", "not_eq", "eq",
                                           "a",       "",    "News",   "scale",  "_"};
    for (size_t i = 0; i < COUNT(keywords); i++) {
        assert_int_equal(c_text_is_keyword(keywords[i]), i < 4);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_identifiers_that_people_read),
        cmocka_unit_test(knows_identifiers),
        cmocka_unit_test(writes_literals),
        cmocka_unit_test(knows_keywords),
        cmocka_unit_test(writes_comments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
