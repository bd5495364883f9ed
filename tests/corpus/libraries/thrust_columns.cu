// SPDX-License-Identifier: Apache-2.0
// Columns of a table kept apart, as one range of tuples: each thread sums and finds in its own rows.
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

using row = thrust::tuple<float, float, int>;

struct weighted {
    __host__ __device__ float operator()(const row &r) const
    {
        return thrust::get<0>(r) * thrust::get<1>(r) * thrust::get<2>(r);
    }
};

struct distance_to {
    const float *values;
    float x;
    __host__ __device__ float operator()(int i) const
    {
        return values[i] < x ? x - values[i] : values[i] - x;
    }
};

__global__ void table_rows(const float *price, const float *weight, const int *count, float *sums, int *nearest,
                           int rows, int rows_each, float x)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * rows_each;
    if (first + rows_each > rows) {
        return;
    }
    auto table = thrust::make_zip_iterator(thrust::make_tuple(price + first, weight + first, count + first));
    sums[first / rows_each] =
        thrust::transform_reduce(thrust::seq, table, table + rows_each, weighted(), 0.0f, thrust::plus<float>());

    auto distances = thrust::make_transform_iterator(thrust::make_counting_iterator(first), distance_to{price, x});
    nearest[first / rows_each] =
        first + static_cast<int>(thrust::min_element(thrust::device, distances, distances + rows_each) - distances);
}
