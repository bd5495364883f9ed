/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "archive/lowered_name.h"

#include <stdlib.h>
#include <string.h>

struct pair {
    const char *expression;
    const char *lowered;
};

/* What NVRTC lowers these to, or something as long. */
static void expressions_fit_what_they_name(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"bare", "bare"},
        {"&ns::bare", "bare"},
        {"plain", "_Z5plainPfi"},
        {"ns::plain", "_ZN2ns5plainEv"},
        {" & ::ns :: plain", "_ZN2ns5plainEv"},
        {"scan<float>", "_Z4scanIfEvPT_"},
        {"scan< float , int >", "_Z4scanIfiEvPT_PT0_"},
        {"scan<float>", "_Z4scanIfLi256EEvPT_"}, /* the second argument is a default */
        {"scan<unsigned long long, signed char>", "_Z4scanIyaEvv"},
        {"scan<256>", "_Z4scanILi256EEvv"},
        {"scan<256u, -3, true>", "_Z4scanILj256ELin3ELb1EEvv"},
        {"scan<0>", "_Z4scanILm0EEvv"},
        {"scan<float, my::Vec, 4>", "_Z4scanIfN2my3VecELi4EEvv"},
        {"scan<my::Vec<float>, int>", "_Z4scanIN2my3VecIfEEiEvv"},
        {"scan<float const *>", "_Z4scanIPKfEvv"},
        {"scan<int, float>", "_Z4scanIJifEEvDpT_"}, /* a pack */
        {"std::table", "_ZSt5table"},
        {"Table<int>::values", "_ZN5TableIiE6valuesE"},
        {"&ns::table", "_ZN2ns5tableE"},
        {"static_cast<void (*)(int)>(plain)", "_Z5otherv"}, /* nobody can tell */
        {"KERNEL(float)", "_Z5otherv"},
        {"", "_Z5otherv"},
    };
    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (!lowered_name_fits(pairs[i].expression, pairs[i].lowered)) {
            fail_msg("'%s' does not fit '%s'", pairs[i].expression, pairs[i].lowered);
        }
    }
}

static void expressions_do_not_fit_other_names(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"bare", "bar"},
        {"bare", "_Z4bearv"},
        {"plain", "_Z6plain2v"},
        {"plain", "_Z11anotherplainv"},
        {"ns::plain", "_ZN3ns25plainEv"},
        {"scan<float>", "_Z4scanIiEvPT_"},
        {"scan<float>", "_Z4scanv"},
        {"scan<float, int>", "_Z4scanIfEvPT_"},
        {"scan<256>", "_Z4scanILi25EEvv"},
        {"scan<25>", "_Z4scanILi256EEvv"},
        {"scan<-3>", "_Z4scanILi3EEvv"},
        {"scan<3>", "_Z4scanILin3EEvv"},
        {"scan<true>", "_Z4scanILb0EEvv"},
        {"scan<unsigned int>", "_Z4scanIiEvv"},
        {"scan<Vec2>", "_Z4scanI4Vec3EvPT_"},
        {"scan<float, Vec2>", "_Z4scanIf4Vec3EvPT_"},
        {"REAL_SCAN", "_Z4scanIfEvPT_"}, /* an alias or a macro: not wrong, but nothing it fits */
    };
    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (lowered_name_fits(pairs[i].expression, pairs[i].lowered)) {
            fail_msg("'%s' fits '%s'", pairs[i].expression, pairs[i].lowered);
        }
    }
}

/* Names of an archive may be anything. */
static void reads_no_further_than_the_end(void **state)
{
    (void)state;
    static const char *const texts[] = {"",   "<",    "a<",    "a<,",    "a<1",     "a<-",      "a<1,",
                                        "_Z", "_Z1a", "_Z1aI", "_Z1aIL", "_Z1aILi", "_Z1aILin", "_Z99",
                                        "9",  "&",    "::",    "a<b<c",  "_Z1aJ",   "a<>",      "a<true"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t j = 0; j < COUNT(texts); j++) {
            lowered_name_fits(texts[i], texts[j]);
        }
    }
}

/* Looking at the rest of the name for each place where the word is would take minutes. */
static void long_names_are_read_once(void **state)
{
    (void)state;
    enum { SIZE = 4 << 20 };
    char *lowered = malloc(SIZE + 1);
    assert_non_null(lowered);
    memset(lowered, 'a', SIZE);
    memcpy(lowered, "_Z", 2);
    lowered[SIZE] = '\0';
    assert_false(lowered_name_fits("a", lowered));
    free(lowered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_fit_what_they_name),
        cmocka_unit_test(expressions_do_not_fit_other_names),
        cmocka_unit_test(reads_no_further_than_the_end),
        cmocka_unit_test(long_names_are_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
