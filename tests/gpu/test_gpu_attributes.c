/* SPDX-License-Identifier: Apache-2.0 */
/* Launches with every attribute through Cubinet and through cuLaunchKernelEx(), and compares what they do:
 * whether kernels overlap, which blocks are in a cluster, what a captured node has. */
#include "attribute_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONG = 3000000, /* nanoseconds */
    ATTEMPTS = 5,   /* of launches whose overlap depends on what else the device does */
    DISABLE_TIMING = 2,
};

static void get_calls(struct bench *bench)
{
    cubinet_status status = CUBINET_OK;
#define ATTRIBUTE_GET(name, params, optional)                                                                \
    status = cubinet_driver_get_proc_address(bench->driver, #name, (void **)&bench->cu.name);                \
    if (!(optional) || status != CUBINET_ERROR_NOT_FOUND) {                                                  \
        GPU_OK(status);                                                                                      \
    }
    ATTRIBUTE_FUNCTIONS(ATTRIBUTE_GET)
#undef ATTRIBUTE_GET
}

const cubinet_kernel *kernel_of(const struct bench *bench, const char *name)
{
    cubinet_kernel *kernel = NULL;
    GPU_OK(cubinet_module_find_kernel(bench->module, name, &kernel));
    return kernel;
}

CUdeviceptr make_memory(const struct bench *bench, size_t bytes, int fill)
{
    CUdeviceptr memory = 0;
    void *filled = malloc(bytes);
    GPU_TRUE(filled != NULL);
    memset(filled, fill, bytes);
    GPU_DRIVER(bench->calls.cuMemAlloc(&memory, bytes));
    gpu_copy_in(&bench->calls, memory, filled, bytes);
    free(filled);
    return memory;
}

void take_memory(const struct bench *bench, CUdeviceptr memory, void *out, size_t bytes)
{
    GPU_DRIVER(bench->cu.cuCtxSynchronize());
    GPU_DRIVER(bench->calls.cuMemcpyDtoH(out, memory, bytes));
    GPU_DRIVER(bench->calls.cuMemFree(memory));
}

struct both launch_of(unsigned int grid, CUstream stream)
{
    return (struct both){
        .ours = {.size = sizeof(cubinet_launch_config), .grid = {grid}, .block = {32}, .stream = stream},
        .theirs = {.grid_x = grid,
                   .grid_y = 1,
                   .grid_z = 1,
                   .block_x = 32,
                   .block_y = 1,
                   .block_z = 1,
                   .stream = stream},
    };
}

cbn_cu_result launch_both(const struct bench *bench, bool through_cubinet, const char *name,
                          const struct both *both, CUdeviceptr first, const uint64_t *second)
{
    const cubinet_kernel *kernel = kernel_of(bench, name);
    uint64_t value = second ? *second : 0;
    const cubinet_arg args[] = {CUBINET_ARG(first), CUBINET_ARG(value)};
    void *params[] = {&first, &value};
    CUfunction function = NULL;
    if (through_cubinet) {
        cubinet_status status = cubinet_kernel_launch(kernel, &both->ours, args, second ? 2 : 1);
        if (status && !cubinet_error_driver_result()) {
            GPU_OK(status);
        }
        return status ? (cbn_cu_result)cubinet_error_driver_result() : CBN_CU_SUCCESS;
    }
    GPU_OK(cubinet_kernel_get_function(kernel, &function));
    return bench->cu.cuLaunchKernelEx(&both->theirs, function, params, NULL);
}

static const uint64_t long_time = LONG;
static const uint64_t no_time = 0;

/* Whether the second of two kernels started before the first ended. */
struct overlap {
    bool is_there;
    bool saw_end; /* what the first wrote, when the second had waited */
};

static struct overlap read_overlap(const struct bench *bench, CUdeviceptr first, CUdeviceptr second)
{
    uint64_t of_first[4], of_second[4];
    take_memory(bench, first, of_first, sizeof(of_first));
    take_memory(bench, second, of_second, sizeof(of_second));
    return (struct overlap){of_second[0] < of_first[1], of_second[2] == of_first[1]};
}

/* Times: the least of the first, the greatest of the second. */
static CUdeviceptr make_times(const struct bench *bench)
{
    static const uint64_t start[4] = {UINT64_MAX, 0, 0, 0};
    CUdeviceptr times = make_memory(bench, sizeof(start), 0);
    gpu_copy_in(&bench->calls, times, start, sizeof(start));
    return times;
}

/* `lead`, and after it in the same stream `follow`, as a programmatic launch or not. */
static struct overlap follow_in_stream(const struct bench *bench, bool through_cubinet, bool is_programmatic)
{
    CUdeviceptr first = make_times(bench), second = make_times(bench);
    struct both lead = launch_of(1, bench->streams[0]);
    struct both follow = launch_of(1, bench->streams[0]);
    cbn_cu_launch_attribute attribute = {.id = CBN_CU_LAUNCH_PROGRAMMATIC_STREAM_SERIALIZATION};
    attribute.value.programmatic_serialization = 1;
    if (is_programmatic) {
        follow.ours.flags = CUBINET_LAUNCH_PROGRAMMATIC;
        follow.theirs.attributes = &attribute;
        follow.theirs.attribute_count = 1;
    }
    const uint64_t of_lead = first;
    GPU_DRIVER(launch_both(bench, through_cubinet, "lead", &lead, first, &long_time));
    GPU_DRIVER(launch_both(bench, through_cubinet, "follow", &follow, second, &of_lead));
    return read_overlap(bench, first, second);
}

static void test_programmatic_launches(const struct bench *bench)
{
    if (bench->compute_major < 9) {
        printf("skipped: programmatic launches need compute capability 9.0\n");
        return;
    }
    for (int through = 0; through < 2; through++) {
        bool overlapped = false;
        for (int i = 0; i < ATTEMPTS && !overlapped; i++) {
            const struct overlap programmatic = follow_in_stream(bench, through != 0, true);
            GPU_TRUE(programmatic.saw_end);
            overlapped = programmatic.is_there;
        }
        const struct overlap plain = follow_in_stream(bench, through != 0, false);
        printf("programmatic launch through %s: %s; plain: %s\n", through ? "Cubinet" : "the driver",
               overlapped ? "overlaps" : "does not overlap", plain.is_there ? "overlaps" : "in order");
        GPU_TRUE(overlapped);
        GPU_TRUE(!plain.is_there && plain.saw_end);
    }
    /* A kernel that never waits. */
    struct both note = launch_of(1, bench->streams[0]);
    note.ours.flags = CUBINET_LAUNCH_PROGRAMMATIC;
    CUdeviceptr times = make_times(bench);
    const cubinet_arg args[] = {CUBINET_ARG(times), CUBINET_ARG(no_time)};
    GPU_TRUE(cubinet_kernel_launch(kernel_of(bench, "note"), &note.ours, args, 2) ==
             CUBINET_ERROR_INVALID_ARGUMENT);
    note.ours.flags |= CUBINET_LAUNCH_WITHOUT_WAIT;
    GPU_OK(cubinet_kernel_launch(kernel_of(bench, "note"), &note.ours, args, 2));
    uint64_t seen[4];
    take_memory(bench, times, seen, sizeof(seen));
}

/* `lead` with an event in one stream, and after the event another kernel in the other. */
static struct overlap follow_event(const struct bench *bench, bool through_cubinet, bool is_programmatic)
{
    CUdeviceptr first = make_times(bench), second = make_times(bench);
    CUevent event = NULL;
    GPU_DRIVER(bench->cu.cuEventCreate(&event, DISABLE_TIMING));
    struct both lead = launch_of(1, bench->streams[0]);
    struct both after = launch_of(1, bench->streams[1]);
    cubinet_launch_attributes ours = {.size = sizeof(ours)};
    cbn_cu_launch_attribute theirs = {.id = is_programmatic ? CBN_CU_LAUNCH_PROGRAMMATIC_EVENT
                                                            : CBN_CU_LAUNCH_LAUNCH_COMPLETION_EVENT};
    if (is_programmatic) {
        ours.programmatic_event = event;
        ours.flags = CUBINET_ATTRIBUTE_TRIGGER_AT_START;
        theirs.value.programmatic_event.event = event;
        theirs.value.programmatic_event.at_block_start = 1;
    } else {
        ours.completion_event = event;
        theirs.value.completion_event.event = event;
    }
    lead.ours.attributes = &ours;
    lead.theirs.attributes = &theirs;
    lead.theirs.attribute_count = 1;
    GPU_DRIVER(launch_both(bench, through_cubinet, "lead", &lead, first, &long_time));
    GPU_DRIVER(bench->cu.cuStreamWaitEvent(bench->streams[1], event, 0));
    GPU_DRIVER(launch_both(bench, through_cubinet, "note", &after, second, &no_time));
    GPU_DRIVER(bench->cu.cuCtxSynchronize());
    GPU_DRIVER(bench->cu.cuEventQuery(event));
    return read_overlap(bench, first, second);
}

static void test_events(const struct bench *bench, bool is_programmatic)
{
    const char *what = is_programmatic ? "programmatic event" : "launch-completion event";
    if (is_programmatic ? bench->compute_major < 9 : bench->version < 12030) {
        printf("skipped: %s: not on this device, or with this driver\n", what);
        return;
    }
    bool is_same = false;
    for (int i = 0; i < ATTEMPTS && !is_same; i++) {
        bool ours = follow_event(bench, true, is_programmatic).is_there;
        bool theirs = follow_event(bench, false, is_programmatic).is_there;
        printf("%s: through Cubinet %s, through the driver %s\n", what, ours ? "overlap" : "order",
               theirs ? "overlap" : "order");
        is_same = ours == theirs;
    }
    GPU_TRUE(is_same);
}

/* Waves of blocks in one stream, and one block in the other, which has the higher priority or not. Whether
 * that started before the last wave. */
static bool overtakes(const struct bench *bench, bool through_cubinet, int many, int one)
{
    const uint64_t short_time = 200000;
    CUdeviceptr first = make_times(bench), second = make_times(bench);
    struct both waves = launch_of(40000, bench->streams[0]);
    struct both single = launch_of(1, bench->streams[1]);
    cubinet_launch_attributes ours[2] = {
        {.size = sizeof(ours[0]), .flags = CUBINET_ATTRIBUTE_PRIORITY, .priority = many},
        {.size = sizeof(ours[0]), .flags = CUBINET_ATTRIBUTE_PRIORITY, .priority = one}};
    cbn_cu_launch_attribute theirs[2] = {{.id = CBN_CU_LAUNCH_PRIORITY}, {.id = CBN_CU_LAUNCH_PRIORITY}};
    theirs[0].value.priority = many;
    theirs[1].value.priority = one;
    waves.ours.attributes = &ours[0];
    single.ours.attributes = &ours[1];
    waves.theirs.attributes = &theirs[0];
    single.theirs.attributes = &theirs[1];
    waves.theirs.attribute_count = single.theirs.attribute_count = 1;
    GPU_DRIVER(launch_both(bench, through_cubinet, "note", &waves, first, &short_time));
    GPU_DRIVER(launch_both(bench, through_cubinet, "note", &single, second, &no_time));
    uint64_t of_waves[4], of_single[4];
    take_memory(bench, first, of_waves, sizeof(of_waves));
    take_memory(bench, second, of_single, sizeof(of_single));
    return of_single[1] < of_waves[1] - (of_waves[1] - of_waves[0]) / 2;
}

static void test_priorities(const struct bench *bench)
{
    bool high[2], low[2];
    for (int through = 0; through < 2; through++) {
        for (int i = 0; i < ATTEMPTS; i++) {
            high[through] = overtakes(bench, through != 0, 0, -5);
            if (high[through]) {
                break;
            }
        }
        low[through] = overtakes(bench, through != 0, 0, 0);
        printf("priority through %s: high %s, same %s\n", through ? "Cubinet" : "the driver",
               high[through] ? "overtakes" : "waits", low[through] ? "overtakes" : "waits");
    }
    GPU_TRUE(high[0] == high[1]);
}

static void test_cooperation(const struct bench *bench)
{
    for (int through = 0; through < 2; through++) {
        unsigned int arrived = 0;
        struct both both = launch_of(64, bench->streams[0]);
        cbn_cu_launch_attribute attribute = {.id = CBN_CU_LAUNCH_COOPERATIVE};
        attribute.value.cooperative = 1;
        both.ours.flags = CUBINET_LAUNCH_COOPERATIVE;
        both.theirs.attributes = &attribute;
        both.theirs.attribute_count = 1;
        CUdeviceptr memory = make_memory(bench, sizeof(arrived), 0);
        GPU_DRIVER(launch_both(bench, through != 0, "cooperate", &both, memory, NULL));
        take_memory(bench, memory, &arrived, sizeof(arrived));
        GPU_TRUE(arrived == 64);
    }
    printf("cooperative launches: all blocks met\n");
}

enum { CLUSTER_GRID = 32 };

/* The CUresult, and the sum of the sizes of all blocks' clusters. */
static cbn_cu_result launch_clusters(const struct bench *bench, bool through_cubinet, uint32_t preferred,
                                     uint32_t policy, unsigned int *out_sum)
{
    unsigned int sizes[CLUSTER_GRID] = {0};
    struct both both = launch_of(CLUSTER_GRID, bench->streams[0]);
    const cubinet_launch_attributes ours = {
        .size = sizeof(ours), .cluster_scheduling = policy, .preferred_cluster = {preferred}};
    cbn_cu_launch_attribute theirs[3] = {{.id = CBN_CU_LAUNCH_CLUSTER_DIMENSION},
                                         {.id = CBN_CU_LAUNCH_CLUSTER_SCHEDULING_POLICY_PREFERENCE},
                                         {.id = CBN_CU_LAUNCH_PREFERRED_CLUSTER_DIMENSION}};
    theirs[0].value.cluster.x = 2;
    theirs[0].value.cluster.y = theirs[0].value.cluster.z = 1;
    theirs[1].value.cluster_scheduling = policy;
    theirs[2].value.cluster.x = preferred;
    theirs[2].value.cluster.y = theirs[2].value.cluster.z = 1;
    both.ours.cluster[0] = 2;
    both.ours.attributes = &ours;
    both.theirs.attributes = theirs;
    both.theirs.attribute_count = preferred ? 3 : 2;
    CUdeviceptr memory = make_memory(bench, sizeof(sizes), 0);
    cbn_cu_result result = launch_both(bench, through_cubinet, "clusters", &both, memory, NULL);
    take_memory(bench, memory, sizes, sizeof(sizes));
    *out_sum = 0;
    for (int i = 0; i < CLUSTER_GRID; i++) {
        *out_sum += sizes[i];
    }
    return result;
}

static void test_clusters(const struct bench *bench)
{
    if (bench->compute_major < 9) {
        printf("skipped: clusters need compute capability 9.0\n");
        return;
    }
    for (uint32_t policy = 0; policy <= CUBINET_CLUSTERS_BALANCED; policy++) {
        unsigned int ours = 0, theirs = 0;
        GPU_DRIVER(launch_clusters(bench, true, 0, policy, &ours));
        GPU_DRIVER(launch_clusters(bench, false, 0, policy, &theirs));
        printf("cluster scheduling policy %u: blocks in clusters of %u and %u\n", policy, ours / CLUSTER_GRID,
               theirs / CLUSTER_GRID);
        GPU_TRUE(ours == 2 * CLUSTER_GRID && theirs == ours);
    }
    if (bench->version < 12080) {
        printf("skipped: preferred clusters need a driver for CUDA 12.8\n");
        return;
    }
    unsigned int ours = 0, theirs = 0;
    cbn_cu_result of_ours = launch_clusters(bench, true, 4, 0, &ours);
    cbn_cu_result of_theirs = launch_clusters(bench, false, 4, 0, &theirs);
    printf("preferred cluster of 4: CUresult %u and %u, mean sizes %g and %g\n", of_ours, of_theirs,
           (double)ours / CLUSTER_GRID, (double)theirs / CLUSTER_GRID);
    GPU_TRUE(of_ours == of_theirs);
    GPU_TRUE(of_ours != CBN_CU_SUCCESS || (ours >= 2 * CLUSTER_GRID && theirs >= 2 * CLUSTER_GRID));
}

/* The one node that a captured launch becomes. */
static CUgraph capture(const struct bench *bench, bool through_cubinet, struct both *both,
                       CUgraphNode *out_node)
{
    CUgraph graph = NULL;
    size_t count = 1;
    CUdeviceptr memory = make_memory(bench, 4096, 0);
    GPU_DRIVER(bench->cu.cuStreamBeginCapture(bench->streams[0], 0));
    cbn_cu_result result = launch_both(bench, through_cubinet, "clusters", both, memory, NULL);
    GPU_DRIVER(bench->cu.cuStreamEndCapture(bench->streams[0], &graph));
    GPU_DRIVER(result);
    GPU_DRIVER(bench->cu.cuGraphGetNodes(graph, out_node, &count));
    GPU_TRUE(count == 1);
    GPU_DRIVER(bench->calls.cuMemFree(memory));
    return graph;
}

static void expect_same_nodes(const struct bench *bench, CUgraphNode ours, CUgraphNode theirs)
{
    static const unsigned int ids[] = {CBN_CU_LAUNCH_COOPERATIVE,
                                       CBN_CU_LAUNCH_CLUSTER_DIMENSION,
                                       CBN_CU_LAUNCH_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                                       CBN_CU_LAUNCH_PRIORITY,
                                       CBN_CU_LAUNCH_MEM_SYNC_DOMAIN_MAP,
                                       CBN_CU_LAUNCH_MEM_SYNC_DOMAIN};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        cbn_cu_launch_value of_ours, of_theirs;
        memset(&of_ours, 0, sizeof(of_ours));
        memset(&of_theirs, 0, sizeof(of_theirs));
        cbn_cu_result a = bench->cu.cuGraphKernelNodeGetAttribute(ours, ids[i], &of_ours);
        cbn_cu_result b = bench->cu.cuGraphKernelNodeGetAttribute(theirs, ids[i], &of_theirs);
        GPU_TRUE(a == b);
        if (memcmp(&of_ours, &of_theirs, 16) != 0) {
            printf("attribute %u of the nodes differs\n", ids[i]);
            GPU_TRUE(false);
        }
    }
}

