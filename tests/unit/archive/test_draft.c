/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts of archives: order, merging, refusals. */
#include "unit.h"

#include "archive/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cubinet_target sm_80 = {CUBINET_IMAGE_CUBIN, 80, 0};
static const cubinet_target sm_90a = {CUBINET_IMAGE_CUBIN, 90, 'a'};
static const cubinet_target compute_80 = {CUBINET_IMAGE_PTX, 80, 0};

static cubinet_status add_image(struct draft_module *module, cubinet_target target, const char *bytes,
                                const struct contents *contents, const char *origin)
{
    unsigned char *data = (unsigned char *)strdup(bytes);
    assert_non_null(data);
    return draft_add_image(module, target, data, strlen(bytes), contents, origin, NULL);
}

static void modules_are_sorted_and_found_again(void **state)
{
    (void)state;
    static const char *const names[] = {"saxpy", "Zeta", "alpha", "saxpy", "", "alpha.2"};
    static const char *const expected[] = {"", "Zeta", "alpha", "alpha.2", "saxpy"};
    struct draft draft = {0};
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_string_equal(draft_module(&draft, names[i])->name, names[i]);
    }
    assert_int_equal(draft.module_count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_string_equal(draft.modules[i].name, expected[i]);
    }
    draft_free(&draft);
}

static void many_modules_stay_sorted(void **state)
{
    (void)state;
    enum { MANY = 300 };
    struct draft draft = {0};
    for (unsigned i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof(name), "m%03u",
                 i * 77 % MANY); /* 77 and 300 share no factor: each number once */
        assert_non_null(draft_module(&draft, name));
    }
    assert_int_equal(draft.module_count, MANY);
    for (size_t i = 1; i < MANY; i++) {
        assert_true(strcmp(draft.modules[i - 1].name, draft.modules[i].name) < 0);
    }
    draft_free(&draft);
}

static void images_are_in_the_archive_order(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    assert_int_equal(add_image(module, compute_80, "ptx", NULL, "a"), CUBINET_OK);
    assert_int_equal(add_image(module, sm_90a, "90a", NULL, "a"), CUBINET_OK);
    assert_int_equal(add_image(module, sm_80, "80", NULL, "a"), CUBINET_OK);
    assert_int_equal(module->image_count, 3);
    for (size_t i = 1; i < module->image_count; i++) {
        assert_true(cubinet_target_compare(module->images[i - 1].target, module->images[i].target) < 0);
    }
    draft_free(&draft);
}

static void equal_image_twice_is_one(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    assert_int_equal(add_image(module, sm_80, "same", NULL, "a.cubinet"), CUBINET_OK);
    assert_int_equal(add_image(module, sm_80, "same", NULL, "b.cubinet"), CUBINET_OK);
    assert_int_equal(module->image_count, 1);
    draft_free(&draft);
}

