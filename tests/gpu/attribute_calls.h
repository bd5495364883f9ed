/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the test gpu.attributes share: calls of the driver, and a module of attributes.cu. */
#ifndef ATTRIBUTE_CALLS_H
#define ATTRIBUTE_CALLS_H

#include "gpu_test.h"

#include <cubinet/cubinet.h>

#include <stdint.h>

#define ATTRIBUTE_FUNCTIONS(X)                                                                               \
    X(cuLaunchKernelEx,                                                                                      \
      (const cbn_cu_launch_config *config, CUfunction function, void **params, void **extra), false)         \
    X(cuCtxSynchronize, (void), false)                                                                       \
    X(cuEventCreate, (CUevent * event, unsigned int flags), false)                                           \
    X(cuEventQuery, (CUevent event), false)                                                                  \
    X(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags), false)                        \
    X(cuStreamBeginCapture, (CUstream stream, unsigned int mode), false)                                     \
    X(cuStreamEndCapture, (CUstream stream, CUgraph * graph), false)                                         \
    X(cuGraphCreate, (CUgraph * graph, unsigned int flags), false)                                           \
    X(cuGraphDestroy, (CUgraph graph), false)                                                                \
    X(cuGraphExecDestroy, (CUgraphExec exec), false)                                                         \
    X(cuGraphGetNodes, (CUgraph graph, CUgraphNode * nodes, size_t * count), false)                          \
    X(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags), false)     \
    X(cuGraphLaunch, (CUgraphExec exec, CUstream stream), false)                                             \
    X(cuGraphKernelNodeGetAttribute, (CUgraphNode node, unsigned int attribute, cbn_cu_launch_value *value), \
      false)                                                                                                 \
    X(cuDeviceGetDevResource, (CUdevice device, cbn_cu_resource * resource, unsigned int type), true)        \
    X(cuDevSmResourceSplitByCount,                                                                           \
      (cbn_cu_resource * result, unsigned int *count, const cbn_cu_resource *input, cbn_cu_resource *rest,   \
       unsigned int flags, unsigned int least),                                                              \
      true)                                                                                                  \
    X(cuDevResourceGenerateDesc, (void **description, cbn_cu_resource *resources, unsigned int count), true) \
    X(cuGreenCtxCreate, (void **green, void *description, CUdevice device, unsigned int flags), true)        \
    X(cuGreenCtxDestroy, (void *green), true)                                                                \
    X(cuCtxFromGreenCtx, (CUcontext * context, void *green), true)

struct attribute_calls {
#define ATTRIBUTE_MEMBER(name, params, optional) cbn_cu_result(*name) params;
    ATTRIBUTE_FUNCTIONS(ATTRIBUTE_MEMBER)
#undef ATTRIBUTE_MEMBER
};

struct bench {
    struct gpu_calls calls;
    struct attribute_calls cu;
    cubinet_driver *driver;
    cubinet_archive *archive;
    cubinet_module *module;
    int compute_major;
    int version; /* of the driver */
    CUstream streams[2];
};

/* Attributes in both forms. */
struct both {
    cubinet_launch_config ours;
    cbn_cu_launch_config theirs;
};

const cubinet_kernel *kernel_of(const struct bench *bench, const char *name);

/* Memory of so many bytes, each of which is `fill`; read and freed. */
CUdeviceptr make_memory(const struct bench *bench, size_t bytes, int fill);
void take_memory(const struct bench *bench, CUdeviceptr memory, void *out, size_t bytes);

/* Launches a kernel of two 64-bit parameters, or of one if `second` is NULL, through Cubinet or through the
 * driver; returns the CUresult. */
cbn_cu_result launch_both(const struct bench *bench, bool through_cubinet, const char *name,
                          const struct both *both, CUdeviceptr first, const uint64_t *second);

/* A launch of `grid` blocks of 32 threads in a stream, in both forms. */
struct both launch_of(unsigned int grid, CUstream stream);

void test_graphs(const struct bench *bench);
void test_scratch_memory(const struct bench *bench);
void test_green_contexts(const struct bench *bench);

#endif
