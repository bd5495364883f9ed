/* SPDX-License-Identifier: Apache-2.0 */
/* Mangled names as people read them, compared with what c++filt (binutils 2.40) prints: names.txt has a name
 * in one line and its text, without the result, in the next. */
#include "allocations.h"
#include "loader/core/names/mangled.h"
#include "loader/core/names/readable.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reads_as_cxxfilt(void **state)
{
    struct cbn_readable *readable = *state;
    FILE *file = fopen(NAMES_FILE, "r");
    assert_non_null(file);
    char name[4096];
    char text[8192];
    size_t count = 0;
    while (fgets(name, sizeof(name), file) && fgets(text, sizeof(text), file)) {
        name[strcspn(name, "\n")] = '\0';
        text[strcspn(text, "\n")] = '\0';
        const char *full = cbn_readable_full(readable, name);
        if (!full || strcmp(full, text) != 0) {
            fail_msg("%s is '%s', not '%s'", name, text, full ? full : "nothing");
        }
        count++;
    }
    fclose(file);
    assert_true(count > 400);
}

static void gives_up(void **state)
{
    static const char *const names[] = {
        "",           "scale",    "_Z",      "_Z5scal",     "_Z5scalev.part",
        "_Z1fT_",     "_Z1fS5_",  "_Z1fDTv", "_Z1fIiEvT0_", "_ZN1a1bE_",
        "_ZNE",       "_Z1fM",    "_Z1fILi", "_Z0v",        "_Z99999999999999999999a",
        "_Z6void av", "_Z4a(b)v", "_Z3a,bv", "_Z3a<bv",     "_Z3a\nbv",
        "_Z4a::bv",
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_null(cbn_readable_full(*state, names[i]));
        assert_int_equal(cbn_readable_fit(*state, names[i], names[i]), CBN_FIT_NONE);
    }
}

static char *repeat(char *end, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        end = stpcpy(end, text);
    }
    return end;
}

/* Wherever in a long literal or array the nodes run out, nothing beyond the name is read. */
static void gives_up_where_nodes_run_out(void **state)
{
    static const char *const items[][2] = {{"Li", "E"}, {"A", "_i"}, {"Dv", "_i"}};
    static const char *const starts[] = {"_Z1gI", "_Z1gILi1E"}; /* a literal is three nodes, an int two */
    enum { DIGITS = 1 << 20, FEW = 8, MOST_INTS = CBN_MANGLED_NODES / 2 };
    char *name = malloc(DIGITS + CBN_MANGLED_NODES);
    assert_non_null(name);
    for (size_t i = 0; i < COUNT(items) * COUNT(starts); i++) {
        const char *const *item = items[i / COUNT(starts)];
        for (size_t ints = MOST_INTS - FEW; ints <= MOST_INTS; ints++) {
            char *digits = stpcpy(repeat(stpcpy(name, starts[i % COUNT(starts)]), "i", ints), item[0]);
            memset(digits, '1', DIGITS);
            char *end = repeat(stpcpy(digits + DIGITS, item[1]), "i", FEW);
            strcpy(end, "EvT_");
            assert_null(cbn_readable_full(*state, name));
        }
    }
    free(name);
}

/* Each S_ doubles what is before it. */
static void bounds_what_few_bytes_stand_for(void **state)
{
    char name[4096] = "_Z1f1aIS_S_E";
    for (int i = 0; i < 60; i++) {
        char more[32];
        snprintf(more, sizeof(more), "S_IS%c_S%c_E", "0123456789ABCDEFGHIJ"[i % 20],
                 "0123456789ABCDEFGHIJ"[i % 20]);
        strcat(name, more);
    }
    assert_null(cbn_readable_full(*state, name));
    char deep[4096] = "_Z1f";
    memset(deep + 4, 'P', 3000);
    assert_null(cbn_readable_full(*state, deep));
    strcpy(deep + 3004, "i");
    assert_null(cbn_readable_full(*state, deep));
}

