/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, their nodes, and the capture of one stream at a time. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static struct CUgraphNode_st *add_node(struct CUgraph_st *graph, enum simdriver_node_kind kind)
{
    struct CUgraphNode_st *node = calloc(1, sizeof(*node));
    if (!node) {
        abort();
    }
    struct CUgraphNode_st **link = &graph->nodes;
    while (*link) {
        link = &(*link)->next;
    }
    *link = node;
    node->graph = graph;
    node->node.kind = kind;
    node->node.handle = node;
    return node;
}

static void set_launch(struct CUgraphNode_st *node, CUfunction function,
                       const struct simdriver_launch *launch)
{
    node->function = function;
    node->node.launch = *launch;
    for (unsigned int i = 0; i < launch->arg_count; i++) {
        node->params[i] = node->node.launch.args[i];
    }
}

static bool is_graph(const struct CUgraph_st *graph)
{
    for (const struct CUgraph_st *found = sim.graphs; found; found = found->next) {
        if (found == graph) {
            return true;
        }
    }
    return false;
}

static bool is_node(const struct CUgraphNode_st *node)
{
    for (const struct CUgraph_st *graph = sim.graphs; graph; graph = graph->next) {
        for (const struct CUgraphNode_st *found = graph->nodes; found; found = found->next) {
            if (found == node) {
                return true;
            }
        }
    }
    return false;
}

/* Edges from nodes of the same graph. */
static cbn_cu_result add_edges(struct CUgraphNode_st *node, const CUgraphNode *before, size_t count,
                               bool programmatic)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_node(before[i]) || before[i]->graph != node->graph ||
            node->node.edge_count == SIMDRIVER_MAX_EDGES) {
            return CBN_CU_INVALID_VALUE;
        }
        if (programmatic && before[i]->node.kind != SIMDRIVER_NODE_KERNEL) {
            return CBN_CU_INVALID_VALUE;
        }
        node->node.programmatic[node->node.edge_count] = programmatic;
        node->node.before[node->node.edge_count++] = before[i];
    }
    return CBN_CU_SUCCESS;
}

/* What a launch is checked for besides its sizes. */
static unsigned int shape_of(const struct simdriver_launch *launch, cbn_cu_launch_attribute attributes[2])
{
    unsigned int count = 0;
    if (launch->cooperative) {
        attributes[count++] =
            (cbn_cu_launch_attribute){.id = CBN_CU_LAUNCH_COOPERATIVE, .value.cooperative = 1};
    }
    if (launch->cluster[0]) {
        attributes[count] = (cbn_cu_launch_attribute){.id = CBN_CU_LAUNCH_CLUSTER_DIMENSION};
        attributes[count].value.cluster.x = launch->cluster[0];
        attributes[count].value.cluster.y = launch->cluster[1];
        attributes[count++].value.cluster.z = launch->cluster[2];
    }
    return count;
}

/* With cluster and cooperation of what the node was; NULL: it is new. */
static cbn_cu_result read_node(const cbn_cu_kernel_node *params, const struct simdriver_launch *old,
                               struct simdriver_launch *launch)
{
    cbn_cu_launch_attribute attributes[2];
    const cbn_cu_launch_config config = {
        .grid_x = params->grid_x,
        .grid_y = params->grid_y,
        .grid_z = params->grid_z,
        .block_x = params->block_x,
        .block_y = params->block_y,
        .block_z = params->block_z,
        .dynamic_shared_bytes = params->dynamic_shared_bytes,
        .attributes = attributes,
        .attribute_count = old ? shape_of(old, attributes) : 0,
    };
    if (!sim_find_function(params->function)) {
        return sim_misuse(CBN_CU_INVALID_HANDLE, "a node of a function that is gone");
    }
    return params->extra ? CBN_CU_INVALID_VALUE
                         : sim_read_launch(&config, params->function, params->params, launch);
}

cbn_cu_result sim_cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                       size_t count, const cbn_cu_kernel_node *params)
{
    static struct simdriver_launch launch; /* large; the lock is held */
    if (!is_graph(graph)) {
        return sim_misuse(CBN_CU_INVALID_VALUE, "a node for a graph that is gone");
    }
    cbn_cu_result result = read_node(params, NULL, &launch);
    if (result != CBN_CU_SUCCESS) {
        return result;
    }
    struct CUgraphNode_st *added = add_node(graph, SIMDRIVER_NODE_KERNEL);
    set_launch(added, params->function, &launch);
    *node = added;
    return add_edges(added, dependencies, count, false);
}

static cbn_cu_result need_kernel_node(CUgraphNode node)
{
    return !is_node(node) ? sim_misuse(CBN_CU_INVALID_VALUE, "a node that is gone")
           : node->node.kind == SIMDRIVER_NODE_KERNEL ? CBN_CU_SUCCESS
                                                      : CBN_CU_INVALID_VALUE;
}

