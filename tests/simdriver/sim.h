/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the simulated driver. All of it is guarded by one lock, which sim_enter() and sim_lock() take.
 */
#ifndef SIM_H
#define SIM_H

#include "loader/driver/driver_table.h"
#include "simdriver.h"

#include "image/contents.h"

#include <pthread.h>
#include <stdbool.h>

/* The CUDA release that this variant of the library is of. */
#ifndef SIM_RELEASE
#define SIM_RELEASE 13000
#endif

/* 1: a toolkit's stub, which answers everything with CUDA_ERROR_STUB_LIBRARY. */
#ifndef SIM_STUB
#define SIM_STUB 0
#endif

enum sim_function {
#define SIM_ID(name, symbol, params, args, need, since) SIM_##name,
    CBN_DRIVER_FUNCTIONS(SIM_ID)
#undef SIM_ID
        SIM_FUNCTION_COUNT
};

enum { SIM_MAX_SCRIPTS = 8, SIM_MAX_ATTRIBUTES = 160, SIM_MAX_MEMORY = 64, SIM_ANY_FUNCTION = -1 };

struct CUctx_st {
    int device;
    bool is_primary;
    unsigned int retained;        /* of a created one: 1 until it is destroyed */
    unsigned int multiprocessors; /* 0: all of the device's */
    struct CUctx_st *next;        /* created ones */
};

struct sim_device {
    int major;
    int minor;
    bool is_integrated;
    char name[64];
    int attributes[SIM_MAX_ATTRIBUTES];
    struct CUctx_st primary;
};

struct CUfunc_st {
    struct CUkern_st *kernel;
    struct CUctx_st *context;
    struct CUfunc_st *next;
};

struct CUkern_st {
    struct CUlib_st *library;
    const struct contents_kernel *contents;
    int dynamic_shared[SIMDRIVER_MAX_DEVICES];
    int large_clusters[SIMDRIVER_MAX_DEVICES];
    int carve_outs[SIMDRIVER_MAX_DEVICES]; /* percent + 1; 0: the default */
    struct CUfunc_st *functions;
};

struct CUlib_st {
    struct contents contents;
    cbn_cu_result verdicts[SIMDRIVER_MAX_DEVICES]; /* what becomes of its kernels on each device */
    bool runs_somewhere;
    struct CUkern_st *kernels; /* contents.kernel_count of them */
    CUdeviceptr globals;       /* address of the first */
    struct CUlib_st *next;
};

struct CUgraphNode_st {
    struct simdriver_node node;
    struct CUgraph_st *graph;
    CUfunction function;
    void *params[SIMDRIVER_MAX_ARGS]; /* into the launch's arguments */
    struct CUgraphNode_st *next;
};

struct CUgraph_st {
    struct CUgraphNode_st *nodes;    /* in the order in which they were added */
    const struct CUgraph_st *origin; /* of an executable one's copy */
    struct CUgraph_st *next;
};

struct CUgraphExec_st {
    struct CUgraph_st copy; /* its nodes in the order of the original's */
    struct CUgraphExec_st *next;
};

struct sim_script {
    int function; /* or SIM_ANY_FUNCTION */
    unsigned int call;
    unsigned int seen; /* calls since the script was set */
    cbn_cu_result result;
    bool and_after;
};

struct sim {
    bool is_initialised;
    int version;
    int device_count;
    struct sim_device devices[SIMDRIVER_MAX_DEVICES];
    struct CUctx_st *created;
    struct CUlib_st *libraries;
    CUdeviceptr next_address;
    struct sim_script scripts[SIM_MAX_SCRIPTS];
    int script_count;
    unsigned int calls[SIM_FUNCTION_COUNT];
    unsigned int delays[SIM_FUNCTION_COUNT]; /* microseconds */
    unsigned int all_calls;
    unsigned int lowered; /* times that a kernel's dynamic shared memory was */
    unsigned int waits;
    cbn_cu_result wait_result;
    unsigned int misuses;
    char last_misuse[256];
    struct simdriver_launch launch;
    struct CUgraph_st *graphs;
    struct CUgraphExec_st *execs;
    struct CUgraph_st *captured; /* NULL: no stream is being captured */
    CUstream capturing;
    unsigned int device_nodes; /* handles that were given out */
    struct simdriver_memory memory;
    CUdeviceptr live_memory[SIM_MAX_MEMORY];
    unsigned int launches_before_memory; /* calls, before the last allocation */
    unsigned int epoch;                  /* counts resets: threads forget their context stacks */
};

extern struct sim sim;

void sim_lock(void);
void sim_unlock(void);

/* Takes the lock, which the caller gives back, and counts a call. True if the function's own work is to be
 * done; `out_result` is what the call has to return if it is not a success. */
bool sim_enter(enum sim_function function, cbn_cu_result *out_result);

/* Records a use that a correct program never makes, and returns `result`. */
__attribute__((format(printf, 2, 3))) cbn_cu_result sim_misuse(cbn_cu_result result, const char *format, ...);

/* The thread's current context; NULL if it has none. */
struct CUctx_st *sim_current_context(void);
/* As the driver checks it: INVALID_CONTEXT without one, CONTEXT_IS_DESTROYED for one that is gone. */
cbn_cu_result sim_need_context(struct CUctx_st **out_context);

/* Whether a launch's cluster suits its kernel, its grid and its device. */
cbn_cu_result sim_check_cluster(const struct CUkern_st *kernel, const struct simdriver_launch *launch);

/* Reads a launch as the driver is given it, and checks it. */
cbn_cu_result sim_read_launch(const cbn_cu_launch_config *config, CUfunction function, void **params,
                              struct simdriver_launch *launch);

/* The graph that a stream's work is captured in; NULL: it is not. */
struct CUgraph_st *sim_capture_of(CUstream stream);

/* Whether the thread may make calls that are unsafe while a stream is captured. */
bool sim_is_relaxed(void);

/* Adds a node after the last one. */
cbn_cu_result sim_capture_launch(struct CUgraph_st *graph, CUfunction function,
                                 const struct simdriver_launch *launch);
cbn_cu_result sim_capture_memory(struct CUgraph_st *graph, enum simdriver_node_kind kind, CUdeviceptr address,
                                 size_t bytes);

/* An address for so many bytes, of nothing that exists. */
CUdeviceptr sim_new_address(size_t bytes);

void sim_free_graphs(void);

/* Forgets every library, and every context that was made. */
void sim_free_objects(void);
void sim_library_free(struct CUlib_st *library);

/* A kernel or library that is alive; NULL for any other pointer. */
struct CUlib_st *sim_find_library(CUlibrary library);
struct CUkern_st *sim_find_kernel(CUkernel kernel);
struct CUfunc_st *sim_find_function(CUfunction function);

/* Reads an image and works out what the driver would say of it for each device. Writes the JIT's messages to
 * `log`. Only what is refused while it is loaded is an error. */
cbn_cu_result sim_image_read(const void *code, struct CUlib_st *library, char *log, size_t log_size);

/* The functions themselves, called with the lock held. */
#define SIM_DECLARE(name, symbol, params, args, need, since) cbn_cu_result sim_##name params;
CBN_DRIVER_FUNCTIONS(SIM_DECLARE)
#undef SIM_DECLARE

#endif
