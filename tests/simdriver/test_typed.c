/* SPDX-License-Identifier: Apache-2.0 */
/* Launches by the functions of a generated header, and by its function objects in C++: the values arrive, in
 * the order of the parameters. */
#include "test_typed.h"
#include "machine.h"
#include "unit.h"

#include "typed.h"

#include <cubinet/archive.h>

#include <string.h>

static const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};

struct fixture {
    cubinet_driver *driver;
    cubinet_archive *archive;
    cubinet_module *module;
};

static struct fixture start(void)
{
    struct fixture fixture = {.driver = machine_start("9.0", NULL, NULL)};
    assert_int_equal(cubinet_archive_open(TYPED_ARCHIVE, NULL, &fixture.archive), CUBINET_OK);
    fixture.module = machine_load(fixture.driver, fixture.archive, 0);
    return fixture;
}

static void stop(struct fixture *fixture)
{
    assert_int_equal(cubinet_module_unload(fixture->module), CUBINET_OK);
    cubinet_archive_close(fixture->archive);
    machine_stop(fixture->driver);
}

void typed_expect(const char *kernel, const struct typed_value *values, unsigned int count)
{
    struct simdriver_launch launch = simdriver_last_launch();
    assert_string_equal(launch.kernel, kernel);
    assert_int_equal(launch.arg_count, count);
    for (unsigned int i = 0; i < count; i++) {
        assert_int_equal(launch.arg_sizes[i], values[i].size);
        assert_memory_equal(launch.args[i], values[i].bytes, values[i].size);
    }
}

static float seven(void)
{
    return 7.0f;
}

static void launches_in_c(void **state)
{
    (void)state;
    struct fixture fixture = start();
    float data[4];
    const int offsets[] = {1};
    const int count = 3;
    struct typed_params params = {2.5f, 4, 1LL << 40};
    unsigned long long wide = 5;
    cubinet_kernel *scale = machine_kernel(fixture.module, TYPED_DEMO_SCALE);
    cubinet_kernel *mixed = machine_kernel(fixture.module, TYPED_DEMO_NS_MIXED);
    cubinet_kernel *segsum = machine_kernel(fixture.module, TYPED_DEMO_SEGSUM_FLOAT_INT_256_4);
    cubinet_kernel *saxpy = machine_kernel(fixture.module, TYPED_DEMO_SAXPY);
    cubinet_kernel *nothing = machine_kernel(fixture.module, TYPED_DEMO_NOTHING);

    assert_int_equal(typed_demo_scale(scale, &config, data + 1, seven(), count + 2), CUBINET_OK);
    typed_expect_scale(data + 1, 7.0f, 5);
    assert_int_equal(typed_demo_scale(scale, &config, NULL, 2.f, 'c'), CUBINET_OK);
    typed_expect_scale(NULL, 2.0f, 'c');
    cubinet_status (*function)(const cubinet_kernel *, const cubinet_launch_config *, float *, float, int) =
        typed_demo_scale;
    assert_int_equal(function(scale, &config, data, -1.0f, -2), CUBINET_OK);
    typed_expect_scale(data, -1.0f, -2);

    assert_int_equal(typed_demo_ns_mixed(mixed, &config, data, seven(), (bool)true, params, wide, &params),
                     CUBINET_OK);
    typed_expect_mixed(data, 7.0, true, params, 5, &params);
    assert_int_equal(typed_demo_segsum_float_int_256_4(segsum, &config, (const float *)data, offsets, data),
                     CUBINET_OK);
    typed_expect_segsum(data, offsets, data);
    assert_int_equal(typed_demo_saxpy(saxpy, &config, 2.f, (CUdeviceptr)0x1000, data, 3u), CUBINET_OK);
    typed_expect_saxpy(2.0f, 0x1000, data, 3);
    assert_int_equal(typed_demo_nothing(nothing, &config), CUBINET_OK);
    typed_expect(TYPED_DEMO_NOTHING, NULL, 0);
    stop(&fixture);
}

static void launches_in_cxx(void **state)
{
    (void)state;
    struct fixture fixture = start();
    typed_launch_functions(fixture.module, &config);
    typed_launch_objects(fixture.module, &config);
    stop(&fixture);
}

/* What a class holds is the kernel that it was bound to, and nothing before. */
static void refuses_what_is_not_bound(void **state)
{
    (void)state;
    struct fixture fixture = start();
    typed_launch_unbound(&config);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 0);
    stop(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_in_c),
        cmocka_unit_test(launches_in_cxx),
        cmocka_unit_test(refuses_what_is_not_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
