/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators by the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001). */
#include "ptx/addresses/ptx_flow.h"

#include <stdlib.h>
#include <string.h>

/* Edges by where they lead, in rows like those of a frontier, and the order of a walk. */
struct graph {
    const struct ptx_code *code;
    uint32_t *start; /* block_count + 1 */
    uint32_t *predecessors;
    uint32_t *order;    /* reachable blocks, each after those that it leads to, but for edges back */
    uint32_t *position; /* of a block in `order`; PTX_NONE */
    uint32_t reachable;
};

static uint32_t *numbers(size_t count, struct ptx_flow *flow)
{
    uint32_t *array = malloc((count + 1) * sizeof(*array));
    flow->failed |= !array;
    if (array) {
        memset(array, 0xff, (count + 1) * sizeof(*array)); /* PTX_NONE */
    }
    return array;
}

/* Turns counts of rows into where each begins; `starts` has an element more than there are counts. */
static void counts_to_starts(uint32_t *starts, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t rows = starts[i];
        starts[i] = sum;
        sum += rows;
    }
}

static void find_predecessors(struct graph *graph)
{
    const struct ptx_code *code = graph->code;
    memset(graph->start, 0, ((size_t)code->block_count + 1) * sizeof(*graph->start));
    for (uint32_t i = 0; i < 2 * code->block_count; i++) {
        uint32_t to = code->blocks[i / 2].successors[i % 2];
        if (to != PTX_NONE) {
            graph->start[to]++;
        }
    }
    counts_to_starts(graph->start, code->block_count);
    for (uint32_t i = 2 * code->block_count; i-- > 0;) {
        uint32_t to = code->blocks[i / 2].successors[i % 2];
        if (to != PTX_NONE) {
            graph->predecessors[graph->start[to]++] = i / 2;
        }
    }
    memmove(graph->start + 1, graph->start, code->block_count * sizeof(*graph->start));
    graph->start[0] = 0;
}

/* Walks depth first. `stack` and `next` (which successor comes next) have an element for each block. */
static void find_order(struct graph *graph, uint32_t *stack, uint32_t *next)
{
    uint32_t depth = 1;
    stack[0] = 0;
    next[0] = 0;
    while (depth > 0) {
        uint32_t block = stack[depth - 1];
        if (next[block] == 2) {
            graph->position[block] = graph->reachable;
            graph->order[graph->reachable++] = block;
            depth--;
            continue;
        }
        uint32_t to = graph->code->blocks[block].successors[next[block]++];
        if (to != PTX_NONE && next[to] == PTX_NONE) {
            next[to] = 0;
            stack[depth++] = to;
        }
    }
}

static uint32_t meet(const struct graph *graph, const uint32_t *dominator, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (graph->position[a] < graph->position[b]) {
            a = dominator[a];
        } else {
            b = dominator[b];
        }
    }
    return a;
}

static uint32_t meet_predecessors(const struct graph *graph, const uint32_t *dominator, uint32_t block)
{
    uint32_t result = PTX_NONE;
    for (uint32_t i = graph->start[block]; i < graph->start[block + 1]; i++) {
        uint32_t from = graph->predecessors[i];
        if (dominator[from] != PTX_NONE) {
            result = result == PTX_NONE ? from : meet(graph, dominator, from, result);
        }
    }
    return result;
}

static void find_dominators(const struct graph *graph, uint32_t *dominator)
{
    dominator[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = graph->reachable - 1; i-- > 0;) {
            uint32_t block = graph->order[i];
            uint32_t found = meet_predecessors(graph, dominator, block);
            changed |= found != dominator[block];
            dominator[block] = found;
        }
    }
    dominator[0] = PTX_NONE;
}

/* Numbers the tree of dominators. A block comes before those it dominates in the reverse of `order`, so sizes
 * of subtrees add up in one pass and places are handed out in another. */
