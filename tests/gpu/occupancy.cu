// SPDX-License-Identifier: Apache-2.0
// The corpus of test_gpu_occupancy.c: kernels of all registers, shared memory, launch bounds, clusters, local
// memory and named barriers. They are never launched.

// Keeps so many values in registers at the same time.
template <int Count> __device__ void keep(float *out, const float *in)
{
    float values[Count];
#pragma unroll
    for (int i = 0; i < Count; i++) {
        values[i] = in[i * 32 + threadIdx.x];
    }
#pragma unroll
    for (int i = 0; i < Count; i++) {
#pragma unroll
        for (int j = 0; j < Count; j += Count / 8 + 1) {
            values[i] += values[(i + j) % Count] * values[j];
        }
    }
#pragma unroll
    for (int i = 0; i < Count; i++) {
        out[i * 32 + threadIdx.x] = values[i];
    }
}

#define KEEP(count)                                                                                          \
    extern "C" __global__ void keep_##count(float *out, const float *in)                                     \
    {                                                                                                        \
        keep<count>(out, in);                                                                                \
    }
KEEP(1)
KEEP(4)
KEEP(8)
KEEP(12)
KEEP(16)
KEEP(20)
KEEP(24)
KEEP(28)
KEEP(32)
KEEP(40)
KEEP(48)
KEEP(56)
KEEP(64)
KEEP(72)
KEEP(80)
KEEP(96)
KEEP(112)
KEEP(128)
KEEP(144)
KEEP(160)
KEEP(176)
KEEP(192)
KEEP(208)
KEEP(224)
KEEP(240)
KEEP(256)

// More values than its launch bounds leave registers for: some go to local memory.
#define BOUNDED(name, ...)                                                                                   \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__) bounded_##name(float *out, const float *in)    \
    {                                                                                                        \
        keep<100>(out, in);                                                                                  \
    }
BOUNDED(32, 32)
BOUNDED(64, 64)
BOUNDED(96, 96)
BOUNDED(128_8, 128, 8)
BOUNDED(160_3, 160, 3)
BOUNDED(256_4, 256, 4)
BOUNDED(512_2, 512, 2)
BOUNDED(1000, 1000)
BOUNDED(1024_1, 1024, 1)
BOUNDED(1024_2, 1024, 2)

#define SHARED(bytes)                                                                                        \
    extern "C" __global__ void shared_##bytes(char *out)                                                     \
    {                                                                                                        \
        __shared__ char fixed[bytes];                                                                        \
        extern __shared__ char dynamic[];                                                                    \
        fixed[threadIdx.x % bytes] = dynamic[threadIdx.x];                                                   \
        __syncthreads();                                                                                     \
        out[threadIdx.x] = fixed[(threadIdx.x + 1) % bytes];                                                 \
    }
SHARED(1)
SHARED(1000)
SHARED(1024)
SHARED(4096)
SHARED(16384)
SHARED(33000)
SHARED(49152)

extern "C" __global__ void local_memory(int *out, int index)
{
    int values[500];
    for (int i = 0; i < 500; i++) {
        values[i] = out[i] * index;
    }
    *out = values[index] + values[500 - index];
}

// Meets at so many named barriers, each for one warp.
template <int Count> __device__ void meet()
{
    asm volatile("bar.sync %0, 32;" ::"n"(Count - 1));
    if constexpr (Count > 1) {
        meet<Count - 1>();
    }
}

#define BARRIERS(count)                                                                                      \
    extern "C" __global__ void barriers_##count(int *out)                                                    \
    {                                                                                                        \
        meet<count>();                                                                                       \
        *out = 0;                                                                                            \
    }
BARRIERS(1)
BARRIERS(2)
BARRIERS(3)
BARRIERS(4)
BARRIERS(5)
BARRIERS(6)
BARRIERS(7)
BARRIERS(8)
BARRIERS(9)
BARRIERS(11)
BARRIERS(13)
BARRIERS(16)

// The number of the barrier is not known, so all of them are taken.
extern "C" __global__ void barriers_any(int *out)
{
    asm volatile("bar.sync %0, 32;" ::"r"(*out));
    *out = 0;
}

// Only the last of six is used.
extern "C" __global__ void barriers_last(int *out)
{
    asm volatile("bar.sync 5, 32;");
    *out = 0;
}

__device__ __noinline__ void meet_apart()
{
    meet<10>();
}

extern "C" __global__ void barriers_of_function(int *out)
{
    meet_apart();
    *out = 0;
}

extern "C" __global__ void barriers_and_registers(float *out, const float *in)
{
    meet<4>();
    keep<48>(out, in);
}

extern "C" __global__ void __launch_bounds__(128, 4) barriers_and_shared(char *out)
{
    __shared__ char fixed[9000];
    fixed[threadIdx.x] = out[threadIdx.x];
    meet<6>();
    out[threadIdx.x] = fixed[threadIdx.x + 1];
}

// Kernels for one block size (.reqntid), which CUDA 12.9 and later can say.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1209 && __CUDA_ARCH__ >= 900
extern "C" __global__ void __block_size__((128, 1, 1)) required_128(float *out, const float *in)
{
    keep<64>(out, in);
}

extern "C" __global__ void __block_size__((32, 4, 2)) required_32_4_2(float *out, const float *in)
{
    __shared__ float fixed[5000];
    fixed[threadIdx.x] = in[threadIdx.y];
    __syncthreads();
    out[threadIdx.x] = fixed[threadIdx.z];
}
#endif

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_2(float *out, const float *in)
{
    keep<24>(out, in);
}

extern "C" __global__ void __cluster_dims__(2, 2, 2) cluster_2_2_2(float *out, const float *in)
{
    keep<60>(out, in);
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256, 2)
    cluster_4(float *out, const float *in)
{
    keep<100>(out, in);
}

extern "C" __global__ void __launch_bounds__(512, 1, 8) cluster_bounded(float *out, const float *in)
{
    keep<40>(out, in);
}
#endif
