/* SPDX-License-Identifier: Apache-2.0 */
#include "source/declared_names.h"
#include "unit.h"

#include <string.h>

static const char source[] =
    "template <typename T> __global__ void __launch_bounds__(256, (4)) segsum(const T *in);\n"
    "extern \"C\" __global__ void __cluster_dims__(2, 1, 1) scale(float f) { }\n"
    "__global__ __launch_bounds__(32) void\nscan_blocks(int);\n"
    "// __global__\n"
    "#define KERNEL __global__\n"
    "namespace my::deep { inline namespace v1 {\n"
    "template <typename T, int N = 4, template <class...> class A> KERNEL void reduce(const T *in) {}\n"
    "template KERNEL void reduce<int>(const int *);\n"
    "} }\n"
    "struct s { template <class... U> static __global__ void member(U... u); };\n"
    "__device__ int table[4];\n"
    "static __constant__ __align__(16) float4 weights = {1};\n"
    "namespace ns { __managed__ __device__ Vector<int, 3> vector; __device__ int function(int); }\n";

static void setup(const char *text, struct declared_names *names)
{
    assert_int_equal(declared_names_read("a.cu", text, names), CUBINET_OK);
}

static void finds_the_nearest(void **state)
{
    (void)state;
    static const struct {
        enum declared_kind kind;
        const char *expression;
        const char *name; /* NULL: none is near */
        const char *parameters;
    } cases[] = {
        {DECLARED_KERNELS, "segsun<float>", "segsum", "<typename T>"},
        {DECLARED_KERNELS, "my::ns::segsum<float, ns::x>", "segsum", "<typename T>"},
        {DECLARED_KERNELS, "Scale", "scale", NULL},
        {DECLARED_KERNELS, "&scan_block", "scan_blocks", NULL},
        {DECLARED_KERNELS, "reduce<int>", "my::deep::v1::reduce",
         "<typename T, int N = 4, template <class...> class A>"},
        {DECLARED_KERNELS, "memver", "s::member", "<class... U>"},
        {DECLARED_KERNELS, "attention", NULL, NULL},
        {DECLARED_KERNELS, "", NULL, NULL},
        {DECLARED_KERNELS, "table", NULL, NULL},
        {DECLARED_VARIABLES, "&tabel", "table", NULL},
        {DECLARED_VARIABLES, "&ns::weight", "weights", NULL},
        {DECLARED_VARIABLES, "vector", "ns::vector", NULL},
        {DECLARED_VARIABLES, "functio", NULL, NULL},
        {DECLARED_VARIABLES, "scale", NULL, NULL},
        {DECLARED_FUNCTIONS, "functio", "ns::function", NULL},
    };
    struct declared_names names;
    setup(source, &names);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct declared_name *name = declared_names_nearest(&names, cases[i].kind, cases[i].expression);
        if (!cases[i].name) {
            assert_null(name);
            continue;
        }
        assert_non_null(name);
        assert_string_equal(name->name, cases[i].name);
        assert_string_equal(name->parameters ? name->parameters : "",
                            cases[i].parameters ? cases[i].parameters : "");
    }
    declared_names_free(&names);
}

static void tells_whether_an_expression_names_it(void **state)
{
    (void)state;
    const struct declared_name scan = {DECLARED_KERNELS, (char[]){"my::scan"}, NULL};
    assert_true(declared_name_fits(&scan, "&my::scan<float, ns::x>"));
    assert_true(declared_name_fits(&scan, "scan"));
    assert_false(declared_name_fits(&scan, "scan2"));
    assert_true(declared_name_is_qualified(&scan, "&my::scan<float, ns::x>"));
    assert_true(declared_name_is_qualified(&scan, "::my::scan"));
    assert_false(declared_name_is_qualified(&scan, "scan<float>"));
}

static void survives_sources_that_end_early(void **state)
{
    (void)state;
    static const char *const sources[] = {"",
                                          "__global__",
                                          "__device__ int",
                                          "__device__ f",
                                          "__global__ void",
                                          "__global__ __launch_bounds__((",
                                          "__global__ void (",
                                          "template <",
                                          "template <class __global__ void"};
    for (size_t i = 0; i < COUNT(sources); i++) {
        struct declared_names names;
        setup(sources[i], &names);
        declared_names_free(&names);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_nearest),
        cmocka_unit_test(tells_whether_an_expression_names_it),
        cmocka_unit_test(survives_sources_that_end_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
