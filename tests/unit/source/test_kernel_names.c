/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "source/kernel_names.h"

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

static const char variables[] = "__device__ int table[4];\n"
                                "static __constant__ __align__(16) float4 weights = {1};\n"
                                "__managed__ __device__ Vector<int, 3> vector;\n"
                                "__device__ int function(int);\n"
                                "__global__ void kernel() {}\n";

static void finds_the_nearest_variable(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        const char *variable;
    } cases[] = {
        {"&tabel", "table"}, {"&ns::weight", "weights"}, {"vector", "vector"},
        {"functio", NULL},   {"kernel", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *name = variable_names_nearest(variables, cases[i].expression);
        if (cases[i].variable) {
            assert_non_null(name);
            assert_string_equal(name, cases[i].variable);
        } else {
            assert_null(name);
        }
        free(name);
    }
}

static void tells_whether_an_expression_names_it(void **state)
{
    (void)state;
    assert_true(kernel_names_match("&my::scan<float, ns::x>", "scan"));
    assert_true(kernel_names_match("scan", "scan"));
    assert_false(kernel_names_match("scan", "scan2"));
    assert_false(kernel_names_match("scan2", "scan"));
}

static void survives_sources_that_end_early(void **state)
{
    (void)state;
    static const char *const sources[] = {"",
                                          "__global__",
                                          "__device__ int",
                                          "__device__ f",
                                          "__global__ void",
                                          "__global__ void f",
                                          "__global__ __launch_bounds__((",
                                          "__global__ void ("};
    for (size_t i = 0; i < COUNT(sources); i++) {
        assert_null(kernel_names_nearest(sources[i], "f"));
        assert_null(variable_names_nearest(sources[i], "f"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_nearest_kernel),
        cmocka_unit_test(finds_the_nearest_variable),
        cmocka_unit_test(tells_whether_an_expression_names_it),
        cmocka_unit_test(survives_sources_that_end_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
