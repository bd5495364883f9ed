/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of launches: each as the driver would be given it. */
#include "launch_setup.h"

static CUdeviceptr address = 0x1234;

static cubinet_status launch(const struct setup *setup, const cubinet_launch_config *config)
{
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    return cubinet_kernel_launch(machine_kernel(setup->module, "tile"), config, args, 1);
}

static CUevent event(unsigned int number)
{
    return (CUevent)(uintptr_t)number;
}

static cubinet_status launch_with(const struct setup *setup, const cubinet_launch_attributes *attributes)
{
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {8}, .block = {32}, .attributes = attributes};
    return launch(setup, &config);
}

static void expect_refused(const struct setup *setup, const cubinet_launch_attributes *attributes,
                           const char *message)
{
    unsigned int before = simdriver_calls("cuLaunchKernelEx");
    assert_int_equal(launch_with(setup, attributes), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message(message);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), before);
}

static void test_gives_none_without_any(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    const cubinet_launch_attributes none = {.size = sizeof(none)};
    assert_int_equal(launch_with(&setup, NULL), CUBINET_OK);
    assert_int_equal(simdriver_last_launch().attribute_count, 0);
    unsigned int calls = simdriver_calls(NULL);
    assert_int_equal(launch_with(&setup, NULL), CUBINET_OK);
    unsigned int of_plain = simdriver_calls(NULL) - calls;
    assert_int_equal(launch_with(&setup, &none), CUBINET_OK);
    assert_int_equal(simdriver_last_launch().attribute_count, 0);
    assert_int_equal(simdriver_calls(NULL) - calls, 2 * of_plain);
    tear_down(&setup);
}

