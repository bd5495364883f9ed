/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as nodes of graphs, captured launches with scratch memory, and green contexts. */
#include "attribute_calls.h"

#include <stdio.h>
#include <string.h>

enum { BLOCKS = 8 };

static CUgraphExec instantiate(const struct bench *bench, CUgraph graph)
{
    CUgraphExec exec = NULL;
    GPU_DRIVER(bench->cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

static void replay(const struct bench *bench, CUgraphExec exec)
{
    GPU_DRIVER(bench->cu.cuGraphLaunch(exec, bench->streams[0]));
    GPU_DRIVER(bench->calls.cuStreamSynchronize(bench->streams[0]));
}

static void expect_values(const struct bench *bench, CUdeviceptr memory, unsigned int value)
{
    unsigned int values[BLOCKS];
    GPU_DRIVER(bench->calls.cuMemcpyDtoH(values, memory, sizeof(values)));
    for (int i = 0; i < BLOCKS; i++) {
        if (values[i] != value) {
            printf("value %d is %u, not %u\n", i, values[i], value);
        }
        GPU_TRUE(values[i] == value);
    }
}

/* A node that adds a number to each value. */
static CUgraphNode add_node(const struct bench *bench, CUgraph graph, const CUgraphNode *before,
                            CUdeviceptr memory, unsigned int number,
                            const cubinet_launch_attributes *attributes)
{
    CUgraphNode node = NULL;
    const cubinet_arg args[] = {CUBINET_ARG(memory), CUBINET_ARG(number)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {BLOCKS}, .block = {1}, .attributes = attributes};
    GPU_OK(cubinet_kernel_add_node(kernel_of(bench, "add"), graph, before, before ? 1 : 0, &config, args, 2,
                                   &node));
    return node;
}

static void expect_priority(const struct bench *bench, CUgraphNode node, int priority)
{
    cbn_cu_launch_value value;
    memset(&value, 0, sizeof(value));
    GPU_DRIVER(bench->cu.cuGraphKernelNodeGetAttribute(node, CBN_CU_LAUNCH_PRIORITY, &value));
    GPU_TRUE(value.priority == priority);
}

static void test_updates(const struct bench *bench)
{
    CUgraph graph = NULL;
    CUdeviceptr memory = make_memory(bench, BLOCKS * sizeof(unsigned int), 0);
    const cubinet_launch_attributes attributes = {
        .size = sizeof(attributes), .flags = CUBINET_ATTRIBUTE_PRIORITY, .priority = -1};
    GPU_DRIVER(bench->cu.cuGraphCreate(&graph, 0));
    CUgraphNode first = add_node(bench, graph, NULL, memory, 1, NULL);
    CUgraphNode second = add_node(bench, graph, &first, memory, 10, &attributes);
    expect_priority(bench, second, -1);
    CUgraphExec exec = instantiate(bench, graph);
    replay(bench, exec);
    expect_values(bench, memory, 11);
    /* In the executable graph; the graph keeps what it has. */
    const cubinet_kernel *kernel = kernel_of(bench, "add");
    unsigned int number = 100;
    const cubinet_arg args[] = {CUBINET_ARG(memory), CUBINET_ARG(number)};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {BLOCKS}, .block = {1}};
    GPU_OK(cubinet_kernel_update_exec_node(kernel, exec, second, &config, args, 2));
    replay(bench, exec);
    expect_values(bench, memory, 112);
    GPU_DRIVER(bench->cu.cuGraphExecDestroy(exec));
    number = 1000;
    GPU_OK(cubinet_kernel_update_node(kernel, first, &config, args, 2));
    exec = instantiate(bench, graph);
    replay(bench, exec);
    expect_values(bench, memory, 1122);
    GPU_DRIVER(bench->cu.cuGraphExecDestroy(exec));
    GPU_DRIVER(bench->cu.cuGraphDestroy(graph));
    GPU_DRIVER(bench->calls.cuMemFree(memory));
    printf("graphs: nodes added, updated in the graph and in an instance of it\n");
}

/* To a grid that the old cluster does not divide, and back to none. */
static void test_cluster_updates(const struct bench *bench)
{
    if (bench->compute_major < 9) {
        printf("skipped: clusters need compute capability 9.0\n");
        return;
    }
    CUgraph graph = NULL;
    CUgraphNode node = NULL;
    CUdeviceptr memory = make_memory(bench, BLOCKS * sizeof(unsigned int), 0);
    unsigned int number = 1;
    const cubinet_kernel *kernel = kernel_of(bench, "add");
    const cubinet_arg args[] = {CUBINET_ARG(memory), CUBINET_ARG(number)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {BLOCKS}, .block = {1}, .cluster = {4}};
    GPU_DRIVER(bench->cu.cuGraphCreate(&graph, 0));
    GPU_OK(cubinet_kernel_add_node(kernel, graph, NULL, 0, &config, args, 2, &node));
    static const unsigned int steps[][2] = {{BLOCKS - 1, 0}, {BLOCKS - 2, 3}, {BLOCKS, 8}, {BLOCKS - 1, 0}};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        config.grid[0] = steps[i][0];
        config.cluster[0] = steps[i][1];
        GPU_OK(cubinet_kernel_update_node(kernel, node, &config, args, 2));
        cbn_cu_launch_value value;
        memset(&value, 0, sizeof(value));
        GPU_DRIVER(bench->cu.cuGraphKernelNodeGetAttribute(node, CBN_CU_LAUNCH_CLUSTER_DIMENSION, &value));
        GPU_TRUE(value.cluster.x == steps[i][1]);
        CUgraphExec exec = instantiate(bench, graph);
        replay(bench, exec);
        GPU_DRIVER(bench->cu.cuGraphExecDestroy(exec));
    }
    unsigned int values[BLOCKS];
    GPU_DRIVER(bench->calls.cuMemcpyDtoH(values, memory, sizeof(values)));
    GPU_TRUE(values[0] == 4 && values[BLOCKS - 2] == 3 && values[BLOCKS - 1] == 1);
    GPU_DRIVER(bench->cu.cuGraphDestroy(graph));
    GPU_DRIVER(bench->calls.cuMemFree(memory));
    printf("graphs: nodes updated to other clusters and to none\n");
}

