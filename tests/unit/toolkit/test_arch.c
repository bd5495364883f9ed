/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/buffer.h"
#include "toolkit/arch.h"

#include <cubinet/status.h>

#include <stdlib.h>
#include <string.h>

/* What CUDA 13.0 makes. */
static int numbers[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
static const struct arch_supported supported = {numbers, COUNT(numbers), 13000};

static cubinet_status two_gpus(int *out_numbers, size_t capacity, size_t *out_count)
{
    assert_true(capacity >= 3);
    out_numbers[0] = 89;
    out_numbers[1] = 90;
    out_numbers[2] = 89;
    *out_count = 3;
    return CUBINET_OK;
}

/* A plan as text: "compute_80: sm_80 compute_80; compute_90a: sm_90a". */
static char *text_of(const struct arch_plan *plan)
{
    struct buffer text = {0};
    char name[CUBINET_TARGET_NAME_SIZE];
    for (size_t i = 0; i < plan->virtual_count; i++) {
        const struct arch_virtual *virtual = &plan->virtuals[i];
        buffer_printf(&text, "%s%s:", i ? "; " : "", cubinet_target_name(virtual->target, name));
        for (size_t j = 0; j < virtual->output_count; j++) {
            buffer_printf(&text, " %s", cubinet_target_name(virtual->outputs[j], name));
        }
    }
    return buffer_take(&text);
}

static void check_plan(struct arch_plan *plan, cubinet_status status, const char *spec, const char *expected)
{
    if (!expected) {
        if (status == CUBINET_OK) {
            fail_msg("'%s' was accepted", spec);
        }
        arch_plan_free(plan);
        return;
    }
    if (status != CUBINET_OK) {
        fail_msg("'%s' was refused: %s", spec, cubinet_error_message());
    }
    char *text = text_of(plan);
    if (strcmp(text, expected) != 0) {
        fail_msg("'%s' is '%s', not '%s'", spec, text, expected);
    }
    free(text);
    arch_plan_free(plan);
}

/* Compared with what nvcc 13.0 takes; NULL: refused. */
static const struct {
    const char *spec;
    const char *plan;
} gencodes[] = {
    {"arch=compute_80,code=sm_80", "compute_80: sm_80"},
    {"arch=compute_80,code=[sm_80,sm_86,compute_80]", "compute_80: sm_80 sm_86 compute_80"},
    {"arch=compute_80,code=\"sm_80,sm_86\"", "compute_80: sm_80 sm_86"},
    {"code=sm_80,arch=compute_80", "compute_80: sm_80"},
    {"arch=compute_80, code=sm_80", "compute_80: sm_80"},
    {"arch=compute_80,code=[sm_80,sm_80]", "compute_80: sm_80"},
    {"arch=compute_80,code=lto_80", "compute_80: lto_80"},
    {"arch=compute_80,code=lto_86", "compute_80: lto_86"},
    {"arch=compute_80,code=[lto_80,sm_80]", "compute_80: lto_80 sm_80"},
    {"arch=lto_80,code=lto_80", "compute_80: lto_80"},
    {"arch=compute_90,code=sm_90a", "compute_90: sm_90a"},
    {"arch=compute_90a,code=[sm_90a,compute_90a]", "compute_90a: sm_90a compute_90a"},
    {"arch=compute_100f,code=sm_100", "compute_100f: sm_100f"},
    {"arch=compute_100f,code=sm_100a", "compute_100f: sm_100a"},
    {"arch=compute_100f,code=sm_103", "compute_100f: sm_103f"},
    {"arch=compute_100f,code=[sm_103f,sm_103a]", "compute_100f: sm_103f sm_103a"},
    {"arch=compute_100,code=[sm_100f,sm_103f,sm_120a]", "compute_100: sm_100f sm_103f sm_120a"},
    {"arch=compute_120f,code=[sm_121,sm_121a]", "compute_120f: sm_121f sm_121a"},
    {"arch=compute_86,code=sm_87", "compute_86: sm_87"},
    {"arch=compute_75,code=sm_121", "compute_75: sm_121"},
    {"arch=compute_100a,code=lto_100a", "compute_100a: lto_100a"},
    {"arch=compute_100f,code=lto_100f", "compute_100f: lto_100f"},
    {"", NULL},
    {"arch=compute_80", NULL},
    {"code=sm_80", NULL},
    {"arch=compute_80,arch=compute_80,code=sm_80", NULL},
    {"arch=compute_80,code=[sm_80,sm_86", NULL},
    {"arch=compute_80,code=\"sm_80", NULL},
    {"arch=compute_80,code=sm_80,sm_86", NULL},
    {"arch=compute_80,code=[sm_80]x", NULL},
    {"arch=compute_80,code=[sm_80, sm_86]", NULL},
    {"arch=compute_80,code={sm_80,sm_86}", NULL},
    {"arch=compute_80,code='sm_80,sm_86'", NULL},
    {"arch=compute_80,code=[]", NULL},
    {"arch=compute_80,code=[sm_80,]", NULL},
    {"arch=sm_80,code=sm_80", NULL},
    {"arch=compute_90,code=sm_80", NULL},
    {"arch=compute_80,code=compute_86", NULL},
    {"arch=compute_80,code=compute_75", NULL},
    {"arch=compute_90a,code=sm_90", NULL},
    {"arch=compute_90a,code=compute_90", NULL},
    {"arch=compute_90a,code=sm_100", NULL},
    {"arch=compute_90a,code=sm_100a", NULL}, /* nvcc takes it, ptxas refuses the PTX */
    {"arch=compute_100a,code=sm_100f", NULL},
    {"arch=compute_100a,code=sm_103a", NULL}, /* as above */
    {"arch=compute_100f,code=[sm_110f]", NULL},
    {"arch=compute_100f,code=sm_120f", NULL},
    {"arch=compute_100f,code=compute_100", NULL},
    {"arch=compute_100f,code=lto_100", NULL},
    {"arch=compute_121f,code=sm_120f", NULL},
    {"arch=compute_103,code=sm_100", NULL},
};

static void reads_gencode_as_nvcc(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(gencodes); i++) {
        struct arch_plan plan = {0};
        cubinet_status status = arch_add_gencode(&plan, gencodes[i].spec);
        check_plan(&plan, status, gencodes[i].spec, gencodes[i].plan);
    }
}