static void test_captured_attributes(const struct bench *bench)
{
    const cubinet_launch_attributes ours = {
        .size = sizeof(ours),
        .flags = CUBINET_ATTRIBUTE_PRIORITY | CUBINET_ATTRIBUTE_MEMORY_DOMAIN |
                 CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP,
        .priority = -1,
        .memory_domain = CUBINET_DOMAIN_REMOTE,
        .memory_domain_map = {0, 1},
        .cluster_scheduling = CUBINET_CLUSTERS_SPREAD,
    };
    cbn_cu_launch_attribute theirs[5] = {{.id = CBN_CU_LAUNCH_PRIORITY},
                                         {.id = CBN_CU_LAUNCH_MEM_SYNC_DOMAIN},
                                         {.id = CBN_CU_LAUNCH_MEM_SYNC_DOMAIN_MAP},
                                         {.id = CBN_CU_LAUNCH_CLUSTER_SCHEDULING_POLICY_PREFERENCE},
                                         {.id = CBN_CU_LAUNCH_CLUSTER_DIMENSION}};
    theirs[0].value.priority = -1;
    theirs[1].value.domain = 1;
    theirs[2].value.domain_map.remote_domain = 1;
    theirs[3].value.cluster_scheduling = 1;
    theirs[4].value.cluster.x = 2;
    theirs[4].value.cluster.y = theirs[4].value.cluster.z = 1;
    struct both both = launch_of(CLUSTER_GRID, bench->streams[0]);
    both.ours.cluster[0] = 2;
    both.ours.attributes = &ours;
    both.theirs.attributes = theirs;
    both.theirs.attribute_count = 5;
    if (bench->compute_major < 9) {
        printf("skipped: memory domains and clusters need compute capability 9.0\n");
        return;
    }
    CUgraphNode nodes[2] = {NULL};
    CUgraph of_ours = capture(bench, true, &both, &nodes[0]);
    CUgraph of_theirs = capture(bench, false, &both, &nodes[1]);
    expect_same_nodes(bench, nodes[0], nodes[1]);
    GPU_DRIVER(bench->cu.cuGraphDestroy(of_ours));
    GPU_DRIVER(bench->cu.cuGraphDestroy(of_theirs));
    unsigned int sum = 0;
    CUdeviceptr memory = make_memory(bench, CLUSTER_GRID * sizeof(sum), 0);
    GPU_DRIVER(launch_both(bench, true, "clusters", &both, memory, NULL)); /* not captured */
    take_memory(bench, memory, &sum, sizeof(sum));
    printf("captured nodes have equal attributes\n");
}