static void fits_what_people_write(void **state)
{
    static const char scale[] = "_ZN2ns5scaleIfLi256EEEvPT_i";
    static const struct {
        const char *wanted;
        enum cbn_fit fit;
    } cases[] = {
        {"ns::scale<float, 256>(float*, int)", CBN_FIT_FULL},
        {"void ns::scale<float,256>( float *,int )", CBN_FIT_FULL},
        {"ns::scale< float,256 >", CBN_FIT_NO_PARAMETERS},
        {"&ns::scale", CBN_FIT_QUALIFIED},
        {"scale", CBN_FIT_PLAIN},
        {"scale<float, 256>", CBN_FIT_PLAIN},
        {"scale<float, 256>(float*, int)", CBN_FIT_PLAIN},
        {"scal", CBN_FIT_NONE},
        {"s::scale", CBN_FIT_NONE},
        {"ns::scale<float>", CBN_FIT_NONE},
        {"", CBN_FIT_NONE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(cbn_readable_fit(*state, cases[i].wanted, scale), cases[i].fit);
    }
    assert_string_equal(cbn_readable_name(*state, scale), "ns::scale<float, 256>");
    assert_null(cbn_readable_name(*state, "scale"));
}

static void search_all(struct cbn_readable_search *search)
{
    static const char *const names[] = {"_ZN2ns5scaleIfLi256EEEvPT_i",
                                        "_ZN2ns5scaleIiLi128EEEvPT_i",
                                        "scan",
                                        "_ZN1a4copyEPf",
                                        "_ZN2ns5scaleIfLi256EEEvPT_i",
                                        "_Z4copyPf"};
    for (size_t i = 0; i < COUNT(names); i++) {
        cbn_readable_offer(search, names[i]);
    }
}

static void finds_the_one_that_fits_best(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"ns::scale<int, 128>", "_ZN2ns5scaleIiLi128EEEvPT_i"},
        {"copy", "_Z4copyPf"}, /* the other has a namespace */
        {"a::copy", "_ZN1a4copyEPf"},
        {"scan", NULL},
        {"nothing", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cbn_readable_search search = cbn_readable_search_start(cases[i][0]);
        const char *name = "untouched";
        search_all(&search);
        assert_int_equal(cbn_readable_search_end(&search, "kernels", &name), CUBINET_OK);
        assert_true(cases[i][1] ? name && strcmp(name, cases[i][1]) == 0 : !name);
    }
}

static void lists_all_that_fit(void **state)
{
    (void)state;
    struct cbn_readable_search search = cbn_readable_search_start("scale");
    const char *name = NULL;
    search_all(&search);
    assert_int_equal(cbn_readable_search_end(&search, "kernels", &name), CUBINET_ERROR_NOT_FOUND);
    assert_null(name);
    assert_string_equal(cubinet_error_message(),
                        "'scale' may mean 2 kernels: 'ns::scale<float, 256>(float*, int)', "
                        "'ns::scale<int, 128>(int*, int)'; write one of these names");
    char names[10][16];
    search = cbn_readable_search_start("k");
    for (int i = 0; i < 10; i++) {
        snprintf(names[i], sizeof(names[i]), "_ZN1%c1kEv", 'a' + i);
        cbn_readable_offer(&search, names[i]);
    }
    assert_int_equal(cbn_readable_search_end(&search, "kernels", &name), CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(
        cubinet_error_message(),
        "'k' may mean 10 kernels: 'a::k()', 'b::k()', 'c::k()', 'd::k()', 'e::k()', 'f::k()', "
        "'g::k()', 'h::k()', ...; write one of these names");
}

static void tells_that_memory_is_out(void **state)
{
    (void)state;
    struct cbn_readable_search search = cbn_readable_search_start("copy");
    const char *name = NULL;
    cbn_readable_free(search.readable);
    search.readable = NULL;
    search_all(&search);
    assert_int_equal(cbn_readable_search_end(&search, "kernels", &name), CUBINET_ERROR_OUT_OF_MEMORY);
    assert_null(name);
}

static cubinet_status search_for_several(void *wanted)
{
    struct cbn_readable_search search = cbn_readable_search_start(wanted);
    const char *name = NULL;
    search_all(&search);
    return cbn_readable_search_end(&search, "kernels", &name);
}

static void lists_all_or_tells_that_memory_is_out(void **state)
{
    (void)state;
    char wanted[] = "scale";
    assert_int_equal(allocations_fail_each(search_for_several, wanted, CUBINET_ERROR_NOT_FOUND), 4);
}

static void writes_into_what_callers_have(void **state)
{
    (void)state;
    static const char whole[] = "scale<float>(float*, int)";
    char text[64] = "before";
    assert_int_equal(cubinet_name_readable("_Z5scaleIfEvPT_i", NULL, 0), strlen(whole));
    assert_int_equal(cubinet_name_readable("_Z5scaleIfEvPT_i", text, sizeof(text)), strlen(whole));
    assert_string_equal(text, whole);
    assert_int_equal(cubinet_name_readable("_Z5scaleIfEvPT_i", text, 6), strlen(whole));
    assert_string_equal(text, "scale");
    assert_int_equal(cubinet_name_readable("scale", text, sizeof(text)), 0);
    assert_string_equal(text, "");
    assert_int_equal(cubinet_name_readable(NULL, text, sizeof(text)), 0);
}

static int start(void **state)
{
    *state = cbn_readable_new();
    return *state == NULL;
}

static int end(void **state)
{
    cbn_readable_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_cxxfilt),
        cmocka_unit_test(gives_up),
        cmocka_unit_test(gives_up_where_nodes_run_out),
        cmocka_unit_test(bounds_what_few_bytes_stand_for),
        cmocka_unit_test(fits_what_people_write),
        cmocka_unit_test(finds_the_one_that_fits_best),
        cmocka_unit_test(lists_all_that_fit),
        cmocka_unit_test(tells_that_memory_is_out),
        cmocka_unit_test(lists_all_or_tells_that_memory_is_out),
        cmocka_unit_test(writes_into_what_callers_have),
    };
    return cmocka_run_group_tests(tests, start, end);
}
