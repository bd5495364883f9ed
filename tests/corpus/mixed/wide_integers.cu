// Integers of 64 bits, whose types the names of kernels tell: long, as in the host's C library.
#include <cuda/std/cstdint>
#include <cinttypes>
#include <cstdio>

__global__ void sum(int64_t first, const uint64_t *terms, intptr_t count, uint64_t *out)
{
    uint64_t total = first;
    for (intptr_t i = 0; i < count; i++) {
        total += terms[i];
    }
    *out = total;
}

template <class T> __global__ void widest(T *out)
{
    *out = sizeof(T) == 8 ? static_cast<T>(INT64_MAX) : 0;
    static_assert(cuda::std::int64_t{-1} < INT64_C(0), "signed");
}

__global__ void say(intmax_t number)
{
    printf("%" PRIdMAX " %" PRIx64 "\n", number, static_cast<uint64_t>(number));
}

int main()
{
    uint64_t *numbers;
    cudaMallocManaged(&numbers, 4 * sizeof(*numbers));
    for (int i = 0; i < 3; i++) {
        numbers[i] = UINT64_C(10000000000) * i;
    }
    sum<<<1, 1>>>(5, numbers, 3, &numbers[3]);
    widest<cuda::std::int64_t><<<1, 1>>>(reinterpret_cast<cuda::std::int64_t *>(&numbers[0]));
    widest<uintmax_t><<<1, 1>>>(&numbers[1]);
    say<<<1, 1>>>(255);
    bool right = cudaDeviceSynchronize() == cudaSuccess && numbers[3] == 30000000005 && numbers[0] == INT64_MAX;
    printf("%s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