cbn_cu_result sim_cuGraphKernelNodeGetParams(CUgraphNode node, cbn_cu_kernel_node *params)
{
    cbn_cu_result result = need_kernel_node(node);
    if (result != CBN_CU_SUCCESS) {
        return result;
    }
    const struct simdriver_launch *launch = &node->node.launch;
    *params = (cbn_cu_kernel_node){
        .function = node->function,
        .grid_x = launch->grid[0],
        .grid_y = launch->grid[1],
        .grid_z = launch->grid[2],
        .block_x = launch->block[0],
        .block_y = launch->block[1],
        .block_z = launch->block[2],
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .params = node->params,
    };
    return CBN_CU_SUCCESS;
}

/* A node keeps its attributes. */
static cbn_cu_result replace(struct CUgraphNode_st *node, const cbn_cu_kernel_node *params)
{
    static struct simdriver_launch launch; /* large; the lock is held */
    const struct simdriver_launch *old = &node->node.launch;
    cbn_cu_result result = read_node(params, old, &launch);
    if (result == CBN_CU_SUCCESS) {
        memcpy(launch.attributes, old->attributes, sizeof(launch.attributes));
        launch.attribute_count = old->attribute_count;
        set_launch(node, params->function, &launch);
    }
    return result;
}

cbn_cu_result sim_cuGraphKernelNodeSetParams(CUgraphNode node, const cbn_cu_kernel_node *params)
{
    cbn_cu_result result = need_kernel_node(node);
    return result == CBN_CU_SUCCESS ? replace(node, params) : result;
}

cbn_cu_result sim_cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                 const cbn_cu_kernel_node *params)
{
    cbn_cu_result result = need_kernel_node(node);
    if (result != CBN_CU_SUCCESS || exec->copy.origin != node->graph) {
        return result != CBN_CU_SUCCESS ? result : CBN_CU_INVALID_VALUE;
    }
    struct CUgraphNode_st *copy = exec->copy.nodes;
    for (const struct CUgraphNode_st *found = node->graph->nodes; found != node; found = found->next) {
        copy = copy->next;
    }
    return replace(copy, params);
}

cbn_cu_result sim_cuGraphKernelNodeGetAttribute(CUgraphNode node, unsigned int attribute,
                                                cbn_cu_launch_value *value)
{
    cbn_cu_result result = need_kernel_node(node);
    if (result == CBN_CU_SUCCESS) {
        const unsigned char *noted = simdriver_attribute_of(&node->node.launch, attribute);
        memset(value, 0, sizeof(*value));
        if (noted) {
            memcpy(value, noted, sizeof(*value));
        }
    }
    return result;
}

/* Zeros: the kernel's own, or none. */
static cbn_cu_result set_cluster(struct CUgraphNode_st *node, const cbn_cu_launch_value *value)
{
    struct simdriver_launch *launch = &node->node.launch;
    const unsigned int old[] = {launch->cluster[0], launch->cluster[1], launch->cluster[2]};
    launch->cluster[0] = value->cluster.x;
    launch->cluster[1] = value->cluster.y;
    launch->cluster[2] = value->cluster.z;
    cbn_cu_result result = sim_check_cluster(node->function->kernel, launch);
    if (result != CBN_CU_SUCCESS) {
        memcpy(launch->cluster, old, sizeof(old));
    }
    return result;
}

cbn_cu_result sim_cuGraphKernelNodeSetAttribute(CUgraphNode node, unsigned int attribute,
                                                const cbn_cu_launch_value *value)
{
    cbn_cu_result result = need_kernel_node(node);
    bool is_of_launches = attribute == CBN_CU_LAUNCH_PROGRAMMATIC_STREAM_SERIALIZATION ||
                          attribute == CBN_CU_LAUNCH_PROGRAMMATIC_EVENT ||
                          attribute == CBN_CU_LAUNCH_LAUNCH_COMPLETION_EVENT;
    if (result != CBN_CU_SUCCESS || is_of_launches) {
        return result != CBN_CU_SUCCESS
                   ? result
                   : sim_misuse(CBN_CU_INVALID_VALUE, "no node has attribute %u", attribute);
    }
    struct simdriver_launch *launch = &node->node.launch;
    unsigned int i = 0;
    while (i < launch->attribute_count && launch->attributes[i].id != attribute) {
        i++;
    }
    if (i == SIMDRIVER_MAX_LAUNCH_ATTRIBUTES) {
        return CBN_CU_INVALID_VALUE;
    }
    launch->attribute_count += i == launch->attribute_count;
    launch->attributes[i].id = attribute;
    cbn_cu_launch_value noted = *value;
    if (attribute == CBN_CU_LAUNCH_DEVICE_UPDATABLE_KERNEL_NODE) {
        noted.device_updatable.node = (CUgraphDeviceNode)(uintptr_t)(0x1000 + ++sim.device_nodes);
    } else if (attribute == CBN_CU_LAUNCH_COOPERATIVE) {
        launch->cooperative = value->cooperative != 0;
    } else if (attribute == CBN_CU_LAUNCH_CLUSTER_DIMENSION) {
        result = set_cluster(node, value);
    }
    if (result == CBN_CU_SUCCESS) {
        memcpy(launch->attributes[i].value, &noted, sizeof(noted));
    }
    return result;
}

