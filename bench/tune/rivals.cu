// SPDX-License-Identifier: Apache-2.0
// What libraries take for what kernels.cu does, with the launches that they choose themselves: CUB's reduction and scan,
// cuBLAS's product of matrices where the machine has cuBLAS. For tune.py, by ctypes:
//
//     nvcc -O3 -arch=sm_90 -shared -Xcompiler -fPIC rivals.cu -o librivals.so -ldl
//
// Each function returns nanoseconds, the median of `rounds` launches with cold caches; negative: it could not.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <dlfcn.h>
#include <vector>

struct timer {
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr, end = nullptr;
    void *flushed = nullptr;
    size_t bytes = 0;
    bool ok = true;

    timer()
    {
        int cache = 0;
        ok = cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, 0) == cudaSuccess;
        bytes = std::max((size_t)cache * 2, (size_t)32 << 20);
        ok = ok && cudaMalloc(&flushed, bytes) == cudaSuccess && cudaStreamCreate(&stream) == cudaSuccess &&
             cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess;
    }
    ~timer()
    {
        cudaFree(flushed);
        cudaEventDestroy(start);
        cudaEventDestroy(end);
        cudaStreamDestroy(stream);
    }
    template <typename CALL> double median(int rounds, CALL call)
    {
        std::vector<float> times;
        for (int i = 0; ok && i < rounds + 1; i++) {
            float milliseconds = 0;
            cudaMemsetAsync(flushed, 0, bytes, stream);
            cudaEventRecord(start, stream);
            ok = call(stream);
            cudaEventRecord(end, stream);
            ok = ok && cudaStreamSynchronize(stream) == cudaSuccess &&
                 cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess;
            if (i > 0) { // the first one loads code
                times.push_back(milliseconds);
            }
        }
        if (!ok || times.empty()) {
            return -1;
        }
        std::sort(times.begin(), times.end());
        return 1e6 * times[times.size() / 2];
    }
};

struct array {
    void *data = nullptr;
    explicit array(size_t bytes)
    {
        if (cudaMalloc(&data, bytes ? bytes : 1) == cudaSuccess) {
            cudaMemset(data, 0, bytes);
        } else {
            data = nullptr;
        }
    }
    ~array() { cudaFree(data); }
};

extern "C" double rivals_sum(unsigned n, int rounds)
{
    timer clock;
    array x(n * sizeof(float)), y(sizeof(float));
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, (float *)x.data, (float *)y.data, (int)n, clock.stream);
    array room(bytes);
    return clock.median(rounds, [&](cudaStream_t stream) {
        return cub::DeviceReduce::Sum(room.data, bytes, (float *)x.data, (float *)y.data, (int)n, stream) == cudaSuccess;
    });
}

extern "C" double rivals_scan(unsigned n, int rounds)
{
    timer clock;
    array x(n * sizeof(unsigned)), y(n * sizeof(unsigned));
    size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, (unsigned *)x.data, (unsigned *)y.data, (int)n, clock.stream);
    array room(bytes);
    return clock.median(rounds, [&](cudaStream_t stream) {
        return cub::DeviceScan::InclusiveSum(room.data, bytes, (unsigned *)x.data, (unsigned *)y.data, (int)n, stream) ==
               cudaSuccess;
    });
}

// cuBLAS's own interface, as far as it is needed.
typedef int (*create_fn)(void **handle);
typedef int (*set_stream_fn)(void *handle, cudaStream_t stream);
typedef int (*sgemm_fn)(void *handle, int a, int b, int m, int n, int k, const float *alpha, const float *x, int ldx,
                        const float *y, int ldy, const float *beta, float *z, int ldz);

extern "C" double rivals_matmul(unsigned n, int rounds)
{
    void *library = nullptr;
    const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    for (const char *name : names) {
        library = library ? library : dlopen(name, RTLD_NOW);
    }
    create_fn create = library ? (create_fn)dlsym(library, "cublasCreate_v2") : nullptr;
    set_stream_fn set_stream = library ? (set_stream_fn)dlsym(library, "cublasSetStream_v2") : nullptr;
    sgemm_fn sgemm = library ? (sgemm_fn)dlsym(library, "cublasSgemm_v2") : nullptr;
    void *handle = nullptr;
    if (!create || !set_stream || !sgemm || create(&handle) != 0) {
        return -1;
    }
    timer clock;
    size_t bytes = (size_t)n * n * sizeof(float);
    array x(bytes), y(bytes), z(bytes);
    const float one = 1, zero = 0;
    set_stream(handle, clock.stream);
    return clock.median(rounds, [&](cudaStream_t) {
        return sgemm(handle, 0, 0, (int)n, (int)n, (int)n, &one, (float *)x.data, (int)n, (float *)y.data, (int)n, &zero,
                     (float *)z.data, (int)n) == 0;
    });
}
