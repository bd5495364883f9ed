// options: --extended-lambda
// Thrust's algorithms, called by the host: the kernels are CUB's and Thrust's own.
// unnamed: the algorithms are templates of headers, which are not read
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

struct twice {
    __host__ __device__ float operator()(float x) const { return 2 * x; }
};

struct put {
    float *to;
    __device__ void operator()(int i) const { to[i] = i; }
};

__global__ void add(float *to, const float *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] += from[i];
    }
}

int main()
{
    const int n = 100;
    thrust::device_vector<float> a(n, 1.f), b(n);
    thrust::device_vector<int> keys(n);
    thrust::sequence(keys.begin(), keys.end());
    thrust::fill(b.begin(), b.end(), 3.f);
    thrust::for_each(thrust::device, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), put{a.data().get()});
    thrust::transform(a.begin(), a.end(), b.begin(), twice());
    thrust::sort_by_key(keys.begin(), keys.end(), b.begin(), thrust::greater<int>());
    add<<<1, 128>>>(a.data().get(), b.data().get(), n);
    auto end = thrust::unique(keys.begin(), keys.end());
    float sum = thrust::reduce(a.begin(), a.end());
    return sum == 3.f * n && end == keys.end() ? 0 : 1;
}