/* A node that may start before the one it depends on has ended. */
static void test_programmatic_nodes(const struct bench *bench)
{
    if (bench->compute_major < 9 || bench->version < 12030) {
        printf("skipped: programmatic edges need compute capability 9.0 and a driver for CUDA 12.3\n");
        return;
    }
    uint64_t of_lead[4] = {UINT64_MAX, 0, 0, 0}, of_follow[4] = {UINT64_MAX, 0, 0, 0};
    CUdeviceptr first = make_memory(bench, sizeof(of_lead), 0);
    CUdeviceptr second = make_memory(bench, sizeof(of_follow), 0);
    gpu_copy_in(&bench->calls, first, of_lead, sizeof(of_lead));
    gpu_copy_in(&bench->calls, second, of_follow, sizeof(of_follow));
    const uint64_t time = 3000000;
    const cubinet_arg lead_args[] = {CUBINET_ARG(first), CUBINET_ARG(time)};
    const cubinet_arg follow_args[] = {CUBINET_ARG(second), CUBINET_ARG(first)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};
    CUgraph graph = NULL;
    CUgraphNode lead = NULL, follow = NULL;
    GPU_DRIVER(bench->cu.cuGraphCreate(&graph, 0));
    GPU_OK(cubinet_kernel_add_node(kernel_of(bench, "lead"), graph, NULL, 0, &config, lead_args, 2, &lead));
    config.flags = CUBINET_LAUNCH_PROGRAMMATIC;
    GPU_OK(cubinet_kernel_add_node(kernel_of(bench, "follow"), graph, &lead, 1, &config, follow_args, 2,
                                   &follow));
    CUgraphExec exec = instantiate(bench, graph);
    replay(bench, exec);
    take_memory(bench, first, of_lead, sizeof(of_lead));
    take_memory(bench, second, of_follow, sizeof(of_follow));
    printf("programmatic edge of a graph: %s\n", of_follow[0] < of_lead[1] ? "overlaps" : "in order");
    GPU_TRUE(of_follow[2] == of_lead[1]);
    GPU_DRIVER(bench->cu.cuGraphExecDestroy(exec));
    GPU_DRIVER(bench->cu.cuGraphDestroy(graph));
}

