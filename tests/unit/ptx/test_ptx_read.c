/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "ptx/reading/ptx.h"
#include "ptx_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct contents read_text(const char *text)
{
    struct contents contents;
    cubinet_status status = ptx_read(text, strlen(text), &contents);
    if (status) {
        fail_msg("%s\n%s", cubinet_error_message(), text);
    }
    return contents;
}

/* Checks that a text is refused with a message that has `part` in it. */
static void check_damaged(const char *text, const char *part)
{
    struct contents contents;
    assert_int_equal(ptx_read(text, strlen(text), &contents), CUBINET_ERROR_DAMAGED);
    if (!strstr(cubinet_error_message(), part)) {
        fail_msg("'%s' is not in: %s", part, cubinet_error_message());
    }
}

static void check_target(const char *text, int number, char suffix, uint32_t isa)
{
    struct contents contents = read_text(text);
    assert_int_equal(contents.target.kind, CUBINET_IMAGE_PTX);
    assert_int_equal(contents.target.number, number);
    assert_int_equal(contents.target.suffix, suffix);
    assert_int_equal(contents.ptx_isa, isa);
    contents_free(&contents);
}

static void reads_everything_of_what_nvrtc_writes(void **state)
{
    (void)state;
    struct contents contents = read_text(PTX_FIXTURE);
    assert_int_equal(contents.toolkit, 13000);
    assert_int_equal(contents.kernel_count, 1);
    const cubinet_kernel_resources *resources = &contents.kernels[0].resources;
    assert_string_equal(contents.kernels[0].name, "kern");
    assert_int_equal(resources->registers, CUBINET_UNKNOWN);
    assert_int_equal(resources->local_bytes, CUBINET_UNKNOWN);
    assert_int_equal(resources->constant_bytes, CUBINET_UNKNOWN);
    assert_int_equal(resources->max_threads_per_block, CUBINET_UNKNOWN);
    assert_int_equal(resources->static_shared_bytes, 64);
    assert_int_equal(resources->max_block[0], 256);
    assert_int_equal(resources->max_block[1], 1);
    assert_int_equal(resources->min_blocks, 2);
    assert_int_equal(resources->param_count, 3);
    assert_int_equal(resources->params[1].offset, 8);
    assert_int_equal(resources->params[1].size, 24);
    assert_int_equal(resources->param_bytes, 33);

    /* without cuda::std's, which nothing uses */
    static const char *const globals[] = {"coefficients", "counter", "dead_end",
                                          "dead_link",    "link",    "table"};
    assert_int_equal(contents.global_count, COUNT(globals));
    for (size_t i = 0; i < COUNT(globals); i++) {
        assert_string_equal(contents.globals[i].name, globals[i]);
        assert_int_equal(contents.globals[i].is_constant, strcmp(globals[i], "coefficients") == 0);
    }
    assert_int_equal(contents.globals[0].bytes, 12);
    contents_free(&contents);
}

static void reads_targets_and_versions(void **state)
{
    (void)state;
    check_target(".version 9.0\n.target sm_90", 90, 0, 90);
    check_target(".version 8.7 .target sm_100a, debug\n.address_size 64", 100, 'a', 87);
    check_target("/* .version 1.0 */.version 13.2\n.target\n sm_121f // x\n", 121, 'f', 132);
    check_target(".version 6.5\n.target sm_75, texmode_independent\n.target sm_80\n", 75, 0, 65);
}

static void reads_the_toolkit_before_the_version_only(void **state)
{
    (void)state;
    struct contents contents = read_text("// Cuda compilation tools, release 12.9, V1\n" PTX_HEAD);
    assert_int_equal(contents.toolkit, 12090);
    contents_free(&contents);
    contents = read_text(PTX_HEAD "// Cuda compilation tools, release 12.9, V1\n");
    assert_int_equal(contents.toolkit, 0);
    contents_free(&contents);
}

