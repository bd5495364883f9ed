/* SPDX-License-Identifier: Apache-2.0 */
/* Policies: the program's, the environment's, and both. */
#include "loader/core/select/policy.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static int clear_environment(void **state)
{
    (void)state;
    return unsetenv("CUBINET_FORBID_JIT") || unsetenv("CUBINET_FORCE_PTX") ||
           unsetenv("CUBINET_PREFER_LTOIR") || unsetenv("CUBINET_ONLY");
}

static void is_the_default_if_nobody_asks(void **state)
{
    (void)state;
    setenv("CUBINET_FORBID_JIT", "", 1);
    setenv("CUBINET_FORCE_PTX", "0", 1);
    setenv("CUBINET_ONLY", "", 1);
    cubinet_policy policy;
    assert_int_equal(cbn_policy_resolve(NULL, &policy), CUBINET_OK);
    assert_int_equal(policy.size, sizeof(policy));
    assert_false(policy.flags & CUBINET_POLICY_FORBID_JIT);
    assert_false(policy.flags & CUBINET_POLICY_FORCE_PTX);
    assert_false(policy.flags & CUBINET_POLICY_PREFER_LTOIR);
    assert_null(policy.only);
}

static void takes_the_environments(void **state)
{
    (void)state;
    setenv("CUBINET_FORBID_JIT", "1", 1);
    setenv("CUBINET_FORCE_PTX", "1", 1);
    setenv("CUBINET_PREFER_LTOIR", "1", 1);
    setenv("CUBINET_ONLY", "compute_80", 1);
    cubinet_policy policy;
    assert_int_equal(cbn_policy_from_environment(&policy), CUBINET_OK);
    assert_true(policy.flags & CUBINET_POLICY_FORBID_JIT);
    assert_true(policy.flags & CUBINET_POLICY_FORCE_PTX);
    assert_true(policy.flags & CUBINET_POLICY_PREFER_LTOIR);
    assert_string_equal(policy.only, "compute_80");
}

static void combines_both(void **state)
{
    (void)state;
    cubinet_policy program = {.size = sizeof(program), .flags = CUBINET_POLICY_FORBID_JIT, .only = "sm_80"};
    cubinet_policy policy;
    setenv("CUBINET_FORBID_JIT", "0", 1); /* undoes nothing */
    setenv("CUBINET_PREFER_LTOIR", "1", 1);
    assert_int_equal(cbn_policy_resolve(&program, &policy), CUBINET_OK);
    assert_true(policy.flags & CUBINET_POLICY_FORBID_JIT);
    assert_false(policy.flags & CUBINET_POLICY_FORCE_PTX);
    assert_true(policy.flags & CUBINET_POLICY_PREFER_LTOIR);
    assert_string_equal(policy.only, "sm_80");
    setenv("CUBINET_ONLY", "sm_90", 1);
    assert_int_equal(cbn_policy_resolve(&program, &policy), CUBINET_OK);
    assert_string_equal(policy.only, "sm_90");
}

static void refuses_kinds_that_are_not_loaded(void **state)
{
    (void)state;
    cubinet_policy program = {.size = sizeof(program), .kind = CUBINET_IMAGE_TILEIR};
    cubinet_policy policy;
    assert_int_equal(cbn_policy_resolve(&program, &policy), CUBINET_OK);
    assert_int_equal(policy.kind, CUBINET_IMAGE_TILEIR);
    program.kind = CUBINET_IMAGE_OPTIXIR;
    assert_int_equal(cbn_policy_read(&program, &policy), CUBINET_OK);
    assert_int_equal(cbn_policy_resolve(&program, &policy), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "cubinet_archive_select_image()"));
    program.kind = (cubinet_image_kind)(CUBINET_IMAGE_OPTIXIR + 1);
    assert_int_equal(cbn_policy_read(&program, &policy), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(cubinet_error_message(), "cubinet_policy: `kind` is 6, which is not a kind of image");
}

static void refuses_what_it_cannot_mean(void **state)
{
    (void)state;
    cubinet_policy policy = {.flags = 42};
    setenv("CUBINET_FORCE_PTX", "yes", 1);
    assert_int_equal(cbn_policy_resolve(NULL, &policy), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(cubinet_error_message(), "the variable CUBINET_FORCE_PTX is 'yes'; it can be 0 or 1");
    setenv("CUBINET_ONLY", "hopper", 1);
    assert_int_equal(cbn_policy_resolve(NULL, &policy), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(cubinet_error_message(),
                        "the variable CUBINET_ONLY is 'hopper', which is not a target; targets "
                        "look like sm_90a, compute_80 and lto_75");
    clear_environment(state);
    cubinet_policy program = {.size = sizeof(program), .only = "90"};
    assert_int_equal(cbn_policy_resolve(&program, &policy), CUBINET_ERROR_INVALID_ARGUMENT);
    program = (cubinet_policy){.size = 0};
    assert_int_equal(cbn_policy_resolve(&program, &policy), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(policy.flags, 42); /* untouched */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(is_the_default_if_nobody_asks, clear_environment, clear_environment),
        cmocka_unit_test_setup_teardown(takes_the_environments, clear_environment, clear_environment),
        cmocka_unit_test_setup_teardown(combines_both, clear_environment, clear_environment),
        cmocka_unit_test_setup_teardown(refuses_kinds_that_are_not_loaded, clear_environment,
                                        clear_environment),
        cmocka_unit_test_setup_teardown(refuses_what_it_cannot_mean, clear_environment, clear_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