/* A module that a graph outlives, as far as the program goes. */
static void test_retained_module(const struct bench *bench)
{
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    CUgraph graph = NULL;
    CUgraphNode node = NULL;
    const unsigned int number = 3;
    CUdeviceptr memory = make_memory(bench, BLOCKS * sizeof(number), 0);
    const cubinet_arg args[] = {CUBINET_ARG(memory), CUBINET_ARG(number)};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {BLOCKS}, .block = {1}};
    GPU_OK(cubinet_module_load(bench->driver, bench->archive, "attributes", 0, NULL, &module));
    GPU_OK(cubinet_module_find_kernel(module, "add", &kernel));
    GPU_DRIVER(bench->cu.cuGraphCreate(&graph, 0));
    GPU_OK(cubinet_kernel_add_node(kernel, graph, NULL, 0, &config, args, 2, &node));
    cubinet_module_retain(module);
    GPU_OK(cubinet_module_unload(module));
    CUgraphExec exec = instantiate(bench, graph);
    replay(bench, exec);
    expect_values(bench, memory, number);
    GPU_DRIVER(bench->cu.cuGraphExecDestroy(exec));
    GPU_DRIVER(bench->cu.cuGraphDestroy(graph));
    GPU_OK(cubinet_module_unload(module));
    GPU_DRIVER(bench->calls.cuMemFree(memory));
}

void test_graphs(const struct bench *bench)
{
    test_updates(bench);
    test_cluster_updates(bench);
    test_programmatic_nodes(bench);
    test_retained_module(bench);
}

/* Each block's sum of its number and 0 to 15. */
static void expect_sums(const struct bench *bench, CUdeviceptr memory)
{
    unsigned int values[BLOCKS];
    GPU_DRIVER(bench->calls.cuMemcpyDtoH(values, memory, sizeof(values)));
    for (unsigned int i = 0; i < BLOCKS; i++) {
        GPU_TRUE(values[i] == 16 * i + 120);
    }
}

void test_scratch_memory(const struct bench *bench)
{
    CUdeviceptr memory = make_memory(bench, BLOCKS * sizeof(unsigned int), 0xff);
    const cubinet_arg args[] = {CUBINET_ARG(memory)};
    const cubinet_kernel *kernel = kernel_of(bench, "scratch");
    cubinet_launch_config config = {
        .size = sizeof(config), .grid = {BLOCKS}, .stream = bench->streams[0]}; /* the block is recorded */
    CUgraph graph = NULL;
    GPU_DRIVER(bench->cu.cuStreamBeginCapture(bench->streams[0], 0));
    cubinet_status status = cubinet_kernel_launch(kernel, &config, args, 1);
    GPU_DRIVER(bench->cu.cuStreamEndCapture(bench->streams[0], &graph));
    GPU_OK(status);
    CUgraphExec exec = instantiate(bench, graph);
    replay(bench, exec);
    expect_sums(bench, memory);
    replay(bench, exec);
    GPU_DRIVER(bench->cu.cuGraphExecDestroy(exec));
    GPU_DRIVER(bench->cu.cuGraphDestroy(graph));
    GPU_DRIVER(bench->calls.cuMemFree(memory));
    /* The same as a node that is added, and updated. */
    CUgraphNode node = NULL;
    memory = make_memory(bench, BLOCKS * sizeof(unsigned int), 0xff);
    const cubinet_arg other[] = {CUBINET_ARG(memory)};
    GPU_DRIVER(bench->cu.cuGraphCreate(&graph, 0));
    GPU_OK(cubinet_kernel_add_node(kernel, graph, NULL, 0, &config, other, 1, &node));
    config.grid[0] = 1; /* it keeps the memory that it was added with */
    GPU_OK(cubinet_kernel_update_node(kernel, node, &config, other, 1));
    config.grid[0] = BLOCKS;
    GPU_OK(cubinet_kernel_update_node(kernel, node, &config, other, 1));
    exec = instantiate(bench, graph);
    GPU_OK(cubinet_kernel_update_exec_node(kernel, exec, node, &config, other, 1));
    replay(bench, exec);
    expect_sums(bench, memory);
    config.grid[0] = BLOCKS + 1;
    GPU_TRUE(cubinet_kernel_update_node(kernel, node, &config, other, 1) == CUBINET_ERROR_LIMIT);
    GPU_DRIVER(bench->cu.cuGraphExecDestroy(exec));
    GPU_DRIVER(bench->cu.cuGraphDestroy(graph));
    GPU_DRIVER(bench->calls.cuMemFree(memory));
    printf("scratch memory: in a captured launch, and in a node\n");
}