static const struct {
    const char *words;
    const char *plan;
} words[] = {
    {"80", "compute_80: sm_80 compute_80"},
    {"80-real", "compute_80: sm_80"},
    {"80-virtual", "compute_80: compute_80"},
    {"80-lto", "compute_80: lto_80"},
    {"80-optix", "compute_80: optix_80"},
    {"80-real,80-optix,90a-optix", "compute_80: sm_80 optix_80; compute_90a: optix_90a"},
    {"90a", "compute_90a: sm_90a compute_90a"},
    {"100f-real", "compute_100f: sm_100f"},
    {"75-real;80-real,90", "compute_75: sm_75; compute_80: sm_80; compute_90: sm_90 compute_90"},
    {"80-real,80-virtual,80", "compute_80: sm_80 compute_80"},
    {"sm_80", "compute_80: sm_80 compute_80"},
    {"compute_80", "compute_80: compute_80"},
    {"lto_80", "compute_80: lto_80"},
    {"optix_80", "compute_80: optix_80"},
    {"native", "compute_89: sm_89; compute_90: sm_90"},
    {"all-major", "compute_75: sm_75; compute_80: sm_80; compute_90: sm_90; compute_100: sm_100; "
                  "compute_110: sm_110; compute_120: sm_120 compute_120"},
    {"portable", "compute_75: sm_75 compute_75; compute_80: sm_80; compute_90: sm_90; compute_100: sm_100; "
                 "compute_120: sm_120 compute_120"},
    {"all", "compute_75: sm_75; compute_80: sm_80; compute_86: sm_86; compute_87: sm_87; compute_88: sm_88; "
            "compute_89: sm_89; compute_90: sm_90; compute_100: sm_100; compute_103: sm_103; "
            "compute_110: sm_110; compute_120: sm_120 compute_120; compute_121: sm_121"},
    {"", NULL},
    {",", NULL},
    {"80-", NULL},
    {"80-Real", NULL},
    {"80-real-virtual", NULL},
    {"80b", NULL},
    {"-real", NULL},
    {"all-real", NULL},
    {"sm_", NULL},
    {"sm_8x", NULL},
    {"eighty", NULL},
    {"99999999999999999999999999999999999", NULL},
};

static void reads_words_as_cmake(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        struct arch_plan plan = {0};
        cubinet_status status = arch_add_words(&plan, words[i].words, &supported, two_gpus);
        check_plan(&plan, status, words[i].words, words[i].plan);
    }
}