static void number_tree(const struct graph *graph, struct ptx_flow *flow)
{
    for (uint32_t i = 0; i < graph->reachable; i++) {
        flow->left[graph->order[i]] = 1; /* size of the subtree, for now */
    }
    for (uint32_t i = 0; i + 1 < graph->reachable; i++) {
        flow->left[flow->dominator[graph->order[i]]] += flow->left[graph->order[i]];
    }
    /* `entered` of a dominator moves on past each child, and back at the end. */
    flow->entered[0] = 0;
    for (uint32_t i = graph->reachable - 1; i-- > 0;) {
        uint32_t block = graph->order[i];
        uint32_t above = flow->dominator[block];
        flow->entered[block] = flow->entered[above] + 1;
        flow->entered[above] += flow->left[block];
    }
    for (uint32_t i = 0; i < graph->reachable; i++) {
        uint32_t block = graph->order[i];
        uint32_t size = flow->left[block];
        flow->left[block] = flow->entered[block] + 1;
        flow->entered[block] = flow->left[block] - size;
    }
}

/* Calls for each block and each member of its frontier: counts if `rows` is NULL, else files. A block may
 * name a member twice. False once there are too many. */
static bool walk_frontiers(const struct graph *graph, struct ptx_flow *flow, uint32_t *rows)
{
    uint64_t limit = 64 * (uint64_t)flow->block_count + 1024;
    for (uint32_t block = 0; block < flow->block_count; block++) {
        if (graph->start[block + 1] - graph->start[block] < 2 || graph->position[block] == PTX_NONE) {
            continue;
        }
        for (uint32_t i = graph->start[block]; i < graph->start[block + 1]; i++) {
            uint32_t at = graph->predecessors[i];
            if (graph->position[at] == PTX_NONE) {
                continue;
            }
            for (; at != PTX_NONE && at != flow->dominator[block]; at = flow->dominator[at]) {
                if (limit-- == 0) {
                    return false;
                }
                if (rows) {
                    rows[flow->frontier_start[at]++] = block;
                } else {
                    flow->frontier_start[at]++;
                }
            }
        }
    }
    return true;
}

static void find_frontiers(const struct graph *graph, struct ptx_flow *flow)
{
    memset(flow->frontier_start, 0, ((size_t)flow->block_count + 1) * sizeof(*flow->frontier_start));
    if (!walk_frontiers(graph, flow, NULL)) {
        flow->failed = true;
        return;
    }
    counts_to_starts(flow->frontier_start, flow->block_count);
    flow->frontier = numbers(flow->frontier_start[flow->block_count], flow);
    if (!flow->failed) {
        walk_frontiers(graph, flow, flow->frontier);
        memmove(flow->frontier_start + 1, flow->frontier_start,
                flow->block_count * sizeof(*flow->frontier_start));
        flow->frontier_start[0] = 0;
    }
}

struct ptx_flow ptx_flow_of(const struct ptx_code *code)
{
    struct ptx_flow flow = {.block_count = code->block_count};
    size_t count = code->block_count;
    flow.dominator = numbers(count, &flow);
    flow.entered = numbers(count, &flow);
    flow.left = numbers(count, &flow);
    flow.frontier_start = numbers(count, &flow);
    struct graph graph = {
        .code = code,
        .start = numbers(count, &flow),
        .predecessors = numbers(2 * count, &flow),
        .order = numbers(count, &flow),
        .position = numbers(count, &flow),
    };
    if (!flow.failed) {
        find_predecessors(&graph);
        find_order(&graph, flow.left, flow.entered); /* arrays that are free until then */
        find_dominators(&graph, flow.dominator);
        number_tree(&graph, &flow);
        find_frontiers(&graph, &flow);
    }
    free(graph.start);
    free(graph.predecessors);
    free(graph.order);
    free(graph.position);
    return flow;
}

void ptx_flow_free(struct ptx_flow *flow)
{
    free(flow->dominator);
    free(flow->entered);
    free(flow->left);
    free(flow->frontier_start);
    free(flow->frontier);
    *flow = (struct ptx_flow){0};
}

bool ptx_flow_dominates(const struct ptx_flow *flow, uint32_t block, uint32_t other)
{
    return flow->dominator[other] != PTX_NONE || other == 0
               ? (flow->dominator[block] != PTX_NONE || block == 0) &&
                     flow->entered[block] <= flow->entered[other] && flow->left[other] <= flow->left[block]
               : false;
}