static void check_params(const char *target, const char *params, const char *expected)
{
    char text[1024];
    snprintf(text, sizeof(text), ".version 9.0 .target %s .entry k(%s) { ret; }", target, params);
    struct contents contents = read_text(text);
    const cubinet_kernel_resources *resources = &contents.kernels[0].resources;
    char found[256] = "";
    for (uint32_t i = 0; i < resources->param_count; i++) {
        size_t used = strlen(found);
        snprintf(found + used, sizeof(found) - used, "%u@%u ", resources->params[i].size,
                 resources->params[i].offset);
    }
    size_t used = strlen(found);
    snprintf(found + used, sizeof(found) - used, "%u", resources->param_bytes);
    assert_string_equal(found, expected);
    contents_free(&contents);
}

/* Offsets are those that ptxas 13.0 notes in cubins. */
static void lays_out_parameters(void **state)
{
    (void)state;
    check_params("sm_90", "", "0");
    check_params("sm_90", ".param .u8 a,.param .f64 b, .param .s16 c", "1@0 8@8 2@16 18");
    check_params("sm_90", ".param.u32 a,.param/*x*/.u64 b", "4@0 8@8 16");
    check_params("sm_90", ".param .u8 b, .param .align 2 .b8 d[3], .param .u32 e[2], .param .f16 h",
                 "1@0 3@2 8@8 2@16 18");
    check_params("sm_90", ".param .u8 b, .param .u64 .ptr .shared .align 64 p, .param .b128 q",
                 "1@0 8@8 16@16 32");
    check_params("sm_90", ".param .u8 b, .param .texref t, .param .u8 z", "1@0 8@8 1@16 17");
    check_params("sm_90", ".param .b8 a[0x10], .param .b8 b[010], .param .b8 c[0b11]", "16@0 8@16 3@24 27");
}

/* A parameter's alignment is that of its address in the constant bank, where the buffer starts at 0x160,
 * 0x210 or 0x380. */
static void lays_out_parameters_of_large_alignment(void **state)
{
    (void)state;
    check_params("sm_80", ".param .u8 a, .param .align 64 .b8 m[128]", "1@0 128@32 160");
    check_params("sm_90", ".param .u8 a, .param .align 64 .b8 m[128]", "1@0 128@48 176");
    check_params("sm_90", ".param .u8 a, .param .align 128 .b8 m[128]", "1@0 128@112 240");
    check_params("sm_120", ".param .u8 a, .param .align 64 .b8 m[128]", "1@0 128@64 192");
}

static void reads_what_launches_must_keep_to(void **state)
{
    (void)state;
    struct contents contents =
        read_text(PTX_HEAD ".weak .entry a() .maxntid 0x20 .pragma \"nounroll\"; .maxclusterrank 8 { ret; }\n"
                           ".entry b .reqntid 8, 4, 2 .explicitcluster .reqnctapercluster 2, 2 { ret; }\n");
    assert_int_equal(contents.kernel_count, 2);
    const cubinet_kernel_resources *a = &contents.kernels[0].resources;
    assert_int_equal(a->max_block[0] * 10000 + a->max_block[1] * 100 + a->max_block[2], 320101);
    assert_int_equal(a->max_cluster_blocks, 8);
    assert_int_equal(a->required_block[0], 0);
    const cubinet_kernel_resources *b = &contents.kernels[1].resources;
    assert_int_equal(b->required_block[0] * 10000 + b->required_block[1] * 100 + b->required_block[2], 80402);
    assert_int_equal(b->required_cluster[0] * 10000 + b->required_cluster[1] * 100 + b->required_cluster[2],
                     20201);
    assert_int_equal(b->max_block[0], 0);
    contents_free(&contents);
}