static void test_updatable_nodes(const struct bench *bench)
{
    if (bench->version < 12040) {
        printf("skipped: nodes that kernels update need a driver for CUDA 12.4\n");
        return;
    }
    CUgraphDeviceNode node = NULL;
    const cubinet_launch_attributes ours = {
        .size = sizeof(ours), .flags = CUBINET_ATTRIBUTE_DEVICE_UPDATABLE, .out_device_node = &node};
    cbn_cu_launch_attribute theirs = {.id = CBN_CU_LAUNCH_DEVICE_UPDATABLE_KERNEL_NODE};
    theirs.value.device_updatable.is_updatable = 1;
    struct both both = launch_of(CLUSTER_GRID, bench->streams[0]);
    both.ours.attributes = &ours;
    both.theirs.attributes = &theirs;
    both.theirs.attribute_count = 1;
    CUgraphNode nodes[2] = {NULL};
    CUgraph of_ours = capture(bench, true, &both, &nodes[0]);
    CUgraph of_theirs = capture(bench, false, &both, &nodes[1]);
    printf("captured nodes that kernels update: handles %p and %p\n", (void *)node,
           (void *)theirs.value.device_updatable.node);
    GPU_TRUE((node != NULL) == (theirs.value.device_updatable.node != NULL));
    GPU_DRIVER(bench->cu.cuGraphDestroy(of_ours));
    GPU_DRIVER(bench->cu.cuGraphDestroy(of_theirs));
}

