// SPDX-License-Identifier: Apache-2.0
// Kernels that access dynamic shared memory in one way each, or need none, for one block of 128 threads.
// `data` has 1,024 bytes. Their names tell: dynamic_… uses such memory, hidden_… does in a way that machine
// code does not show, none_… does not.
__device__ __align__(128) unsigned values[256];

extern __shared__ __align__(128) unsigned char memory[];

extern "C" __global__ void dynamic_load(unsigned *data)
{
    data[threadIdx.x] = ((volatile unsigned *)memory)[threadIdx.x];
}

extern "C" __global__ void dynamic_store(unsigned *data)
{
    ((volatile unsigned *)memory)[threadIdx.x] = data[threadIdx.x];
}

extern "C" __global__ void dynamic_swap(unsigned *data)
{
    data[threadIdx.x] = atomicCAS((unsigned *)memory + threadIdx.x, data[threadIdx.x], 1);
}

extern "C" __global__ void hidden_mixed(unsigned *data)
{
    __shared__ unsigned own[128];
    own[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    ((unsigned *)memory)[threadIdx.x] = own[127 - threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = ((unsigned *)memory)[127 - threadIdx.x];
}

extern "C" __global__ void none_plain(unsigned *data)
{
    values[threadIdx.x] = data[threadIdx.x] + 1;
}

extern "C" __global__ void none_static(unsigned *data)
{
    __shared__ unsigned own[128];
    own[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = own[127 - threadIdx.x];
}

// Atomic operations on addresses of any kind, which ask whether these are in shared memory.
extern "C" __global__ void none_atomics(unsigned *data)
{
    atomicAdd(data, 1);
    atomicCAS(data + 1, 2, 3);
    atomicAdd((unsigned long long *)data + 1, 1);
    atomicAdd((float *)data + 4, 1);
    atomicAdd((double *)data + 3, 1);
    atomicMax((long long *)data + 4, 1);
    __threadfence_block();
    __threadfence();
    __threadfence_system();
}

#if __CUDA_ARCH__ >= 800
static __device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

extern "C" __global__ void dynamic_copy(unsigned *data)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n"
                 "cp.async.wait_all;" ::"r"(shared_address(memory) + 4 * threadIdx.x),
                 "l"(data + threadIdx.x)
                 : "memory");
}

extern "C" __global__ void dynamic_barrier(unsigned *data)
{
    if (threadIdx.x == 0) {
        unsigned barrier = shared_address(memory);
        asm volatile("{\n"
                     ".reg .b64 state;\n"
                     "mbarrier.init.shared.b64 [%0], 1;\n"
                     "mbarrier.arrive.shared.b64 state, [%0];\n"
                     "mbarrier.inval.shared.b64 [%0];\n"
                     "}" ::"r"(barrier)
                     : "memory");
        data[0] += 1;
    }
}

extern "C" __global__ void none_static_barrier(unsigned *data)
{
    __shared__ unsigned long long own;
    if (threadIdx.x == 0) {
        asm volatile("{\n"
                     ".reg .b64 state;\n"
                     "mbarrier.init.shared.b64 [%0], 1;\n"
                     "mbarrier.arrive.shared.b64 state, [%0];\n"
                     "mbarrier.inval.shared.b64 [%0];\n"
                     "}" ::"r"(shared_address(&own))
                     : "memory");
        data[0] += 1;
    }
}

// libcu++ and cooperative groups have such code for a pointer that may point anywhere. This one does not point
// to shared memory.
__device__ unsigned *volatile place = values;

static __device__ __forceinline__ void ask(unsigned *data)
{
    unsigned *to = place + threadIdx.x;
    if (__isShared(to)) {
        asm volatile("{\n"
                     ".reg .b64 state;\n"
                     "mbarrier.init.shared.b64 [%0], 1;\n"
                     "cp.async.ca.shared.global [%0], [%1], 4;\n"
                     "cp.async.mbarrier.arrive.shared.b64 [%0];\n"
                     "mbarrier.arrive.shared.b64 state, [%0];\n"
                     "mbarrier.inval.shared.b64 [%0];\n"
                     "}" ::"r"(shared_address(to)),
                     "l"(data + threadIdx.x)
                     : "memory");
    } else {
        *to = data[threadIdx.x];
    }
}

extern "C" __global__ void none_asked(unsigned *data)
{
    ask(data);
}

extern "C" __global__ void dynamic_asked(unsigned *data)
{
    ask(data);
    ((volatile unsigned *)memory)[threadIdx.x] = data[threadIdx.x];
}
#endif

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void dynamic_matrix(unsigned *data)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared_address(memory) +
                                                                              16 * (threadIdx.x % 8)),
                 "r"(data[threadIdx.x])
                 : "memory");
}

extern "C" __global__ void dynamic_bulk_out(unsigned *data)
{
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 64;\n"
                     "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::"l"(data),
                     "r"(shared_address(memory))
                     : "memory");
    }
}

extern "C" __global__ void dynamic_bulk_add(unsigned *data)
{
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 64;\n"
                     "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::"l"(data),
                     "r"(shared_address(memory))
                     : "memory");
    }
}

// Waits until as many bytes as it expects are in shared memory.
static __device__ void wait_for(unsigned barrier)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(barrier)
                 : "memory");
}