static void prototypes_and_functions_are_no_kernels(void **state)
{
    (void)state;
    struct contents contents = read_text(PTX_HEAD ".entry a (.param .u32 x);\n"
                                                  ".extern .func (.param .b32 r) f (.param .b64 p) ;\n"
                                                  ".visible .func f2 () .noreturn { trap; }\n"
                                                  ".alias g, f2;\n"
                                                  ".entry a (.param .u32 x) { ret; }\n");
    assert_int_equal(contents.kernel_count, 1);
    contents_free(&contents);
}

static void check_shared(const char *declarations, const char *body, uint32_t expected)
{
    char text[1024];
    snprintf(text, sizeof(text), PTX_HEAD "%s .entry k() { %s }", declarations, body);
    struct contents contents = read_text(text);
    assert_int_equal(contents.kernels[0].resources.static_shared_bytes, expected);
    contents_free(&contents);
}

static void knows_shared_bytes_when_the_text_tells(void **state)
{
    (void)state;
    const char *one = ".shared .align 4 .b8 s[20];";
    check_shared("", "ret;", 0);
    check_shared(one, "ret;", 0);
    check_shared(one, "ld.shared.u32 %r1, [s]; st.shared.u32 [s+4], %r1;", 20);
    check_shared("", ".shared .f64 v; st.shared.f64 [v], %d1;", 8);
    check_shared("", ".shared .f64 v;", CUBINET_UNKNOWN);
    check_shared(one, ".shared .f64 v; st.shared.f64 [v], %d1; ld.shared.u32 %r1, [s];", CUBINET_UNKNOWN);
    check_shared("", "call.uni f, ();", CUBINET_UNKNOWN);
    check_shared("", ".pragma \"enable_smem_spilling\"; ret;", CUBINET_UNKNOWN);
    check_shared(".extern .shared .align 16 .b8 d[]; .shared .b8 s[3];", "ld.shared.u8 %r1, [s];",
                 CUBINET_UNKNOWN);
    check_shared(".extern .shared .align 16 .b8 d[];", "ld.shared.u8 %r1, [d];", 0);
}

static void check_global(const char *declaration, uint64_t bytes)
{
    char text[512];
    snprintf(text, sizeof(text), PTX_HEAD "%s", declaration);
    struct contents contents = read_text(text);
    assert_int_equal(contents.global_count, 1);
    assert_string_equal(contents.globals[0].name, "g");
    assert_int_equal(contents.globals[0].bytes, bytes);
    assert_int_equal(contents.globals[0].is_managed, strstr(declaration, ".managed") != NULL);
    contents_free(&contents);
}

static void sizes_variables(void **state)
{
    (void)state;
    check_global(".global .u32 g;", 4);
    check_global(".visible .const .align 16 .v4 .f32 g = {1.0, 2.0, 3.0, 4.0};", 16);
    check_global(".common .global .align 2 .v2 .u8 g[3];", 6);
    check_global(".weak .global .u32 g[2][3];", 24);
    check_global(".visible .global .u32 g[] = {1, 2, 3};", 12);
    check_global(".visible .global .u32 g[][2] = {{1, 2}, {3}};", 16);
    check_global(".visible .global .u64 g[] = {generic(f), 0, f+8};", 24);
    check_global(".visible .global .attribute(.managed) .align 4 .u32 g;", 4);
    check_global(".visible .global .u64 g = generic(h)+8; .visible .global .texref t;", 8);
    check_global(".extern .global .u32 e[]; .visible .global .b8 g [ 16U ] ;", 16);
}

static void reads_several_variables_of_one_statement(void **state)
{
    (void)state;
    struct contents contents = read_text(PTX_HEAD ".global .align 8 .u16 a = 1, b[3], c;");
    assert_int_equal(contents.global_count, 3);
    assert_int_equal(contents.globals[1].bytes, 6);
    assert_int_equal(contents.globals[2].bytes, 2);
    contents_free(&contents);
}