/* A context with some of the device's multiprocessors; NULL if there are none. */
static void *make_green(const struct bench *bench, uint32_t *out_count)
{
    const struct attribute_calls *cu = &bench->cu;
    cbn_cu_resource all = {0}, part = {0}, rest = {0};
    void *description = NULL;
    void *green = NULL;
    unsigned int groups = 1;
    if (!cu->cuGreenCtxCreate || !cu->cuDeviceGetDevResource || !cu->cuDevSmResourceSplitByCount ||
        !cu->cuDevResourceGenerateDesc || !cu->cuCtxFromGreenCtx || !cu->cuGreenCtxDestroy) {
        printf("skipped: green contexts need a driver for CUDA 12.4\n");
        return NULL;
    }
    if (cu->cuDeviceGetDevResource(0, &all, CBN_CU_RESOURCE_SM) != CBN_CU_SUCCESS ||
        cu->cuDevSmResourceSplitByCount(&part, &groups, &all, &rest, 0, 16) != CBN_CU_SUCCESS || groups < 1) {
        printf("skipped: the device can't be divided into green contexts\n");
        return NULL;
    }
    GPU_DRIVER(cu->cuDevResourceGenerateDesc(&description, &part, 1));
    GPU_DRIVER(cu->cuGreenCtxCreate(&green, description, 0, 1 /* CU_GREEN_CTX_DEFAULT_STREAM */));
    *out_count = part.value.multiprocessors;
    return green;
}

static uint64_t resident_blocks(cubinet_module *module)
{
    const uint64_t extent[3] = {1 << 26};
    cubinet_kernel *kernel = NULL;
    cubinet_launch_config config = {.size = sizeof(config)};
    cubinet_launch_estimate estimate = {.size = sizeof(estimate)};
    GPU_OK(cubinet_module_find_kernel(module, "places", &kernel));
    GPU_OK(cubinet_kernel_suggest_launch(kernel, extent, NULL, &config, &estimate));
    return estimate.resident_blocks;
}

/* How many multiprocessors a launch of many blocks ran on. */
static uint32_t count_places(const struct bench *bench, cubinet_module *module)
{
    enum { MOST = 1024 };
    unsigned int counts[MOST];
    uint32_t places = 0;
    cubinet_kernel *kernel = NULL;
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {8192}, .block = {32}};
    CUdeviceptr memory = make_memory(bench, sizeof(counts), 0);
    const cubinet_arg args[] = {CUBINET_ARG(memory)};
    GPU_OK(cubinet_module_find_kernel(module, "places", &kernel));
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, 1));
    take_memory(bench, memory, counts, sizeof(counts));
    for (int i = 0; i < MOST; i++) {
        places += counts[i] > 0;
    }
    return places;
}

void test_green_contexts(const struct bench *bench)
{
    uint32_t count = 0;
    CUcontext context = NULL, popped = NULL;
    cubinet_module *module = NULL;
    cubinet_device_limits limits = {.size = sizeof(limits)};
    void *green = make_green(bench, &count);
    if (!green) {
        return;
    }
    GPU_OK(cubinet_driver_get_limits(bench->driver, 0, &limits));
    GPU_DRIVER(bench->cu.cuCtxFromGreenCtx(&context, green));
    uint64_t whole = resident_blocks(bench->module);
    GPU_DRIVER(bench->calls.cuCtxPushCurrent(context));
    GPU_OK(cubinet_module_load(bench->driver, bench->archive, "attributes", 0, NULL, &module));
    GPU_TRUE(cubinet_module_get_context(module) == context);
    uint64_t part = resident_blocks(module);
    uint32_t places = count_places(bench, module);
    printf("green context of %u of %u multiprocessors: %llu of %llu resident blocks; ran on %u\n", count,
           limits.multiprocessor_count, (unsigned long long)part, (unsigned long long)whole, places);
    GPU_TRUE(part * limits.multiprocessor_count == whole * count);
    GPU_TRUE(places <= count);
    GPU_OK(cubinet_module_unload(module));
    GPU_DRIVER(bench->calls.cuCtxPopCurrent(&popped));
    GPU_DRIVER(bench->cu.cuGreenCtxDestroy(green));
}
