/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as nodes of graphs: added, updated, captured, and modules that stay loaded for them. */
#include "image/contents.h"
#include "launch_setup.h"
#include "loader/driver/driver.h"

static CUdeviceptr address = 0x1234;

static const cubinet_launch_config plain = {.size = sizeof(plain), .grid = {4}, .block = {32}};

static cubinet_status add(const struct setup *setup, CUgraph graph, const CUgraphNode *before, size_t count,
                          const cubinet_launch_config *config, CUgraphNode *out_node)
{
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    return cubinet_kernel_add_node(machine_kernel(setup->module, "tile"), graph, before, count, config, args,
                                   1, out_node);
}

static cubinet_status update(const struct setup *setup, CUgraphNode node, CUdeviceptr data,
                             const cubinet_launch_config *config)
{
    const cubinet_arg args[] = {CUBINET_ARG(data)};
    return cubinet_kernel_update_node(machine_kernel(setup->module, "tile"), node, config, args, 1);
}

static cubinet_status update_exec(const struct setup *setup, CUgraphExec exec, CUgraphNode node,
                                  CUdeviceptr data, const cubinet_launch_config *config)
{
    const cubinet_arg args[] = {CUBINET_ARG(data)};
    return cubinet_kernel_update_exec_node(machine_kernel(setup->module, "tile"), exec, node, config, args,
                                           1);
}

static void expect_data(const struct simdriver_launch *launch, CUdeviceptr data)
{
    assert_memory_equal(launch->args[0], &data, sizeof(data));
}

static void test_adds_nodes(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraph graph = simdriver_create_graph();
    CUgraphNode nodes[3] = {NULL};
    assert_int_equal(add(&setup, graph, NULL, 0, &plain, &nodes[0]), CUBINET_OK);
    assert_int_equal(add(&setup, graph, nodes, 1, &plain, &nodes[1]), CUBINET_OK);
    assert_int_equal(add(&setup, graph, nodes, 2, &plain, &nodes[2]), CUBINET_OK);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), 0);
    assert_int_equal(simdriver_node_count(graph), 3);
    const struct simdriver_node last = simdriver_node_of(graph, 2);
    assert_ptr_equal(last.handle, nodes[2]);
    assert_int_equal(last.edge_count, 2);
    assert_ptr_equal(last.before[0], nodes[0]);
    assert_ptr_equal(last.before[1], nodes[1]);
    assert_false(last.programmatic[0]);
    assert_string_equal(last.launch.kernel, "tile");
    assert_int_equal(last.launch.grid[0], 4);
    assert_ptr_equal(last.launch.context, cubinet_module_get_context(setup.module));
    expect_data(&last.launch, address);
    CUgraphExec exec = simdriver_instantiate(graph);
    assert_int_equal(simdriver_launch_graph(exec), 3);
    machine_expect_current(NULL);
    tear_down(&setup);
}

static void test_nodes_have_attributes(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraph graph = simdriver_create_graph();
    CUgraphNode node = NULL;
    CUgraphDeviceNode device_node = NULL;
    const cubinet_launch_attributes attributes = {
        .size = sizeof(attributes),
        .flags = CUBINET_ATTRIBUTE_PRIORITY | CUBINET_ATTRIBUTE_MEMORY_DOMAIN |
                 CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP | CUBINET_ATTRIBUTE_DEVICE_UPDATABLE,
        .priority = -1,
        .memory_domain = CUBINET_DOMAIN_REMOTE,
        .memory_domain_map = {0, 1},
        .cluster_scheduling = CUBINET_CLUSTERS_SPREAD,
        .preferred_cluster = {4},
        .out_device_node = &device_node,
    };
    cubinet_launch_config config = plain;
    config.cluster[0] = 2;
    config.flags = CUBINET_LAUNCH_COOPERATIVE;
    config.attributes = &attributes;
    assert_int_equal(add(&setup, graph, NULL, 0, &config, &node), CUBINET_OK);
    const struct simdriver_node seen = simdriver_node_of(graph, 0);
    assert_int_equal(seen.launch.attribute_count, 8);
    assert_true(seen.launch.cooperative);
    assert_int_equal(seen.launch.cluster[0], 2);
    assert_int_equal(attribute_of(&seen.launch, CBN_CU_LAUNCH_PRIORITY).priority, -1);
    assert_int_equal(attribute_of(&seen.launch, CBN_CU_LAUNCH_MEM_SYNC_DOMAIN).domain, 1);
    assert_int_equal(attribute_of(&seen.launch, CBN_CU_LAUNCH_PREFERRED_CLUSTER_DIMENSION).cluster.x, 4);
    assert_non_null(device_node);
    tear_down(&setup);
}