static void refuses_what_is_no_ptx(void **state)
{
    (void)state;
    check_damaged("", "line 1");
    check_damaged("hello", "line 1");
    check_damaged("\x7f"
                  "ELF",
                  "complete PTX statement");
    check_damaged("// only\n// comments\n", "line 3");
    check_damaged(".version 9.0\n", ".target");
    check_damaged(".target sm_90\n", "starts with '.version'");
    check_damaged(".version 9\n.target sm_90\n", "version");
    check_damaged(".version 9.0\n.target compute_90\n", "'compute_90'");
    check_damaged(".version 9.0\n.target sm_90b\n", "'sm_90b'");
    check_damaged(".version 9.0\n.entry k() { ret; }", "line 2");
    check_damaged(PTX_HEAD ".entry k() { ret;", "line 4");
    check_damaged(PTX_HEAD ".entry k( { ret; }", "line 4");
    check_damaged(PTX_HEAD "/* open", "line 4");
    check_damaged(PTX_HEAD ".pragma \"open;", "line 4");
    check_damaged(PTX_HEAD ".global .u32 x", "line 4");
    check_damaged(PTX_HEAD ".entry k(.param .u32) { ret; }", "kernel 'k'");
    check_damaged(PTX_HEAD ".entry k(.param .b8 a[99999999999]) { ret; }", "kernel 'k'");
    check_damaged(PTX_HEAD ".entry k(.param .align 3 .b8 a[4]) { ret; }", "kernel 'k'");
    check_damaged(PTX_HEAD ".entry k() .maxntid x { ret; }", ".maxntid");
    check_damaged(PTX_HEAD ".entry k() {ret;}\n.entry k() {ret;}", "twice");
    check_damaged(PTX_HEAD ".global .u32 x[18446744073709551615];", "variable");
}

static void ignores_nuls_at_the_end_only(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD "\0\0";
    struct contents contents;
    assert_int_equal(ptx_read(text, sizeof(text), &contents), CUBINET_OK);
    contents_free(&contents);
    static const char broken[] = ".version 9.0\0\n.target sm_90\n";
    assert_int_equal(ptx_read(broken, sizeof(broken), &contents), CUBINET_ERROR_DAMAGED);
    static const char in_comment[] = PTX_HEAD "// \0\n.visible .entry k() {ret;}";
    assert_int_equal(ptx_read(in_comment, sizeof(in_comment), &contents), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "NUL"));
}

/* Reads a copy that a sanitizer sees the end of. Whether it is refused does not matter. */
static void read_copy(const char *text, size_t size)
{
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    struct contents contents;
    if (ptx_read(copy, size, &contents) == CUBINET_OK) {
        contents_free(&contents);
    }
    free(copy);
}

static void survives_every_truncation_and_byte(void **state)
{
    (void)state;
    char text[] = PTX_FIXTURE;
    static const char bytes[] = "\0\"/*#{}()[]<>,;.\\=9\xff";
    for (size_t at = 0; at < sizeof(text); at++) {
        read_copy(text, at);
        char kept = text[at];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            text[at] = bytes[i];
            read_copy(text, sizeof(text));
        }
        text[at] = kept;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_everything_of_what_nvrtc_writes),
        cmocka_unit_test(reads_targets_and_versions),
        cmocka_unit_test(reads_the_toolkit_before_the_version_only),
        cmocka_unit_test(lays_out_parameters),
        cmocka_unit_test(lays_out_parameters_of_large_alignment),
        cmocka_unit_test(reads_what_launches_must_keep_to),
        cmocka_unit_test(prototypes_and_functions_are_no_kernels),
        cmocka_unit_test(knows_shared_bytes_when_the_text_tells),
        cmocka_unit_test(sizes_variables),
        cmocka_unit_test(reads_several_variables_of_one_statement),
        cmocka_unit_test(refuses_what_is_no_ptx),
        cmocka_unit_test(ignores_nuls_at_the_end_only),
        cmocka_unit_test(survives_every_truncation_and_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