static void takes_a_code_list_apart(void **state)
{
    (void)state;
    struct arch_plan plan = {0};
    cubinet_status status = arch_add_code(&plan, "compute_80", "sm_80,sm_86,compute_80");
    check_plan(&plan, status, "-code", "compute_80: sm_80 sm_86 compute_80");
    status = arch_add_code(&plan, "sm_80", "sm_80");
    check_plan(&plan, status, "-arch=sm_80 -code=sm_80", NULL);
}

static void merges_several_and_refuses_two_makers_of_one_image(void **state)
{
    (void)state;
    struct arch_plan plan = {0};
    assert_int_equal(arch_add_gencode(&plan, "arch=compute_80,code=sm_86"), CUBINET_OK);
    assert_int_equal(arch_add_gencode(&plan, "arch=compute_80,code=[sm_86,sm_89]"), CUBINET_OK);
    cubinet_status status = arch_add_gencode(&plan, "arch=compute_86,code=sm_86");
    assert_int_equal(status, CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(cubinet_error_message(),
                        "sm_86 is asked for twice: from compute_80 and from compute_86");
    check_plan(&plan, CUBINET_OK, "", "compute_80: sm_86 sm_89");
}

static void names_what_the_toolkit_makes_and_the_nearest(void **state)
{
    (void)state;
    struct arch_plan plan = {0};
    assert_int_equal(arch_add_gencode(&plan, "arch=compute_80,code=sm_88"), CUBINET_OK);
    assert_int_equal(arch_check(&plan, &supported), CUBINET_OK);
    assert_int_equal(arch_add_gencode(&plan, "arch=compute_80,code=sm_85"), CUBINET_OK);
    assert_int_equal(arch_check(&plan, &supported), CUBINET_ERROR_TOOLKIT);
    assert_string_equal(cubinet_error_message(),
                        "NVRTC of CUDA 13.0 can't make sm_85; it makes 75 80 86 87 88 89 90 100 103 110 120 "
                        "121; the nearest is sm_86");
    arch_plan_free(&plan);
}

static void names_the_release_that_makes_it(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        const char *said;
    } cases[] = {
        {"70", "the nearest is compute_75; CUDA 12 is the last that makes it: give that toolkit with "
               "--toolkit, or use two toolkits"},
        {"107", "the nearest is compute_110; CUDA 13.4 and later make it: give"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arch_plan plan = {0};
        assert_int_equal(arch_add_words(&plan, cases[i].word, &supported, two_gpus), CUBINET_OK);
        assert_int_equal(arch_check(&plan, &supported), CUBINET_ERROR_TOOLKIT);
        assert_non_null(strstr(cubinet_error_message(), cases[i].said));
        arch_plan_free(&plan);
    }
}

static void refuses_suffixes_that_do_not_exist(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int version;
        cubinet_status status;
    } cases[] = {
        {"90a", 13000, CUBINET_OK},
        {"90f", 13000, CUBINET_ERROR_INVALID_ARGUMENT},
        {"89a", 13000, CUBINET_ERROR_INVALID_ARGUMENT},
        {"100f", 13000, CUBINET_OK},
        {"100f", 12080, CUBINET_ERROR_TOOLKIT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arch_plan plan = {0};
        struct arch_supported of_version = {numbers, COUNT(numbers), cases[i].version};
        assert_int_equal(arch_add_words(&plan, cases[i].words, &of_version, two_gpus), CUBINET_OK);
        assert_int_equal(arch_check(&plan, &of_version), cases[i].status);
        arch_plan_free(&plan);
    }
}

static void wants_an_architecture(void **state)
{
    (void)state;
    struct arch_plan plan = {0};
    assert_int_equal(arch_check(&plan, &supported), CUBINET_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_gencode_as_nvcc),
        cmocka_unit_test(reads_words_as_cmake),
        cmocka_unit_test(takes_a_code_list_apart),
        cmocka_unit_test(merges_several_and_refuses_two_makers_of_one_image),
        cmocka_unit_test(names_what_the_toolkit_makes_and_the_nearest),
        cmocka_unit_test(names_the_release_that_makes_it),
        cmocka_unit_test(refuses_suffixes_that_do_not_exist),
        cmocka_unit_test(wants_an_architecture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
