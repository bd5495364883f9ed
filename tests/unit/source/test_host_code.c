/* SPDX-License-Identifier: Apache-2.0 */
/* Host code is found by its tokens, wherever comments, strings and conditions would mislead. */
#include "source/host_code.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* What is found, as "main 3-5 launch 7-9". */
static const char *found_in(const char *source)
{
    static char text[512];
    struct host_code code;
    size_t size = 0;
    text[0] = '\0';
    assert_int_equal(host_code_find(source, &code), CUBINET_OK);
    for (size_t i = 0; i < code.count; i++) {
        const struct host_function *function = &code.functions[i];
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s %zu-%zu", i ? " " : "",
                                 function->is_main ? "main"
                                 : function->call  ? "call"
                                                   : "launch",
                                 function->first_line, function->last_line);
    }
    host_code_free(&code);
    return text;
}

static void test_main_and_launches(void **state)
{
    (void)state;
    assert_string_equal(found_in("int\nmain(int argc, char **argv)\n{\n  return 0;\n}\n"), "main 1-5");
    assert_string_equal(found_in("__global__ void k() {}\nvoid run() {\n  k<<<1, 1>>>();\n}\n"),
                        "launch 2-4");
    assert_string_equal(found_in("namespace a { namespace b {\nvoid f() { if (1) { k<<<1,1>>>(); } }\n} }\n"
                                 "int main() {}\n"),
                        "launch 2-2 main 4-4");
    assert_string_equal(found_in("struct S {\n  int n = 3;\n  S() : n(1) { k<<<1, 1>>>(); }\n};\n"),
                        "launch 3-3");
    assert_string_equal(
        found_in("extern \"C\" {\ntemplate <class T>\nvoid f(T t)\n{ k<T><<<1, 1>>>(t); }\n}"), "launch 2-4");
    assert_string_equal(
        found_in("int a[] = {1, 2};\nstatic int table[2][2] = {{1, 2}, {3, 4}};\nint main() {\n}\n"),
        "main 3-4");
}

static void test_calls(void **state)
{
    (void)state;
    static const char source[] = "void run(float *x)\n{\n  cudaMalloc(&x, 4);\n  cudaFree(x);\n}\n";
    struct host_code code;
    assert_string_equal(found_in(source), "call 1-5");
    assert_int_equal(host_code_find(source, &code), CUBINET_OK);
    assert_int_equal(code.functions[0].line, 3);
    assert_int_equal(code.functions[0].call_size, strlen("cudaMalloc"));
    assert_memory_equal(code.functions[0].call, "cudaMalloc", strlen("cudaMalloc"));
    host_code_free(&code);
    assert_string_equal(found_in("int f() { return cublasCreate_v2 (0); }\nint g() { MPI_Init(0, 0); }"),
                        "call 1-1 call 2-2");
    assert_string_equal(found_in("void f() { cudaFree(0); k<<<1, 1>>>(); }"), "launch 1-1");
    assert_string_equal(found_in("__device__ void f() { cudaDeviceSynchronize(); }"), "");
    assert_string_equal(found_in("int f() { curand(s); cuCmulf(a, b); cudalike(1); cudaError_t e; }"), "");
    assert_string_equal(found_in("cudaError_t cudaGetLastError(void);"), "");
}

static void test_device_code(void **state)
{
    (void)state;
    assert_string_equal(found_in(""), "");
    assert_string_equal(found_in("__global__ void parent() { child<<<1, 1>>>(); }\n"), "");
    assert_string_equal(found_in("__device__ int f() { k<<<1, 1>>>(); return main_part(); }\n"), "");
    assert_string_equal(found_in("__device__ int domain(int x) { int main = x; return main(x); }\n"), "");
    assert_string_equal(found_in("int main(int);\nstruct main { int a; };\n"), "");
    assert_string_equal(found_in("__device__ int f(int a) { return a << 3 < a; }\n"), "");
}

static void test_text_that_is_no_code(void **state)
{
    (void)state;
    assert_string_equal(found_in("// int main() { k<<<1,1>>>(); }\n/* int main() {\n} */ int a;\n"), "");
    assert_string_equal(found_in("// goes on \\\nint main() {}\n"), "");
    assert_string_equal(
        found_in("const char *t = \"int main() { \\\" k<<<1,1>>>() }\";\nchar c = '{', d = '\\'';\n"), "");
    assert_string_equal(found_in("const char *t = R\"x(\n) \" int main() { } )y\" )x\"; int main() {}\n"),
                        "main 2-2");
    assert_string_equal(found_in("#define MAIN int main() { \\\n  k<<<1,1>>>(); }\n#include <main()>\n"), "");
    assert_string_equal(found_in("int main() { \"open\nk<<<1"), "");
}

static void test_conditions(void **state)
{
    (void)state;
    static const char *const left_out[] = {"#ifndef __CUDACC_RTC__",
                                           "#if !defined(__CUDACC_RTC__)",
                                           "# if ! defined __CUDACC_RTC__ // why",
                                           "#if 0",
                                           "#ifdef __NVCC__",
                                           "#ifndef __CUDA_ARCH__",
                                           "#ifdef __CUDACC_RTC__\nint device;\n#else"};
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
        char source[256];
        snprintf(source, sizeof(source), "%s\nint main() { don't; }\n#endif\n", left_out[i]);
        assert_string_equal(found_in(source), "");
    }
    assert_string_equal(found_in("#ifdef __CUDACC_RTC__\nint main() {}\n#endif\n"), "main 2-2");
    assert_string_equal(found_in("#if 0\n#if 1\n#endif\nint main() {}\n#else\nint main() {}\n#endif\n"),
                        "main 6-6");
    assert_string_equal(found_in("#if 0\n#elif 1\nint main() {}\n#else\nint f() {}\n#endif\n"), "main 3-3");
    /* Of a condition that is not known the first branch is read, so that braces stay in pairs. */
    assert_string_equal(found_in("#if OWN\nint main() {\n#else\nint main(int) {\n#endif\n}\n"), "main 2-6");
    assert_string_equal(found_in("#endif\n#else\nint main() {}\n"), "main 3-3");
}

static void test_deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 1000 };
    static char source[8 * DEPTH];
    size_t size = 0;
    for (int i = 0; i < DEPTH; i++) {
        size += (size_t)snprintf(source + size, sizeof(source) - size, "#if 1\n{");
    }
    snprintf(source + size, sizeof(source) - size, "int main() {}");
    found_in(source);
    memset(source, '}', sizeof(source) - 1);
    assert_string_equal(found_in(source), "");
}

static void test_lines(void **state)
{
    (void)state;
    struct host_code code;
    assert_int_equal(host_code_find("int a;\nint main()\n{\n}\nint b;\n", &code), CUBINET_OK);
    assert_false(host_code_has_line(&code, 1));
    assert_true(host_code_has_line(&code, 2));
    assert_true(host_code_has_line(&code, 4));
    assert_false(host_code_has_line(&code, 5));
    host_code_free(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_main_and_launches),
                                       cmocka_unit_test(test_device_code),
                                       cmocka_unit_test(test_text_that_is_no_code),
                                       cmocka_unit_test(test_conditions),
                                       cmocka_unit_test(test_deep_nesting),
                                       cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