static void test_gives_every_attribute(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cbn_cu_launch_attribute carve_out = {.id = CBN_CU_LAUNCH_PREFERRED_SHARED_MEMORY_CARVEOUT};
    carve_out.value.bytes[0] = 50;
    const cubinet_launch_attributes attributes = {
        .size = sizeof(attributes),
        .flags = CUBINET_ATTRIBUTE_TRIGGER_AT_START | CUBINET_ATTRIBUTE_PRIORITY |
                 CUBINET_ATTRIBUTE_MEMORY_DOMAIN | CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP,
        .priority = -3,
        .programmatic_event = event(0x77),
        .completion_event = event(0x88),
        .programmatic_event_flags = 1,
        .completion_event_flags = 2,
        .cluster_scheduling = CUBINET_CLUSTERS_BALANCED,
        .memory_domain = CUBINET_DOMAIN_REMOTE,
        .memory_domain_map = {2, 3},
        .preferred_cluster = {4},
        .driver_attribute_count = 1,
        .driver_attributes = &carve_out,
    };
    const cubinet_launch_config config = {
        .size = sizeof(config),
        .grid = {8},
        .block = {32},
        .cluster = {2},
        .flags = CUBINET_LAUNCH_COOPERATIVE | CUBINET_LAUNCH_PROGRAMMATIC | CUBINET_LAUNCH_WITHOUT_WAIT,
        .attributes = &attributes,
    };
    assert_int_equal(launch(&setup, &config), CUBINET_OK);
    const struct simdriver_launch seen = simdriver_last_launch();
    assert_int_equal(seen.attribute_count, 11);
    assert_int_equal(attribute_of(&seen, CBN_CU_LAUNCH_COOPERATIVE).cooperative, 1);
    assert_int_equal(attribute_of(&seen, CBN_CU_LAUNCH_CLUSTER_DIMENSION).cluster.x, 2);
    assert_int_equal(
        attribute_of(&seen, CBN_CU_LAUNCH_PROGRAMMATIC_STREAM_SERIALIZATION).programmatic_serialization, 1);
    cbn_cu_launch_value value = attribute_of(&seen, CBN_CU_LAUNCH_PROGRAMMATIC_EVENT);
    assert_ptr_equal(value.programmatic_event.event, event(0x77));
    assert_int_equal(value.programmatic_event.flags, 1);
    assert_int_equal(value.programmatic_event.at_block_start, 1);
    value = attribute_of(&seen, CBN_CU_LAUNCH_LAUNCH_COMPLETION_EVENT);
    assert_ptr_equal(value.completion_event.event, event(0x88));
    assert_int_equal(value.completion_event.flags, 2);
    value = attribute_of(&seen, CBN_CU_LAUNCH_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
    assert_int_equal(value.cluster_scheduling, 2);
    assert_int_equal(attribute_of(&seen, CBN_CU_LAUNCH_PRIORITY).priority, -3);
    assert_int_equal(attribute_of(&seen, CBN_CU_LAUNCH_MEM_SYNC_DOMAIN).domain, 1);
    value = attribute_of(&seen, CBN_CU_LAUNCH_MEM_SYNC_DOMAIN_MAP);
    assert_int_equal(value.domain_map.default_domain, 2);
    assert_int_equal(value.domain_map.remote_domain, 3);
    value = attribute_of(&seen, CBN_CU_LAUNCH_PREFERRED_CLUSTER_DIMENSION);
    assert_int_equal(value.cluster.x, 4);
    assert_int_equal(value.cluster.y, 1);
    assert_int_equal(value.cluster.z, 1);
    assert_int_equal(attribute_of(&seen, CBN_CU_LAUNCH_PREFERRED_SHARED_MEMORY_CARVEOUT).bytes[0], 50);
    tear_down(&setup);
}

static void test_gives_values_that_are_zero(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    const cubinet_launch_attributes attributes = {
        .size = sizeof(attributes),
        .flags = CUBINET_ATTRIBUTE_PRIORITY | CUBINET_ATTRIBUTE_MEMORY_DOMAIN |
                 CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP,
        .programmatic_event = event(0x77),
    };
    assert_int_equal(launch_with(&setup, &attributes), CUBINET_OK);
    const struct simdriver_launch seen = simdriver_last_launch();
    assert_int_equal(seen.attribute_count, 4);
    assert_int_equal(attribute_of(&seen, CBN_CU_LAUNCH_PRIORITY).priority, 0);
    assert_int_equal(attribute_of(&seen, CBN_CU_LAUNCH_MEM_SYNC_DOMAIN).domain, 0);
    assert_int_equal(attribute_of(&seen, CBN_CU_LAUNCH_PROGRAMMATIC_EVENT).programmatic_event.at_block_start,
                     0);
    tear_down(&setup);
}

static void test_refuses_what_does_not_count(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraphDeviceNode node = NULL;
    const struct {
        cubinet_launch_attributes attributes;
        const char *message;
    } cases[] = {
        {{.flags = 1 << 20}, "this version of the library knows the bits"},
        {{.priority = 1}, "a priority, and not the flag"},
        {{.memory_domain = 1}, "a memory domain, and not the flag"},
        {{.memory_domain_map = {1}}, "a map of memory domains, and not the flag"},
        {{.memory_domain_map = {0, 1}}, "a map of memory domains, and not the flag"},
        {{.programmatic_event_flags = 1}, "programmatic_event is NULL"},
        {{.flags = CUBINET_ATTRIBUTE_TRIGGER_AT_START}, "programmatic_event is NULL"},
        {{.completion_event_flags = 1}, "completion_event is NULL"},
        {{.out_device_node = &node}, "an out_device_node, and not the flag"},
        {{.cluster_scheduling = 3}, "none of cubinet_cluster_scheduling"},
        {{.flags = CUBINET_ATTRIBUTE_MEMORY_DOMAIN, .memory_domain = 2}, "none of cubinet_memory_domain"},
        {{.flags = CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP, .memory_domain_map = {256}}, "above 255"},
        {{.flags = CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP, .memory_domain_map = {0, 256}}, "above 255"},
        {{.driver_attribute_count = 17}, "more than 16"},
        {{.driver_attribute_count = 1}, "driver_attributes is NULL"},
        {{.preferred_cluster = {2}}, "a preferred cluster needs a cluster"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        cubinet_launch_attributes attributes = cases[i].attributes;
        attributes.size = sizeof(attributes);
        expect_refused(&setup, &attributes, cases[i].message);
    }
    const cubinet_launch_attributes without_size = {.flags = 0};
    expect_refused(&setup, &without_size, "`size` is not set");
    for (unsigned int id = 0; id < 20; id++) {
        const cbn_cu_launch_attribute own = {.id = id};
        const cubinet_launch_attributes attributes = {
            .size = sizeof(attributes), .driver_attribute_count = 1, .driver_attributes = &own};
        if (id == 2 || (id >= 4 && id <= 13)) {
            expect_refused(&setup, &attributes, "have a member: set that");
        } else if (id != 3 && id <= 16) {
            assert_int_equal(launch_with(&setup, &attributes), CUBINET_OK);
        }
    }
    tear_down(&setup);
}

static void test_refuses_preferred_clusters(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_launch_attributes attributes = {.size = sizeof(attributes), .preferred_cluster = {3}};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {12}, .block = {32}, .cluster = {2}, .attributes = &attributes};
    assert_int_equal(launch(&setup, &config), CUBINET_ERROR_LIMIT);
    expect_message(
        "preferred cluster dimension x is 3, which must be a multiple of the cluster's 2 and divide "
        "the grid's 12");
    attributes.preferred_cluster[0] = 8;
    assert_int_equal(launch(&setup, &config), CUBINET_ERROR_LIMIT);
    attributes.preferred_cluster[0] = 4;
    assert_int_equal(launch(&setup, &config), CUBINET_OK);
    tear_down(&setup);
}

static void test_says_which_driver_has_them(void **state)
{
    (void)state;
    static const struct {
        cubinet_launch_attributes attributes;
        int since;
        const char *message;
    } cases[] = {
        {{.completion_event = (CUevent)1},
         12030,
         "a launch-completion event needs a driver for CUDA 12.3 or later; this one is for 12.2"},
        {{.flags = CUBINET_ATTRIBUTE_DEVICE_UPDATABLE}, 12040, "a node that kernels update needs a driver"},
        {{.preferred_cluster = {2}}, 12080, "a preferred cluster needs a driver for CUDA 12.8 or later"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct setup setup = set_up_release("9.0", "compute_80", cases[i].since - 10);
        cubinet_launch_attributes attributes = cases[i].attributes;
        attributes.size = sizeof(attributes);
        assert_int_equal(launch_with(&setup, &attributes), CUBINET_ERROR_DRIVER_TOO_OLD);
        expect_message(cases[i].message);
        tear_down(&setup);
    }
}

static void test_reads_configs_and_attributes_of_other_versions(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    cubinet_launch_attributes attributes = {.size = offsetof(cubinet_launch_attributes, programmatic_event),
                                            .flags = CUBINET_ATTRIBUTE_PRIORITY,
                                            .priority = 5,
                                            .programmatic_event = event(1)};
    cubinet_launch_config config = {
        .size = sizeof(config), .grid = {1}, .block = {32}, .attributes = &attributes};
    assert_int_equal(launch(&setup, &config), CUBINET_OK);
    assert_int_equal(simdriver_last_launch().attribute_count, 1);
    config.size = offsetof(cubinet_launch_config, attributes);
    assert_int_equal(launch(&setup, &config), CUBINET_OK);
    assert_int_equal(simdriver_last_launch().attribute_count, 0);
    /* No occupancy depends on them. */
    uint32_t blocks = 0;
    config.size = sizeof(config);
    attributes.size = 0;
    assert_int_equal(
        cubinet_kernel_get_max_active_blocks(machine_kernel(setup.module, "tile"), &config, &blocks),
        CUBINET_OK);
    tear_down(&setup);
}

static void test_captures_nodes_that_kernels_update(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraphDeviceNode node = NULL;
    const cubinet_launch_attributes attributes = {
        .size = sizeof(attributes),
        .flags = CUBINET_ATTRIBUTE_DEVICE_UPDATABLE,
        .out_device_node = &node,
    };
    const cubinet_launch_config config = {.size = sizeof(config),
                                          .grid = {1},
                                          .block = {32},
                                          .stream = (CUstream)(uintptr_t)0x55,
                                          .attributes = &attributes};
    assert_int_equal(launch(&setup, &config), CUBINET_ERROR_DRIVER); /* which says why */
    assert_null(node);
    simdriver_begin_capture(config.stream);
    assert_int_equal(launch(&setup, &config), CUBINET_OK);
    CUgraph graph = simdriver_end_capture();
    assert_non_null(node);
    assert_int_equal(simdriver_node_count(graph), 1);
    tear_down(&setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gives_none_without_any),
        cmocka_unit_test(test_gives_every_attribute),
        cmocka_unit_test(test_gives_values_that_are_zero),
        cmocka_unit_test(test_refuses_what_does_not_count),
        cmocka_unit_test(test_refuses_preferred_clusters),
        cmocka_unit_test(test_says_which_driver_has_them),
        cmocka_unit_test(test_reads_configs_and_attributes_of_other_versions),
        cmocka_unit_test(test_captures_nodes_that_kernels_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
