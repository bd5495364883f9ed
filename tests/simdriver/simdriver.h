/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated CUDA driver: a shared library with libcuda's entry points (as far as Cubinet calls them, made
 * from the same list), and the functions below, by which tests set the machine up and see what was done.
 *
 * Programs that are started as children set their machine up by the environment:
 *     CUBINET_LIBCUDA=/path/of/libsimcuda.so SIMCUDA_DEVICES=9.0,8.7t,7.5 SIMCUDA_DRIVER_VERSION=13000
 *
 * The answers were compared with those of a real driver (580.159, CUDA 13.0, on an H200): cuLibraryLoadData()
 * accepts code that no device can run, and cuLibraryGetKernel() is the first to refuse it. With several
 * devices a kernel exists if one of them can run it, and cuKernelGetFunction() refuses it for the others.
 *
 * Calls of one test must not overlap calls of the driver that another thread makes, but for the readers of
 * counters. */
#ifndef SIMDRIVER_H
#define SIMDRIVER_H

#include <cubinet/cuda_types.h>

#include <stdbool.h>
#include <stddef.h>

#define SIMDRIVER_API __attribute__((visibility("default")))

enum {
    SIMDRIVER_MAX_DEVICES = 16,
    SIMDRIVER_MAX_ARGS = 256,
    SIMDRIVER_ARG_SIZE = 64, /* bytes of an argument that are recorded */
    SIMDRIVER_MAX_LAUNCH_ATTRIBUTES = 32,
    SIMDRIVER_MAX_EDGES = 8, /* from a node of a graph to those before it */
};

/* One device, one 9.0; the driver version of the variant; no script, no counts, no live object. */
SIMDRIVER_API void simdriver_reset(void);

/* Devices as "9.0,8.7t,7.5": compute capabilities, `t` for an integrated one; "" for none. False if it is no
 * such list. */
SIMDRIVER_API bool simdriver_set_devices(const char *list);
SIMDRIVER_API void simdriver_set_version(int version);

/* Sets one CUdevice_attribute of a device that is not as its compute capability would have it. */
SIMDRIVER_API void simdriver_set_attribute(int device, unsigned int attribute, int value);

/* Lets call number `call` (from 1, counted from now) of a function fail with a result, and every later one
 * too if `and_after`. NULL for the function: of all functions together. A destructor that fails so has still
 * done its work, as the real ones have when they return an earlier fault. */
SIMDRIVER_API void simdriver_fail(const char *function, unsigned int call, unsigned int result,
                                  bool and_after);
SIMDRIVER_API void simdriver_fail_none(void);

/* Lets every call of a function take so long, outside the driver's lock: for races between threads. */
SIMDRIVER_API void simdriver_delay(const char *function, unsigned int microseconds);

/* Calls since the reset; NULL: of all functions. */
SIMDRIVER_API unsigned int simdriver_calls(const char *function);

/* Calls of cuCtxSynchronize(), and what the next ones return. */
SIMDRIVER_API unsigned int simdriver_waits(void);
SIMDRIVER_API void simdriver_fail_waits(unsigned int result);

/* Live objects. */
SIMDRIVER_API unsigned int simdriver_live_libraries(void);
SIMDRIVER_API unsigned int simdriver_retained_contexts(void); /* sum over the devices */

/* The memory of a stream that was allocated last. */
struct simdriver_memory {
    unsigned int live;   /* allocations that were not freed */
    CUdeviceptr address; /* of the last, a multiple of 256 and of nothing larger */
    size_t bytes;
    CUstream stream;
    CUstream freed_in;   /* the stream in which the last one was freed */
    bool freed_too_soon; /* before the launch that followed the allocation */
};
SIMDRIVER_API struct simdriver_memory simdriver_last_memory(void);

/* Uses that a correct program never makes (a freed handle, a function in another context, one release too
 * many), and what the last one was. */
SIMDRIVER_API unsigned int simdriver_misuses(void);
SIMDRIVER_API const char *simdriver_last_misuse(void);

