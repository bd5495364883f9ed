/* SPDX-License-Identifier: Apache-2.0 */
/* Names of variables that are only there because a compiler met them. */
#include "unit.h"

#include "loader/link/cubin_globals.h"

#include <string.h>

static const struct {
    const char *name;
    bool by_the_way;
    bool member; /* whose source could not have made it a variable of the device */
} names[] = {
    {"count", false, false},
    {"_", false, false},
    {"_Z", false, false},
    {"_ZN2ns5countE", false, false},
    {"_ZN1S5valueE", false, false},
    {"_ZL5count", false, false},
    {"_ZN9cudacount1xE", false, false},
    {"_Z2tvIiE", true, false},
    {"_ZN2ns2tvIiEE", true, false},
    {"_ZN1SIdE5valueE", true, true},
    {"_ZNSt1SIdE5valueE", true, true},
    {"_ZNS_1SIdE5valueE", true, true},
    {"_ZNS1A_1SIdE5valueE", true, true},
    {"_ZZ1fvE5count", true, true},
    {"_ZN4cuda3std3__45valueE", true, true},
    {"_ZN3cub4TuneILi3EEE", true, true},
    {"_ZN99999999999999999999x", false, false},
    {"_ZNS", false, false},
    {"_ZN5", false, false},
};

static void names_tell_what_compilers_met(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        size_t size = strlen(names[i].name);
        if (cbn_is_by_the_way(names[i].name, size) != names[i].by_the_way ||
            cbn_is_member(names[i].name, size) != names[i].member) {
            fail_msg("%s: %d, %d", names[i].name, cbn_is_by_the_way(names[i].name, size),
                     cbn_is_member(names[i].name, size));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_tell_what_compilers_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