static void test_programmatic_edges(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraph graph = simdriver_create_graph();
    CUgraphNode nodes[3] = {NULL};
    cubinet_launch_config config = plain;
    assert_int_equal(add(&setup, graph, NULL, 0, &plain, &nodes[0]), CUBINET_OK);
    assert_int_equal(add(&setup, graph, NULL, 0, &plain, &nodes[1]), CUBINET_OK);
    config.flags = CUBINET_LAUNCH_PROGRAMMATIC | CUBINET_LAUNCH_WITHOUT_WAIT;
    assert_int_equal(add(&setup, graph, nodes, 2, &config, &nodes[2]), CUBINET_OK);
    const struct simdriver_node last = simdriver_node_of(graph, 2);
    assert_int_equal(last.edge_count, 2);
    assert_true(last.programmatic[0]);
    assert_true(last.programmatic[1]);
    assert_int_equal(last.launch.attribute_count, 0);
    /* A failure leaves no node. */
    simdriver_fail("cuGraphAddDependencies", 2, CBN_CU_INVALID_VALUE, false);
    assert_int_equal(add(&setup, graph, nodes, 2, &config, &nodes[2]), CUBINET_ERROR_DRIVER);
    expect_message("adding programmatic edges for kernel 'tile'");
    assert_int_equal(simdriver_node_count(graph), 3);
    tear_down(&setup);
}

