/* SPDX-License-Identifier: Apache-2.0 */
#include "source/statement_expressions.h"
#include "unit.h"

#include <string.h>

/* What of a text is found: its statement expressions in order, [ at {, ^ at the value, ] at }. */
static void expect(const char *text, const char *marks)
{
    struct cxx_tokens tokens = {0};
    struct statement_expression found;
    char made[256];
    assert_int_equal(cxx_lex(text, 0, &tokens), CUBINET_OK);
    memset(made, ' ', sizeof(made));
    made[strlen(text)] = '\0';
    for (size_t at = 0; statement_expression_next(&tokens, &at, &found);) {
        made[tokens.items[found.open].offset] = '[';
        made[tokens.items[found.value].offset] = '^';
        made[tokens.items[found.close].offset] = ']';
    }
    assert_string_equal(made, marks);
    cxx_tokens_free(&tokens);
}

static void finds_the_value(void **state)
{
    (void)state;
    expect("x = ({ 1; });", //
           "     [ ^  ]  ");
    expect("({ int a = f(1, 2); a + (b); })", //
           " [                  ^        ] ");
    expect("({ for (;;) { a(); } b; })", //
           " [                   ^  ] ");
    expect("({ ({ 1; }); 2; })", //
           " [  [ ^  ]   ^  ] ");
}

/* A break, a continue or a goto that stays inside. */
static void finds_what_jumps_inside(void **state)
{
    (void)state;
    expect("({ int v; switch (s) { case 1: v = 2; break; default: v = 3; } v; })", //
           " [                                                             ^  ] ");
    expect("({ for (;;) if (a) break; else continue; b; })", //
           " [                                       ^  ] ");
    expect("({ do { if (a) continue; } while (b); while (c) break; d; })", //
           " [                                                     ^  ] ");
    expect("({ while (a) { switch (b) { case 1: continue; } break; } c; })", //
           " [                                                       ^  ] ");
    expect("({ switch (a) { case 1: if constexpr (b) break; for (;;) continue; } c; })", //
           " [                                                                   ^  ] ");
    expect("({ int i = 0; again: if (++i < 9) goto again; i; })", //
           " [                                            ^  ] ");
    expect("({ if (a) goto out; f(); out: b; })", //
           " [                            ^  ] ");
    expect("({ if (a) { f(); } else { g(); } })", //
           " [                               ] ");
}

static void finds_that_there_is_none(void **state)
{
    (void)state;
    expect("({ a(); if (b) { c(); } })", //
           " [                      ] ");
    expect("({ a; for (;;) c(); })", //
           " [                  ] ");
}

static void leaves_what_jumps_and_lists(void **state)
{
    (void)state;
    expect("({ if (a) return 1; 2; })", "                         ");
    expect("({ if (a) break; 2; })", "                      ");
    expect("({ switch (a) { case 1: continue; } 2; })", "                                         ");
    expect("({ for (;;) f(); if (a) break; 2; })", "                                    ");
    expect("({ do f(); while (a); break; 2; })", "                                  ");
    expect("({ if (a) goto out; 2; }); out: 3", "                                 ");
    expect("({ goto *a; b: 2; })", "                    ");
    expect("({ while break; 2; })", "                     ");
    expect("({ for (;;", "          ");
    expect("f({1, 2})", "         ");
    expect("f({{1, 2}, {3}})", "                ");
    expect("({ 1; )", "       ");
    expect("({ 1;", "     ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_value),
        cmocka_unit_test(finds_what_jumps_inside),
        cmocka_unit_test(finds_that_there_is_none),
        cmocka_unit_test(leaves_what_jumps_and_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