extern "C" __global__ void dynamic_bulk_in(unsigned *data)
{
    if (threadIdx.x == 0) {
        unsigned barrier = shared_address(memory);
        asm volatile(
            "mbarrier.init.shared.b64 [%0], 1;\n"
            "fence.mbarrier_init.release.cluster;\n"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], 64, [%0];" ::"r"(
                barrier),
            "r"(barrier + 64), "l"(data)
            : "memory");
        wait_for(barrier);
    }
}

extern "C" __global__ void none_asked_bulk(unsigned *data)
{
    unsigned *to = place;
    if (__isShared(to)) {
        unsigned barrier = shared_address(to);
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], 64, [%0];\n"
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%1], 1, [%0];\n"
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%1], 1, [%0];\n"
            "cp.async.bulk.global.shared::cta.bulk_group [%2], [%1], 64;\n"
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%2], [%1], 64;" ::"r"(barrier),
            "r"(barrier + 64), "l"(data)
            : "memory");
        wait_for(barrier);
    } else {
        to[threadIdx.x] = data[threadIdx.x];
    }
}

// To a block of the cluster, here the block itself.
extern "C" __global__ __cluster_dims__(1) void dynamic_remote(unsigned *data)
{
    if (threadIdx.x == 0) {
        unsigned barrier = shared_address(memory);
        asm volatile("{\n"
                     ".reg .b32 remote, there;\n"
                     "mbarrier.init.shared.b64 [%0], 1;\n"
                     "fence.mbarrier_init.release.cluster;\n"
                     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4;\n"
                     "mapa.shared::cluster.u32 remote, %0, 0;\n"
                     "mapa.shared::cluster.u32 there, %1, 0;\n"
                     "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [there], %2, [remote];\n"
                     "}" ::"r"(barrier),
                     "r"(barrier + 64), "r"(data[0])
                     : "memory");
        wait_for(barrier);
    }
}

// ptxas makes a store to an address of any kind of this.
extern "C" __global__ __cluster_dims__(1) void hidden_remote(unsigned *data)
{
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, 0;\n"
                 "st.shared::cluster.u32 [there], %1;\n"
                 "}" ::"r"(shared_address(memory) + 4 * threadIdx.x),
                 "r"(data[threadIdx.x])
                 : "memory");
}

extern "C" __global__ void none_fences(unsigned *data)
{
    asm volatile("fence.mbarrier_init.release.cluster;\n"
                 "fence.proxy.async;\n"
                 "fence.acq_rel.cluster;\n"
                 "barrier.cluster.arrive;\n"
                 "barrier.cluster.wait;\n"
                 "cp.async.bulk.prefetch.L2.global [%0], 64;\n"
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;\n"
                 "griddepcontrol.launch_dependents;\n"
                 "griddepcontrol.wait;" ::"l"(data)
                 : "memory");
    data[threadIdx.x] += 1;
}

// These two need a tensor map, and are not launched.
extern "C" __global__ void dynamic_tensor_out(unsigned *map)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %1}], [%2];" ::"l"(map),
                 "r"(0), "r"(shared_address(memory))
                 : "memory");
}

extern "C" __global__ void none_tensor_prefetch(unsigned *map)
{
    asm volatile("prefetch.tensormap [%0];\n"
                 "cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %1}];" ::"l"(map),
                 "r"(0)
                 : "memory");
}
#endif

#if __CUDA_ARCH__ >= 1000
extern "C" __global__ void dynamic_clear(unsigned *data)
{
    asm volatile("st.bulk.shared::cta [%0], 64, 0;" ::"r"(shared_address(memory)) : "memory");
}
#endif

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// Multiplies what nothing has stored. ptxas makes the instruction for a wait without a product, too.
extern "C" __global__ void hidden_product(unsigned *data)
{
    float sums[4] = {};
    unsigned long long matrix = (shared_address(memory) & 0x3ffff) >> 4; // its descriptor
    asm volatile(
        "wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\n"
        "wgmma.wait_group.sync.aligned 0;"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "l"(matrix));
    ((float *)data)[threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

// Waits for products without having any.
extern "C" __global__ void none_product(unsigned *data)
{
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;" ::
                     : "memory");
    data[threadIdx.x] += 1;
}
#endif

#ifdef __CUDA_ARCH_FEAT_SM100_ALL
extern "C" __global__ void dynamic_tensor_memory(unsigned *data)
{
    unsigned address = shared_address(memory);
    if (threadIdx.x >= 32) {
        return;
    }
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;\n"
                 "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(address)
                 : "memory");
    asm volatile("{\n"
                 ".reg .b32 columns;\n"
                 "ld.shared.u32 columns, [%0];\n"
                 "tcgen05.dealloc.cta_group::1.sync.aligned.b32 columns, 32;\n"
                 "}" ::"r"(address)
                 : "memory");
    data[threadIdx.x] += 1;
}

extern "C" __global__ void none_tensor_memory(unsigned *data)
{
    __shared__ unsigned columns;
    unsigned address = shared_address(&columns);
    if (threadIdx.x >= 32) {
        return;
    }
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;\n"
                 "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(address)
                 : "memory");
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(columns) : "memory");
    data[threadIdx.x] += 1;
}

// Stores to the shared memory that the system reserves.
extern "C" __global__ void none_release(unsigned *data)
{
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    data[threadIdx.x] += 1;
}
#endif