static void different_image_twice_names_both_origins(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    assert_int_equal(add_image(module, sm_80, "one", NULL, "a.cubinet"), CUBINET_OK);
    assert_int_equal(add_image(module, sm_80, "two", NULL, "b.cubinet"), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(cubinet_error_message(),
                        "module 'm' has two different images for sm_80: one from 'a.cubinet', one from "
                        "'b.cubinet'");
    draft_free(&draft);
}

static void contents_become_kernels_globals_and_uses(void **state)
{
    (void)state;
    struct contents contents = {.toolkit = 13000, .ptx_isa = 90};
    struct contents_kernel *kernel = contents_add_kernel(&contents, "zeta", 4);
    kernel->resources.registers = 32;
    *contents_add_param(kernel) = (cubinet_param){.offset = 0, .size = 8};
    *contents_add_param(kernel) = (cubinet_param){.offset = 8, .size = 4};
    contents_add_kernel(&contents, "alpha", 5);
    contents_add_global(&contents, "table", 5)->bytes = 64;

    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    assert_int_equal(add_image(module, sm_80, "80", &contents, "a"), CUBINET_OK);
    contents_free(&contents); /* the draft has copies */

    assert_int_equal(module->kernel_count, 2);
    assert_string_equal(module->kernels[0].name, "alpha");
    assert_string_equal(module->kernels[1].name, "zeta");
    assert_int_equal(module->global_count, 1);
    assert_int_equal(module->globals[0].bytes, 64);

    const struct draft_image *image = &module->images[0];
    assert_int_equal(image->toolkit, 13000);
    assert_int_equal(image->ptx_isa, 90);
    assert_int_equal(image->use_count, 2);
    const struct draft_use *zeta = &image->uses[1];
    assert_string_equal(zeta->kernel, "zeta");
    assert_int_equal(zeta->resources.registers, 32);
    assert_int_equal(zeta->resources.param_count, 2);
    assert_ptr_equal(zeta->resources.params, zeta->params);
    assert_int_equal(zeta->params[1].offset, 8);
    draft_free(&draft);
}

static void expression_reaches_a_kernel_that_is_there(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    assert_int_equal(draft_add_kernel(module, "_Z1fIiEvv", NULL), CUBINET_OK);
    assert_int_equal(draft_add_kernel(module, "_Z1fIiEvv", "f<int>"), CUBINET_OK);
    assert_int_equal(draft_add_kernel(module, "_Z1fIiEvv", NULL), CUBINET_OK);
    assert_int_equal(module->kernel_count, 1);
    assert_string_equal(module->kernels[0].expression, "f<int>");

    assert_int_equal(draft_add_kernel(module, "plain", "plain"), CUBINET_OK);
    assert_null(module->kernels[1].expression); /* says nothing that the name does not */
    draft_free(&draft);
}

static const char *settled(const char *first, const char *second, struct draft *draft)
{
    struct draft_module *module = draft_module(draft, first);
    assert_int_equal(draft_add_kernel(module, "_Z1f", first), CUBINET_OK);
    assert_int_equal(draft_add_kernel(module, "_Z1f", second), CUBINET_OK);
    return module->kernels[0].expression;
}

static void spelling_does_not_depend_on_the_order(void **state)
{
    (void)state;
    struct draft draft = {0};
    assert_string_equal(settled("f<int, 4>", "f<int,4>", &draft), "f<int, 4>");
    assert_string_equal(settled("f<int,4>", "f<int, 4>", &draft), "f<int, 4>");
    draft_free(&draft);
}

static void two_expressions_for_a_kernel_are_refused(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    assert_int_equal(draft_add_kernel(module, "_Z1fIfEvv", "f<float>"), CUBINET_OK);
    assert_int_equal(draft_add_kernel(module, "_Z1fIfEvv", "f<real>"), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "f<float>"));
    assert_non_null(strstr(cubinet_error_message(), "f<real>"));
    assert_string_equal(module->kernels[0].expression, "f<float>");
    draft_free(&draft);
}

static void global_keeps_its_largest_size(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    assert_int_equal(draft_add_global(module, "table", NULL, 64, 0), CUBINET_OK);
    assert_int_equal(draft_add_global(module, "table", "&table", 128, CUBINET_GLOBAL_CONSTANT), CUBINET_OK);
    assert_int_equal(draft_add_global(module, "table", NULL, 0, 0), CUBINET_OK);
    assert_int_equal(module->global_count, 1);
    assert_int_equal(module->globals[0].bytes, 128);
    assert_int_equal(module->globals[0].flags, CUBINET_GLOBAL_CONSTANT);
    assert_string_equal(module->globals[0].expression, "&table");
    draft_free(&draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_are_sorted_and_found_again),
        cmocka_unit_test(many_modules_stay_sorted),
        cmocka_unit_test(images_are_in_the_archive_order),
        cmocka_unit_test(equal_image_twice_is_one),
        cmocka_unit_test(different_image_twice_names_both_origins),
        cmocka_unit_test(contents_become_kernels_globals_and_uses),
        cmocka_unit_test(expression_reaches_a_kernel_that_is_there),
        cmocka_unit_test(spelling_does_not_depend_on_the_order),
        cmocka_unit_test(two_expressions_for_a_kernel_are_refused),
        cmocka_unit_test(global_keeps_its_largest_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