static void test_two_streams(const struct bench *bench)
{
    enum { BLOCKS = 8 };
    unsigned int values[2][BLOCKS];
    const unsigned int number = 7;
    CUdeviceptr memory[2] = {make_memory(bench, sizeof(values[0]), 0),
                             make_memory(bench, sizeof(values[0]), 0)};
    const cubinet_arg args[2][2] = {{CUBINET_ARG(memory[0]), CUBINET_ARG(number)},
                                    {CUBINET_ARG(memory[1]), CUBINET_ARG(number)}};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {BLOCKS}, .block = {1}};
    const cubinet_kernel *kernel = kernel_of(bench, "add");
    const cubinet_launch_target targets[] = {
        {.kernel = kernel, .stream = bench->streams[0], .args = args[0], .arg_count = 2},
        {.kernel = kernel, .stream = bench->streams[1], .args = args[1], .arg_count = 2},
    };
    size_t launched = 0;
    GPU_OK(cubinet_launch_each(&config, NULL, 0, targets, 2, &launched));
    GPU_TRUE(launched == 2);
    for (int i = 0; i < 2; i++) {
        take_memory(bench, memory[i], values[i], sizeof(values[i]));
        for (int j = 0; j < BLOCKS; j++) {
            GPU_TRUE(values[i][j] == number);
        }
    }
    printf("one call launched in two streams\n");
}