cbn_cu_result sim_cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                         size_t count, cbn_cu_alloc_node *params)
{
    if (!is_graph(graph) || params->bytes == 0 || params->bytes > (size_t)1 << 40 ||
        params->pool.type != CBN_CU_MEM_ALLOCATION_PINNED ||
        params->pool.location_type != CBN_CU_MEM_LOCATION_DEVICE ||
        params->pool.location_id >= sim.device_count) {
        return CBN_CU_INVALID_VALUE;
    }
    struct CUgraphNode_st *added = add_node(graph, SIMDRIVER_NODE_ALLOCATION);
    params->address = added->node.address = sim_new_address(params->bytes);
    added->node.bytes = params->bytes;
    *node = added;
    return add_edges(added, dependencies, count, false);
}

cbn_cu_result sim_cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                        size_t count, CUdeviceptr address)
{
    if (!is_graph(graph)) {
        return CBN_CU_INVALID_VALUE;
    }
    struct CUgraphNode_st *added = add_node(graph, SIMDRIVER_NODE_FREE);
    added->node.address = address;
    *node = added;
    return add_edges(added, dependencies, count, false);
}

cbn_cu_result sim_cuGraphMemAllocNodeGetParams(CUgraphNode node, cbn_cu_alloc_node *params)
{
    if (!is_node(node) || node->node.kind != SIMDRIVER_NODE_ALLOCATION) {
        return CBN_CU_INVALID_VALUE;
    }
    *params = (cbn_cu_alloc_node){.bytes = node->node.bytes, .address = node->node.address};
    return CBN_CU_SUCCESS;
}

