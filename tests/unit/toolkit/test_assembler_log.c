/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "toolkit/assembler_log.h"

static void becomes(const char *log, bool no_warnings, const char *wanted, size_t errors, size_t warnings)
{
    struct buffer messages = {0};
    buffer_puts(&messages, "");
    struct assembler_said said = assembler_log_append(log, "a.cu: sm_90", no_warnings, &messages);
    buffer_append(&messages, "", 1);
    assert_string_equal(messages.data, wanted);
    assert_int_equal(said.errors, errors);
    assert_int_equal(said.warnings, warnings);
    buffer_free(&messages);
}

static void errors_name_the_target(void **state)
{
    (void)state;
    becomes(
        "error   : Entry function 'k' uses too much shared data (400000 bytes, 49152 max)\nERROR 9: finish",
        false, "a.cu: sm_90: error: Entry function 'k' uses too much shared data (400000 bytes, 49152 max)\n",
        1, 0);
    becomes("ptxas fatal   : Unknown option 'bogus'\nERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (sm_90)",
            true, "a.cu: sm_90: fatal error: Unknown option 'bogus'\n", 1, 0);
    becomes("ptxas application ptx input, line 26; error   : Not a name: 'bogus'\n"
            "ptxas fatal   : Ptx assembly aborted due to errors\nERROR 3: ptxjit:sm_90",
            false, "a.cu: sm_90: error: Not a name: 'bogus' (line 26 of the PTX)\n", 1, 0);
    /* The number stands on the next line, which is another. */
    becomes(
        "ptxas application ptx input, line \n26; error   : Not a name: 'bogus'", false,
        "a.cu: sm_90: ptxas application ptx input, line \na.cu: sm_90: 26; error   : Not a name: 'bogus'\n",
        0, 1);
}

static void warnings_can_be_left_out(void **state)
{
    (void)state;
    static const char log[] =
        "ptxas warning : For profile sm_90\nsomething else\nptxas info    : 0 bytes gmem\n";
    becomes(log, false,
            "a.cu: sm_90: warning: For profile sm_90\na.cu: sm_90: something else\n"
            "a.cu: sm_90: ptxas info    : 0 bytes gmem\n",
            0, 2);
    becomes(log, true, "a.cu: sm_90: ptxas info    : 0 bytes gmem\n", 0, 0);
    becomes("", false, "", 0, 0);
}

static void the_log_is_found_in_the_message(void **state)
{
    (void)state;
    assert_string_equal(assembler_log_in("sm_80: nvJitLink: f: RESULT (4)\none\ntwo"), "one\ntwo");
    assert_string_equal(assembler_log_in("nvJitLink: f: RESULT (4): one"), "one");
    assert_string_equal(assembler_log_in("nvJitLink: f: RESULT (4)"), "");
    assert_null(assembler_log_in("out of memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_the_target),
        cmocka_unit_test(warnings_can_be_left_out),
        cmocka_unit_test(the_log_is_found_in_the_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
