// SPDX-License-Identifier: Apache-2.0
// Accelerations of bodies by all others' gravity. Bodies are x, y, z and mass; their number is a multiple of
// the block's threads.
template <typename T> struct alignas(4 * sizeof(T)) Body {
    T x;
    T y;
    T z;
    T mass;
};

__device__ float inverse_root(float value)
{
    return rsqrtf(value);
}

__device__ double inverse_root(double value)
{
    return rsqrt(value);
}

template <typename T, int threads>
__global__ void __launch_bounds__(threads)
    n_body(const Body<T> *bodies, T *accelerations, int count, T softening)
{
    __shared__ Body<T> tile[threads];

    const int i = blockIdx.x * threads + threadIdx.x;
    const Body<T> self = bodies[i];
    T x = 0;
    T y = 0;
    T z = 0;
    for (int first = 0; first < count; first += threads) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < threads; j++) {
            const T to_x = tile[j].x - self.x;
            const T to_y = tile[j].y - self.y;
            const T to_z = tile[j].z - self.z;
            const T nearness = inverse_root(to_x * to_x + to_y * to_y + to_z * to_z + softening);
            const T pull = tile[j].mass * nearness * nearness * nearness;
            x += to_x * pull;
            y += to_y * pull;
            z += to_z * pull;
        }
        __syncthreads();
    }
    accelerations[3 * i] = x;
    accelerations[3 * i + 1] = y;
    accelerations[3 * i + 2] = z;
}