/* Makes a context as cuCtxCreate() would, but not current; and destroys it. */
SIMDRIVER_API CUcontext simdriver_create_context(int device);
SIMDRIVER_API void simdriver_destroy_context(CUcontext context);

/* As cuGreenCtxCreate() and cuCtxFromGreenCtx() would, a context with so many of the device's
 * multiprocessors. */
SIMDRIVER_API CUcontext simdriver_create_green_context(int device, unsigned int multiprocessors);

/* An attribute of a launch or a node: CUlaunchAttributeID, CUlaunchAttributeValue. */
struct simdriver_attribute {
    unsigned int id;
    unsigned char value[64];
};

/* The last launch that was accepted. */
struct simdriver_launch {
    char kernel[256];
    CUcontext context;
    int device;
    CUstream stream;
    unsigned int grid[3];
    unsigned int block[3];
    unsigned int cluster[3]; /* of the attribute; 0 without it */
    unsigned int dynamic_shared_bytes;
    bool cooperative;
    unsigned int arg_count;
    unsigned int arg_sizes[SIMDRIVER_MAX_ARGS];
    unsigned char args[SIMDRIVER_MAX_ARGS][SIMDRIVER_ARG_SIZE];
    unsigned int attribute_count; /* all of them, in the order that they were given or set in */
    struct simdriver_attribute attributes[SIMDRIVER_MAX_LAUNCH_ATTRIBUTES];
};
SIMDRIVER_API struct simdriver_launch simdriver_last_launch(void);

/* The value of an attribute; NULL if the launch has none of that id. */
SIMDRIVER_API const unsigned char *simdriver_attribute_of(const struct simdriver_launch *launch,
                                                          unsigned int id);

/* Graphs. Launches, allocations and frees in a stream that is being captured become nodes, each after the
 * one before it. An executable graph is a copy; launching one makes each launch of it the last one, in the
 * order of the nodes, and notices kernels that were unloaded. */
SIMDRIVER_API CUgraph simdriver_create_graph(void);
SIMDRIVER_API void simdriver_begin_capture(CUstream stream);
SIMDRIVER_API CUgraph simdriver_end_capture(void);
SIMDRIVER_API CUgraphExec simdriver_instantiate(CUgraph graph);
SIMDRIVER_API unsigned int simdriver_launch_graph(CUgraphExec exec); /* launches that were made */
SIMDRIVER_API void simdriver_destroy_graph(CUgraph graph);           /* and of an executable one */
SIMDRIVER_API void simdriver_destroy_exec(CUgraphExec exec);

enum simdriver_node_kind { SIMDRIVER_NODE_KERNEL, SIMDRIVER_NODE_ALLOCATION, SIMDRIVER_NODE_FREE };

/* A node of a graph, by its number in the order in which they were added. */
struct simdriver_node {
    CUgraphNode handle;
    enum simdriver_node_kind kind;
    struct simdriver_launch launch; /* of a kernel's */
    CUdeviceptr address;            /* that is allocated or freed */
    size_t bytes;
    unsigned int edge_count;
    CUgraphNode before[SIMDRIVER_MAX_EDGES];
    bool programmatic[SIMDRIVER_MAX_EDGES]; /* edges */
};
SIMDRIVER_API unsigned int simdriver_node_count(CUgraph graph);
SIMDRIVER_API struct simdriver_node simdriver_node_of(CUgraph graph, unsigned int number);

/* A kernel's opted-in dynamic shared memory on a device; -1 if there is no live kernel of that name. */
SIMDRIVER_API int simdriver_dynamic_shared(const char *kernel, int device);

/* How often a kernel's opted-in memory was set to less than it was. */
SIMDRIVER_API unsigned int simdriver_lowered(void);

/* Sets what launches take, and what comes of them: see sim_compute.c. By default $SIMCUDA_TIMES. */
SIMDRIVER_API void simdriver_set_times(const char *model);

#endif
