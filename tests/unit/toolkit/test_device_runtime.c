/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/device_runtime.h"
#include "unit.h"

#include <stdlib.h>

static void finds_calls_of_the_device_runtime(void **state)
{
    (void)state;
    static const struct {
        const char *ptx;
        const char *function; /* NULL: none */
    } cases[] = {
        {"", NULL},
        {"\n.extern .func", NULL},
        {"\n.extern .func  (", NULL},
        {"\n.extern .func  (.param .b32 r) vprintf\n(", NULL},
        {"\n.extern .func __assertfail\n(", NULL},
        {"\n.visible .func cudaMine\n(", NULL},
        {"\n.extern .func  (.param .b32 r) cudaGetDevice\n(", "cudaGetDevice"},
        {"\n.extern .func  (.param .b32 r) vprintf\n(\n)\n;\n.extern .func __cudaCDP2Free(",
         "__cudaCDP2Free"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *function = device_runtime_function(cases[i].ptx);
        if (cases[i].function) {
            assert_non_null(function);
            assert_string_equal(function, cases[i].function);
        } else {
            assert_null(function);
        }
        free(function);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_calls_of_the_device_runtime)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
