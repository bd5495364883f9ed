/* SPDX-License-Identifier: Apache-2.0 */
/* Flags that this version does not know, and reserved members that are not 0, are refused wherever options
 * are read: a later version may give them a meaning. */
#include "machine.h"
#include "unit.h"

#include <cubinet/cubinet.h>

#include <string.h>

enum { UNKNOWN = 1 << 30 };

struct setup {
    cubinet_driver *driver;
    cubinet_archive *archive;
    cubinet_module *module;
    cubinet_kernel *kernel;
};

static struct setup set_up(void)
{
    struct setup setup = {.driver = machine_start("9.0", NULL, NULL), .archive = machine_archive("sm_90", 0)};
    setup.module = machine_load(setup.driver, setup.archive, 0);
    setup.kernel = machine_kernel(setup.module, "scale");
    return setup;
}

static void tear_down(struct setup *setup)
{
    assert_int_equal(cubinet_module_unload(setup->module), CUBINET_OK);
    cubinet_archive_close(setup->archive);
    machine_stop(setup->driver);
}

static void expect_refused(cubinet_status status, const char *structure, bool is_reserved)
{
    assert_int_equal(status, CUBINET_ERROR_INVALID_ARGUMENT);
    const char *message = cubinet_error_message();
    assert_non_null(strstr(message, structure));
    assert_non_null(strstr(message, is_reserved ? "a reserved member is not 0" : "`flags` is 0x40000000"));
}

static void test_archives_and_selection(void **state)
{
    (void)state;
    struct setup setup = set_up();
    cubinet_catalog *catalog = NULL;
    uint32_t image = 77;
    for (int is_reserved = 0; is_reserved <= 1; is_reserved++) {
        uint32_t flags = is_reserved ? 0 : UNKNOWN;
        const cubinet_catalog_options options = {
            .size = sizeof(options), .flags = flags, .reserved = (uint32_t)is_reserved};
        expect_refused(cubinet_catalog_open("", &options, &catalog), "cubinet_catalog_options", is_reserved);
        const cubinet_device_profile device = {
            .size = sizeof(device), .flags = flags, .reserved = (uint32_t)is_reserved};
        expect_refused(cubinet_archive_select_image(setup.archive, 0, &device, NULL, &image),
                       "cubinet_device_profile", is_reserved);
    }
    const cubinet_device_profile device = {.size = sizeof(device), .compute_major = 9};
    const cubinet_policy policy = {.size = sizeof(policy), .flags = UNKNOWN};
    expect_refused(cubinet_archive_select_image(setup.archive, 0, &device, &policy, &image), "cubinet_policy",
                   false);
    assert_int_equal(image, 77);
    tear_down(&setup);
}

static void test_loads_and_links(void **state)
{
    (void)state;
    struct setup setup = set_up();
    cubinet_module_info module = {.size = sizeof(module)};
    assert_int_equal(cubinet_archive_get_module(setup.archive, 0, &module), CUBINET_OK);
    cubinet_module *loaded = NULL;
    cubinet_link *link = NULL;
    for (int is_reserved = 0; is_reserved <= 1; is_reserved++) {
        const cubinet_load_options options = {
            .size = sizeof(options), .flags = is_reserved ? 0 : UNKNOWN, .reserved = (uint32_t)is_reserved};
        expect_refused(cubinet_module_load(setup.driver, setup.archive, module.name, 0, &options, &loaded),
                       "cubinet_load_options", is_reserved);
    }
    const cubinet_link_options options = {.size = sizeof(options), .flags = UNKNOWN};
    expect_refused(cubinet_link_create(setup.driver, 0, &options, &link), "cubinet_link_options", false);
    assert_true(!loaded && !link);
    tear_down(&setup);
}

static void test_preloads(void **state)
{
    (void)state;
    struct setup setup = set_up();
    cubinet_preload *preload = NULL;
    const cubinet_preload_options options = {.size = sizeof(options), .flags = UNKNOWN};
    expect_refused(cubinet_preload_run(setup.driver, 0, NULL, 0, &options, &preload),
                   "cubinet_preload_options", false);
    for (int i = 0; i < 3; i++) {
        cubinet_preload_item item = {.archive = setup.archive};
        item.reserved[i] = 1ull << 63;
        expect_refused(cubinet_preload_run(setup.driver, 0, &item, 1, NULL, &preload), "cubinet_preload_item",
                       true);
    }
    assert_null(preload);
    tear_down(&setup);
}

static void test_launches(void **state)
{
    (void)state;
    struct setup setup = set_up();
    const uint64_t extent[3] = {1000};
    uint32_t blocks = 0;
    for (int is_reserved = 0; is_reserved <= 1; is_reserved++) {
        uint32_t flags = is_reserved ? 0 : UNKNOWN;
        cubinet_launch_config config = {
            .size = sizeof(config), .block = {32}, .flags = flags, .reserved = (uint32_t)is_reserved};
        expect_refused(cubinet_kernel_get_max_active_blocks(setup.kernel, &config, &blocks),
                       "cubinet_launch_config", is_reserved);
        config.grid[0] = 1;
        const cubinet_arg args[3] = {{&blocks, 8}, {&blocks, 4}, {&blocks, 4}};
        expect_refused(cubinet_kernel_launch(setup.kernel, &config, args, 3), "cubinet_launch_config",
                       is_reserved);
        const cubinet_suggest_options options = {
            .size = sizeof(options), .flags = flags, .reserved = (uint32_t)is_reserved};
        expect_refused(cubinet_kernel_suggest_launch(setup.kernel, extent, &options, &config, NULL),
                       "cubinet_suggest_options", is_reserved);
    }
    tear_down(&setup);
}

static void test_occupancy(void **state)
{
    (void)state;
    cubinet_device_limits limits = {.size = sizeof(limits)};
    cubinet_occupancy occupancy = {.size = sizeof(occupancy)};
    cubinet_kernel_resources resources = {.size = sizeof(resources), .registers = 32};
    assert_int_equal(cubinet_device_limits_of_compute(9, 0, &limits), CUBINET_OK);
    assert_int_equal(cubinet_occupancy_compute(&limits, &resources, 32, 0, &occupancy), CUBINET_OK);
    resources.reserved = 1;
    expect_refused(cubinet_occupancy_compute(&limits, &resources, 32, 0, &occupancy),
                   "cubinet_kernel_resources", true);
    resources.reserved = 0;
    limits.reserved = 1;
    expect_refused(cubinet_occupancy_compute(&limits, &resources, 32, 0, &occupancy), "cubinet_device_limits",
                   true);
    expect_refused(cubinet_device_limits_prefer_shared(&limits, 50), "cubinet_device_limits", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archives_and_selection),
        cmocka_unit_test(test_loads_and_links),
        cmocka_unit_test(test_preloads),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_occupancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