static struct bench start(const char *path)
{
    struct bench bench = {0};
    cubinet_device_profile profile = {.size = sizeof(profile)};
    bench.driver = gpu_start(&bench.calls);
    get_calls(&bench);
    GPU_OK(cubinet_driver_get_profile(bench.driver, 0, &profile));
    bench.compute_major = profile.compute_major;
    bench.version = cubinet_driver_get_version(bench.driver);
    GPU_OK(cubinet_archive_open(path, NULL, &bench.archive));
    GPU_OK(cubinet_module_load(bench.driver, bench.archive, "attributes", 0, NULL, &bench.module));
    GPU_DRIVER(bench.calls.cuCtxPushCurrent(cubinet_module_get_context(bench.module)));
    for (int i = 0; i < 2; i++) {
        GPU_DRIVER(bench.calls.cuStreamCreate(&bench.streams[i], 1 /* CU_STREAM_NON_BLOCKING */));
    }
    return bench;
}

int main(int argc, char **argv)
{
    GPU_TRUE(argc == 2);
    struct bench bench = start(argv[1]);
    test_programmatic_launches(&bench);
    test_events(&bench, true);
    test_events(&bench, false);
    test_priorities(&bench);
    test_cooperation(&bench);
    test_clusters(&bench);
    test_captured_attributes(&bench);
    test_updatable_nodes(&bench);
    test_two_streams(&bench);
    test_graphs(&bench);
    test_scratch_memory(&bench);
    test_green_contexts(&bench);
    for (int i = 0; i < 2; i++) {
        GPU_DRIVER(bench.calls.cuStreamDestroy(bench.streams[i]));
    }
    CUcontext popped = NULL;
    GPU_DRIVER(bench.calls.cuCtxPopCurrent(&popped));
    GPU_OK(cubinet_module_unload(bench.module));
    cubinet_archive_close(bench.archive);
    cubinet_driver_close(bench.driver);
    return 0;
}
