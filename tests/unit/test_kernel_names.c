/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "kernel_names.h"

#include <stdlib.h>

static const char source[] =
    "template <typename T> __global__ void __launch_bounds__(256, (4)) segsum(const T *in);\n"
    "extern \"C\" __global__ void __cluster_dims__(2, 1, 1) scale(float f) { }\n"
    "__global__ __launch_bounds__(32) void\nscan_blocks(int);\n"
    "// __global__\n";

static void finds_the_nearest_kernel(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        const char *kernel;
    } cases[] = {
        {"segsun<float>", "segsum"}, {"my::ns::segsum<float, ns::x>", "segsum"},
        {"Scale", "scale"},          {"&scan_block", "scan_blocks"},
        {"attention", NULL},         {"", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *name = kernel_names_nearest(source, cases[i].expression);
        if (cases[i].kernel) {
            assert_non_null(name);
            assert_string_equal(name, cases[i].kernel);
        } else {
            assert_null(name);
        }
        free(name);
    }
}

static void survives_sources_that_end_early(void **state)
{
    (void)state;
    static const char *const sources[] = {"",
                                          "__global__",
                                          "__global__ void",
                                          "__global__ void f",
                                          "__global__ __launch_bounds__((",
                                          "__global__ void ("};
    for (size_t i = 0; i < COUNT(sources); i++) {
        assert_null(kernel_names_nearest(sources[i], "f"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_nearest_kernel),
        cmocka_unit_test(survives_sources_that_end_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