static void test_refuses_what_no_node_has(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraph graph = simdriver_create_graph();
    CUgraphNode node = NULL;
    cubinet_launch_attributes attributes = {.size = sizeof(attributes), .completion_event = (CUevent)1};
    cubinet_launch_config config = plain;
    config.attributes = &attributes;
    assert_int_equal(add(&setup, graph, NULL, 0, &config, &node), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("a graph node has no events");
    attributes = (cubinet_launch_attributes){.size = sizeof(attributes), .programmatic_event = (CUevent)1};
    assert_int_equal(add(&setup, graph, NULL, 0, &config, &node), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(add(&setup, NULL, NULL, 0, &plain, &node), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("graph is NULL");
    assert_int_equal(add(&setup, graph, NULL, 1, &plain, &node), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("dependencies is NULL");
    assert_int_equal(add(&setup, graph, NULL, 0, &plain, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("out_node is NULL");
    assert_int_equal(add(&setup, graph, NULL, 0, NULL, &node), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("cubinet_kernel_add_node: config is NULL");
    assert_int_equal(update(&setup, NULL, address, &plain), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(update_exec(&setup, NULL, NULL, address, &plain), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("exec is NULL");
    config = plain;
    config.block[0] = 512;
    assert_int_equal(add(&setup, graph, NULL, 0, &config, &node), CUBINET_ERROR_LIMIT);
    assert_int_equal(simdriver_node_count(graph), 0);
    assert_null(node);
    tear_down(&setup);
}

static void test_a_failure_leaves_no_node(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraph graph = simdriver_create_graph();
    CUgraphNode node = NULL;
    cubinet_launch_config config = plain;
    config.flags = CUBINET_LAUNCH_COOPERATIVE;
    simdriver_fail("cuGraphKernelNodeSetAttribute", 1, CBN_CU_INVALID_VALUE, false);
    assert_int_equal(add(&setup, graph, NULL, 0, &config, &node), CUBINET_ERROR_DRIVER);
    simdriver_fail("cuGraphAddKernelNode", 1, CBN_CU_INVALID_VALUE, false);
    assert_int_equal(add(&setup, graph, NULL, 0, &config, &node), CUBINET_ERROR_DRIVER);
    expect_message("cuGraphAddKernelNode for kernel 'tile'");
    assert_int_equal(simdriver_node_count(graph), 0);
    tear_down(&setup);
}

/* It may return the fault of an earlier launch: by then this one is made. */
static void test_leaving_the_context_undoes_nothing(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraph graph = simdriver_create_graph();
    CUgraphNode node = NULL;
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    const unsigned int before = simdriver_calls("cuCtxPopCurrent");
    simdriver_fail("cuCtxPopCurrent", 1, CBN_CU_ILLEGAL_ADDRESS, true);
    assert_int_equal(add(&setup, graph, NULL, 0, &plain, &node), CUBINET_OK);
    assert_non_null(node);
    assert_int_equal(update(&setup, node, 0x5678, &plain), CUBINET_OK);
    assert_int_equal(cubinet_kernel_launch(machine_kernel(setup.module, "tile"), &plain, args, 1),
                     CUBINET_OK);
    assert_int_equal(simdriver_calls("cuCtxPopCurrent"), before + 3);
    simdriver_fail_none();
    assert_int_equal(simdriver_node_count(graph), 1);
    tear_down(&setup);
}

static void test_updates_nodes(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraph graph = simdriver_create_graph();
    CUgraphNode node = NULL;
    cubinet_launch_config config = plain;
    config.flags = CUBINET_LAUNCH_COOPERATIVE;
    assert_int_equal(add(&setup, graph, NULL, 0, &config, &node), CUBINET_OK);
    const cubinet_launch_attributes attributes = {
        .size = sizeof(attributes), .flags = CUBINET_ATTRIBUTE_PRIORITY, .priority = -2};
    config = plain;
    config.grid[0] = 7;
    config.attributes = &attributes;
    assert_int_equal(update(&setup, node, 0x5678, &config), CUBINET_OK);
    struct simdriver_node seen = simdriver_node_of(graph, 0);
    assert_int_equal(seen.launch.grid[0], 7);
    assert_false(seen.launch.cooperative);
    assert_int_equal(attribute_of(&seen.launch, CBN_CU_LAUNCH_PRIORITY).priority, -2);
    expect_data(&seen.launch, 0x5678);
    simdriver_fail("cuGraphKernelNodeSetParams", 1, CBN_CU_INVALID_VALUE, false);
    assert_int_equal(update(&setup, node, 0x5678, &config), CUBINET_ERROR_DRIVER);
    tear_down(&setup);
}

/* As measured: the driver refuses parameters that do not suit the cluster that a node has. */
static void test_updates_replace_the_cluster(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraph graph = simdriver_create_graph();
    CUgraphNode node = NULL;
    cubinet_launch_config clustered = plain;
    clustered.cluster[0] = 4;
    clustered.flags = CUBINET_LAUNCH_COOPERATIVE;
    assert_int_equal(add(&setup, graph, NULL, 0, &clustered, &node), CUBINET_OK);
    cubinet_launch_config config = plain;
    config.grid[0] = 5;
    simdriver_fail("cuGraphKernelNodeSetParams", 1, CBN_CU_INVALID_VALUE, false);
    assert_int_equal(update(&setup, node, address, &config), CUBINET_ERROR_DRIVER);
    expect_message("cuGraphKernelNodeSetParams for kernel 'tile'");
    struct simdriver_node seen = simdriver_node_of(graph, 0);
    assert_int_equal(seen.launch.cluster[0], 4); /* as it was */
    assert_true(seen.launch.cooperative);
    assert_int_equal(update(&setup, node, address, &config), CUBINET_OK);
    seen = simdriver_node_of(graph, 0);
    assert_int_equal(seen.launch.grid[0], 5);
    assert_int_equal(seen.launch.cluster[0], 0);
    assert_false(seen.launch.cooperative);
    config.grid[0] = 6;
    config.cluster[0] = 3;
    assert_int_equal(update(&setup, node, address, &config), CUBINET_OK);
    assert_int_equal(simdriver_node_of(graph, 0).launch.cluster[0], 3);
    /* A kernel with a cluster of its own. */
    const cubinet_kernel *other = machine_kernel(setup.module, "clustered");
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    assert_int_equal(cubinet_kernel_update_node(other, node, &plain, args, 1), CUBINET_OK);
    seen = simdriver_node_of(graph, 0);
    assert_string_equal(seen.launch.kernel, "clustered");
    assert_int_equal(seen.launch.cluster[0], 0);
    static const char *const calls[] = {"cuGraphKernelNodeGetAttribute", "cuGraphKernelNodeSetAttribute"};
    assert_int_equal(update(&setup, node, address, &clustered), CUBINET_OK);
    for (size_t i = 0; i < 2 * COUNT(calls); i++) {
        simdriver_fail(calls[i % 2], (unsigned int)(i / 2) + 1, CBN_CU_INVALID_VALUE, false);
        assert_int_equal(update(&setup, node, address, &plain), CUBINET_ERROR_DRIVER);
        expect_message(calls[i % 2]);
        assert_int_equal(update(&setup, node, address, &clustered), CUBINET_OK);
    }
    tear_down(&setup);
}

static void test_updates_executable_graphs(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraph graph = simdriver_create_graph();
    CUgraphNode nodes[2] = {NULL};
    assert_int_equal(add(&setup, graph, NULL, 0, &plain, &nodes[0]), CUBINET_OK);
    assert_int_equal(add(&setup, graph, nodes, 1, &plain, &nodes[1]), CUBINET_OK);
    CUgraphExec exec = simdriver_instantiate(graph);
    cubinet_launch_config config = plain;
    config.grid[0] = 9;
    assert_int_equal(update_exec(&setup, exec, nodes[1], 0x5678, &config), CUBINET_OK);
    assert_int_equal(simdriver_launch_graph(exec), 2);
    const struct simdriver_launch seen = simdriver_last_launch();
    assert_int_equal(seen.grid[0], 9);
    expect_data(&seen, 0x5678);
    const struct simdriver_node original = simdriver_node_of(graph, 1); /* keeps what it has */
    assert_int_equal(original.launch.grid[0], 4);
    config.flags = CUBINET_LAUNCH_COOPERATIVE;
    assert_int_equal(update_exec(&setup, exec, nodes[1], 0x5678, &config), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("can't be changed in an executable graph");
    config = plain;
    config.cluster[0] = 2;
    assert_int_equal(update_exec(&setup, exec, nodes[1], 0x5678, &config), CUBINET_ERROR_INVALID_ARGUMENT);
    const cubinet_launch_attributes attributes = {.size = sizeof(attributes)};
    config = plain;
    config.attributes = &attributes;
    assert_int_equal(update_exec(&setup, exec, nodes[1], 0x5678, &config), CUBINET_ERROR_INVALID_ARGUMENT);
    tear_down(&setup);
}

static void test_captures_launches(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    cubinet_launch_config config = plain;
    config.stream = (CUstream)(uintptr_t)0x55;
    simdriver_begin_capture(config.stream);
    assert_int_equal(cubinet_kernel_launch(machine_kernel(setup.module, "tile"), &config, args, 1),
                     CUBINET_OK);
    CUgraph graph = simdriver_end_capture();
    assert_int_equal(simdriver_node_count(graph), 1);
    assert_int_equal(simdriver_last_launch().grid[0], 0); /* nothing ran yet */
    assert_int_equal(simdriver_launch_graph(simdriver_instantiate(graph)), 1);
    assert_int_equal(simdriver_last_launch().grid[0], 4);
    tear_down(&setup);
}

enum { SCRATCH_BYTES = 96, BLOCKS = 10 };

/* As a kernel of Triton's: scratch memory for each block, and a profiler's pointer. */
static void hide_memory(struct contents *contents)
{
    for (size_t i = 0; i < contents->kernel_count; i++) {
        struct contents_kernel *kernel = &contents->kernels[i];
        if (strcmp(kernel->name, "program") == 0) {
            const cubinet_hidden_param scratch = {.param = 2,
                                                  .kind = CUBINET_HIDDEN_SCRATCH,
                                                  .bytes_per_block = SCRATCH_BYTES,
                                                  .alignment = 1024};
            const cubinet_hidden_param profile = {.param = 3, .kind = CUBINET_HIDDEN_PROFILE};
            kernel->launch.known.dynamic_shared_bytes = 64;
            assert_int_equal(launch_record_add_hidden(&kernel->launch, &scratch), CUBINET_OK);
            assert_int_equal(launch_record_add_hidden(&kernel->launch, &profile), CUBINET_OK);
        }
    }
}

static struct setup set_up_memory(void)
{
    struct setup setup = {.driver = machine_start("9.0", NULL, NULL)};
    setup.archive = machine_lying_archive("compute_80=hidden", hide_memory, NULL);
    setup.module = machine_load(setup.driver, setup.archive, 0);
    return setup;
}

static const cubinet_launch_config of_program = {.size = sizeof(of_program), .grid = {BLOCKS}, .block = {32}};

static cubinet_status add_program(const struct setup *setup, CUgraph graph, const CUgraphNode *before,
                                  size_t count, const cubinet_launch_config *config, CUgraphNode *out_node)
{
    uint32_t elements = 7;
    const cubinet_arg args[] = {CUBINET_ARG(address), CUBINET_ARG(elements)};
    return cubinet_kernel_add_node(machine_kernel(setup->module, "program"), graph, before, count, config,
                                   args, 2, out_node);
}

static CUdeviceptr scratch_of(const struct simdriver_launch *launch)
{
    CUdeviceptr scratch = 0;
    CUdeviceptr profile = 1;
    assert_int_equal(launch->arg_count, 4);
    memcpy(&scratch, launch->args[2], sizeof(scratch));
    memcpy(&profile, launch->args[3], sizeof(profile));
    assert_int_equal(profile, 0);
    assert_int_equal(scratch % 1024, 0);
    return scratch;
}

static void expect_inside(CUdeviceptr scratch, const struct simdriver_node *allocation)
{
    assert_int_equal(allocation->kind, SIMDRIVER_NODE_ALLOCATION);
    assert_true(scratch >= allocation->address);
    assert_true(scratch + (CUdeviceptr)SCRATCH_BYTES * BLOCKS <= allocation->address + allocation->bytes);
}

static void test_captures_scratch_memory(void **state)
{
    (void)state;
    struct setup setup = set_up_memory();
    uint32_t elements = 7;
    const cubinet_arg args[] = {CUBINET_ARG(address), CUBINET_ARG(elements)};
    cubinet_launch_config config = of_program;
    config.stream = (CUstream)(uintptr_t)0x55;
    simdriver_begin_capture(config.stream);
    assert_int_equal(cubinet_kernel_launch(machine_kernel(setup.module, "program"), &config, args, 2),
                     CUBINET_OK);
    CUgraph graph = simdriver_end_capture();
    assert_int_equal(simdriver_node_count(graph), 3);
    const struct simdriver_node allocation = simdriver_node_of(graph, 0);
    const struct simdriver_node kernel = simdriver_node_of(graph, 1);
    const struct simdriver_node freed = simdriver_node_of(graph, 2);
    expect_inside(scratch_of(&kernel.launch), &allocation);
    assert_int_equal(freed.kind, SIMDRIVER_NODE_FREE);
    assert_int_equal(freed.address, allocation.address);
    tear_down(&setup);
}

static void test_adds_scratch_memory(void **state)
{
    (void)state;
    struct setup setup = set_up_memory();
    CUgraph graph = simdriver_create_graph();
    CUgraphNode first = NULL;
    CUgraphNode node = NULL;
    assert_int_equal(add_program(&setup, graph, NULL, 0, &of_program, &first), CUBINET_OK);
    assert_int_equal(add_program(&setup, graph, &first, 1, &of_program, &node), CUBINET_OK);
    assert_int_equal(simdriver_node_count(graph), 6);
    const struct simdriver_node allocation = simdriver_node_of(graph, 3);
    const struct simdriver_node kernel = simdriver_node_of(graph, 4);
    const struct simdriver_node freed = simdriver_node_of(graph, 5);
    assert_ptr_equal(allocation.before[0], first);
    assert_ptr_equal(kernel.handle, node);
    assert_int_equal(kernel.edge_count, 1);
    assert_ptr_equal(kernel.before[0], allocation.handle);
    assert_ptr_equal(freed.before[0], node);
    assert_int_equal(freed.address, allocation.address);
    expect_inside(scratch_of(&kernel.launch), &allocation);
    assert_int_equal(simdriver_calls("cuMemAllocAsync"), 0);
    cubinet_launch_config config = of_program;
    config.flags = CUBINET_LAUNCH_PROGRAMMATIC | CUBINET_LAUNCH_WITHOUT_WAIT;
    assert_int_equal(add_program(&setup, graph, &first, 1, &config, &node), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("hidden memory, whose node would be between");
    static const char *const calls[] = {"cuGraphAddMemAllocNode", "cuGraphAddKernelNode",
                                        "cuGraphAddMemFreeNode"};
    for (size_t i = 0; i < COUNT(calls); i++) {
        simdriver_fail(calls[i], 1, CBN_CU_OUT_OF_MEMORY, false);
        assert_int_not_equal(add_program(&setup, graph, &first, 1, &of_program, &node), CUBINET_OK);
        assert_int_equal(simdriver_node_count(graph), 6);
    }
    tear_down(&setup);
}

static cubinet_status update_program(const struct setup *setup, CUgraphExec exec, CUgraphNode node,
                                     const cubinet_launch_config *config)
{
    uint32_t elements = 8;
    const cubinet_arg args[] = {CUBINET_ARG(address), CUBINET_ARG(elements)};
    const cubinet_kernel *kernel = machine_kernel(setup->module, "program");
    return exec ? cubinet_kernel_update_exec_node(kernel, exec, node, config, args, 2)
                : cubinet_kernel_update_node(kernel, node, config, args, 2);
}

static void test_updates_keep_scratch_memory(void **state)
{
    (void)state;
    struct setup setup = set_up_memory();
    CUgraph graph = simdriver_create_graph();
    CUgraphNode node = NULL;
    assert_int_equal(add_program(&setup, graph, NULL, 0, &of_program, &node), CUBINET_OK);
    struct simdriver_node before = simdriver_node_of(graph, 1);
    CUgraphExec exec = simdriver_instantiate(graph);
    cubinet_launch_config config = of_program;
    config.grid[0] = BLOCKS - 1;
    assert_int_equal(update_program(&setup, exec, node, &config), CUBINET_OK);
    assert_int_equal(simdriver_launch_graph(exec), 1);
    const struct simdriver_launch launch = simdriver_last_launch();
    assert_int_equal(launch.grid[0], BLOCKS - 1);
    assert_int_equal(scratch_of(&launch), scratch_of(&before.launch));
    assert_int_equal(update_program(&setup, NULL, node, &config), CUBINET_OK);
    const struct simdriver_node after = simdriver_node_of(graph, 1);
    assert_int_equal(scratch_of(&after.launch), scratch_of(&before.launch));
    config.grid[0] = BLOCKS + 1;
    assert_int_equal(update_program(&setup, NULL, node, &config), CUBINET_ERROR_LIMIT);
    expect_message("hidden memory for 10 blocks; a grid of 11 was asked for");
    simdriver_fail("cuGraphKernelNodeGetParams", 1, CBN_CU_INVALID_VALUE, false);
    assert_int_equal(update_program(&setup, NULL, node, &of_program), CUBINET_ERROR_DRIVER);
    /* What was allocated counts, not how much of it the node uses now. */
    assert_int_equal(update_program(&setup, exec, node, &of_program), CUBINET_OK);
    assert_int_equal(update_program(&setup, NULL, node, &of_program), CUBINET_OK);
    const struct simdriver_node again = simdriver_node_of(graph, 1);
    assert_int_equal(again.launch.grid[0], BLOCKS);
    assert_int_equal(scratch_of(&again.launch), scratch_of(&before.launch));
    tear_down(&setup);
}

/* Of another node's memory, or none that is known, the node has at least what it uses now. */
static void test_updates_need_the_nodes_own_memory(void **state)
{
    (void)state;
    struct setup setup = set_up_memory();
    CUgraph graph = simdriver_create_graph();
    CUgraphNode other = NULL;
    CUgraphNode node = NULL;
    cubinet_launch_config large = of_program;
    large.grid[0] = BLOCKS + 1;
    assert_int_equal(add_program(&setup, graph, NULL, 0, &large, &other), CUBINET_OK);
    assert_int_equal(add_program(&setup, graph, NULL, 0, &of_program, &node), CUBINET_OK);
    const CUgraphNode before[] = {simdriver_node_of(graph, 0).handle, other};
    const CUgraphNode after[] = {node, node};
    assert_int_equal(setup.driver->cu.cuGraphAddDependencies(graph, before, after, NULL, 2), 0);
    assert_int_equal(update_program(&setup, NULL, node, &large), CUBINET_ERROR_LIMIT);
    expect_message("hidden memory for 10 blocks; a grid of 11 was asked for");
    assert_int_equal(update_program(&setup, NULL, node, &of_program), CUBINET_OK);
    simdriver_fail("cuGraphNodeGetDependencies", 1, CBN_CU_INVALID_VALUE, false);
    assert_int_equal(update_program(&setup, NULL, node, &large), CUBINET_ERROR_LIMIT);
    simdriver_fail("cuGraphNodeGetDependencies", 1, CBN_CU_INVALID_VALUE, false);
    assert_int_equal(update_program(&setup, NULL, node, &of_program), CUBINET_OK);
    tear_down(&setup);
}

static void test_updates_refuse_another_kernels_node(void **state)
{
    (void)state;
    struct setup setup = set_up_memory();
    CUgraph graph = simdriver_create_graph();
    CUgraphNode node = NULL;
    const unsigned char bounds[24] = {0};
    const cubinet_arg args[] = {{bounds, sizeof(bounds)}, CUBINET_ARG(address)};
    assert_int_equal(cubinet_kernel_add_node(machine_kernel(setup.module, "line"), graph, NULL, 0,
                                             &of_program, args, 2, &node),
                     CUBINET_OK);
    assert_int_equal(update_program(&setup, NULL, node, &of_program), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("the node was added with another kernel");
    tear_down(&setup);
}

static void test_modules_stay_as_long_as_told(void **state)
{
    (void)state;
    struct setup setup = set_up("9.0", "sm_90");
    CUgraph graph = simdriver_create_graph();
    CUgraphNode node = NULL;
    assert_int_equal(add(&setup, graph, NULL, 0, &plain, &node), CUBINET_OK);
    CUgraphExec exec = simdriver_instantiate(graph);
    simdriver_destroy_graph(graph);
    cubinet_module_retain(NULL);
    cubinet_module_retain(setup.module); /* the graph's */
    cubinet_module_retain(setup.module);
    assert_int_equal(cubinet_module_unload(setup.module), CUBINET_OK);
    assert_int_equal(cubinet_module_unload(setup.module), CUBINET_OK);
    assert_int_equal(simdriver_live_libraries(), 1);
    assert_int_equal(simdriver_launch_graph(exec), 1);
    assert_int_equal(simdriver_misuses(), 0);
    simdriver_destroy_exec(exec);
    tear_down(&setup);
    assert_int_equal(simdriver_live_libraries(), 0);
}

static void test_old_drivers_have_no_programmatic_edges(void **state)
{
    (void)state;
    cubinet_driver *driver = NULL;
    const cubinet_driver_options options = {.size = sizeof(options), .library = SIMCUDA_12_0_PATH};
    cubinet_archive *archive = machine_archive("compute_80", 0);
    assert_int_equal(cubinet_driver_open(&options, &driver), CUBINET_OK);
    cubinet_module *module = machine_load(driver, archive, 0);
    struct setup setup = {driver, archive, module};
    CUgraphNode node = NULL;
    cubinet_launch_config config = plain;
    config.flags = CUBINET_LAUNCH_PROGRAMMATIC | CUBINET_LAUNCH_WITHOUT_WAIT;
    assert_int_equal(add(&setup, (CUgraph)(uintptr_t)8, NULL, 0, &config, &node),
                     CUBINET_ERROR_DRIVER_TOO_OLD);
    expect_message("programmatic edges of graphs need a driver for CUDA 12.3");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adds_nodes),
        cmocka_unit_test(test_nodes_have_attributes),
        cmocka_unit_test(test_programmatic_edges),
        cmocka_unit_test(test_refuses_what_no_node_has),
        cmocka_unit_test(test_a_failure_leaves_no_node),
        cmocka_unit_test(test_leaving_the_context_undoes_nothing),
        cmocka_unit_test(test_updates_nodes),
        cmocka_unit_test(test_updates_replace_the_cluster),
        cmocka_unit_test(test_updates_executable_graphs),
        cmocka_unit_test(test_captures_launches),
        cmocka_unit_test(test_captures_scratch_memory),
        cmocka_unit_test(test_adds_scratch_memory),
        cmocka_unit_test(test_updates_keep_scratch_memory),
        cmocka_unit_test(test_updates_need_the_nodes_own_memory),
        cmocka_unit_test(test_updates_refuse_another_kernels_node),
        cmocka_unit_test(test_modules_stay_as_long_as_told),
        cmocka_unit_test(test_old_drivers_have_no_programmatic_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