/* As many as there is room for; NULL after the last. */
cbn_cu_result sim_cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies, size_t *count)
{
    if (!is_node(node)) {
        return sim_misuse(CBN_CU_INVALID_VALUE, "a node that is gone");
    }
    for (size_t i = 0; i < *count; i++) {
        dependencies[i] = i < node->node.edge_count ? node->node.before[i] : NULL;
    }
    *count = *count < node->node.edge_count ? *count : node->node.edge_count;
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuGraphDestroyNode(CUgraphNode node)
{
    if (!is_node(node)) {
        return sim_misuse(CBN_CU_INVALID_VALUE, "a node that is gone is destroyed");
    }
    struct CUgraphNode_st **link = &node->graph->nodes;
    while (*link != node) {
        link = &(*link)->next;
    }
    *link = node->next;
    free(node);
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                         const cbn_cu_edge *edges, size_t count)
{
    cbn_cu_result result = is_graph(graph) ? CBN_CU_SUCCESS : CBN_CU_INVALID_VALUE;
    for (size_t i = 0; result == CBN_CU_SUCCESS && i < count; i++) {
        bool programmatic = edges && edges[i].type == CBN_CU_GRAPH_DEPENDENCY_PROGRAMMATIC &&
                            edges[i].from_port == CBN_CU_GRAPH_PORT_PROGRAMMATIC;
        result = is_node(to[i]) ? add_edges(to[i], &from[i], 1, programmatic) : CBN_CU_INVALID_VALUE;
    }
    return result;
}

static _Thread_local unsigned int capture_mode;

cbn_cu_result sim_cuThreadExchangeStreamCaptureMode(unsigned int *mode)
{
    unsigned int before = capture_mode;
    capture_mode = *mode;
    *mode = before;
    return CBN_CU_SUCCESS;
}

bool sim_is_relaxed(void)
{
    return capture_mode == CBN_CU_CAPTURE_RELAXED;
}

struct CUgraph_st *sim_capture_of(CUstream stream)
{
    return sim.captured && stream == sim.capturing ? sim.captured : NULL;
}

static struct CUgraphNode_st *add_behind(struct CUgraph_st *graph, enum simdriver_node_kind kind)
{
    struct CUgraphNode_st *last = graph->nodes;
    while (last && last->next) {
        last = last->next;
    }
    struct CUgraphNode_st *node = add_node(graph, kind);
    if (last) {
        add_edges(node, &last, 1, false);
    }
    return node;
}

cbn_cu_result sim_capture_launch(struct CUgraph_st *graph, CUfunction function,
                                 const struct simdriver_launch *launch)
{
    struct CUgraphNode_st *node = add_behind(graph, SIMDRIVER_NODE_KERNEL);
    set_launch(node, function, launch);
    const unsigned char *value =
        simdriver_attribute_of(launch, CBN_CU_LAUNCH_PROGRAMMATIC_STREAM_SERIALIZATION);
    if (value && node->node.edge_count) {
        node->node.programmatic[0] = true;
    }
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_capture_memory(struct CUgraph_st *graph, enum simdriver_node_kind kind, CUdeviceptr address,
                                 size_t bytes)
{
    struct CUgraphNode_st *node = add_behind(graph, kind);
    node->node.address = address;
    node->node.bytes = bytes;
    return CBN_CU_SUCCESS;
}

static struct CUgraph_st *new_graph(void)
{
    struct CUgraph_st *graph = calloc(1, sizeof(*graph));
    if (!graph) {
        abort();
    }
    graph->next = sim.graphs;
    sim.graphs = graph;
    return graph;
}

CUgraph simdriver_create_graph(void)
{
    sim_lock();
    struct CUgraph_st *graph = new_graph();
    sim_unlock();
    return graph;
}

void simdriver_begin_capture(CUstream stream)
{
    sim_lock();
    sim.captured = new_graph();
    sim.capturing = stream;
    sim_unlock();
}

CUgraph simdriver_end_capture(void)
{
    sim_lock();
    struct CUgraph_st *graph = sim.captured;
    sim.captured = NULL;
    sim_unlock();
    return graph;
}

CUgraphExec simdriver_instantiate(CUgraph graph)
{
    struct CUgraphExec_st *exec = calloc(1, sizeof(*exec));
    if (!exec) {
        abort();
    }
    sim_lock();
    exec->copy.origin = graph;
    for (const struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
        struct CUgraphNode_st *copy = add_node(&exec->copy, node->node.kind);
        copy->node = node->node;
        if (node->function) {
            set_launch(copy, node->function, &node->node.launch);
        }
    }
    exec->next = sim.execs;
    sim.execs = exec;
    sim_unlock();
    return exec;
}

unsigned int simdriver_launch_graph(CUgraphExec exec)
{
    unsigned int count = 0;
    sim_lock();
    for (const struct CUgraphNode_st *node = exec->copy.nodes; node; node = node->next) {
        if (node->node.kind != SIMDRIVER_NODE_KERNEL) {
            continue;
        }
        if (!sim_find_function(node->function)) {
            sim_misuse(CBN_CU_INVALID_HANDLE, "a graph launches a function that is gone");
        } else {
            sim.launch = node->node.launch;
            count++;
        }
    }
    sim_unlock();
    return count;
}

static void free_nodes(struct CUgraph_st *graph)
{
    while (graph->nodes) {
        struct CUgraphNode_st *next = graph->nodes->next;
        free(graph->nodes);
        graph->nodes = next;
    }
}

void simdriver_destroy_graph(CUgraph graph)
{
    sim_lock();
    for (struct CUgraph_st **link = &sim.graphs; *link; link = &(*link)->next) {
        if (*link == graph) {
            *link = graph->next;
            free_nodes(graph);
            free(graph);
            break;
        }
    }
    sim_unlock();
}

void simdriver_destroy_exec(CUgraphExec exec)
{
    sim_lock();
    for (struct CUgraphExec_st **link = &sim.execs; *link; link = &(*link)->next) {
        if (*link == exec) {
            *link = exec->next;
            free_nodes(&exec->copy);
            free(exec);
            break;
        }
    }
    sim_unlock();
}

void sim_free_graphs(void)
{
    while (sim.graphs) {
        struct CUgraph_st *next = sim.graphs->next;
        free_nodes(sim.graphs);
        free(sim.graphs);
        sim.graphs = next;
    }
    while (sim.execs) {
        struct CUgraphExec_st *next = sim.execs->next;
        free_nodes(&sim.execs->copy);
        free(sim.execs);
        sim.execs = next;
    }
}

unsigned int simdriver_node_count(CUgraph graph)
{
    unsigned int count = 0;
    sim_lock();
    for (const struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
        count++;
    }
    sim_unlock();
    return count;
}

struct simdriver_node simdriver_node_of(CUgraph graph, unsigned int number)
{
    sim_lock();
    const struct CUgraphNode_st *node = graph->nodes;
    while (number-- > 0) {
        node = node->next;
    }
    struct simdriver_node copy = node->node;
    sim_unlock();
    return copy;
}
