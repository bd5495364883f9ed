// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on nothing but a seed and a position, Philox 4×32 of Salmon and others, and the
// price of a call by simulation with them.
__device__ uint4 philox(uint4 counter, uint2 key)
{
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const unsigned low_x = counter.x * 0xd2511f53u;
        const unsigned high_x = __umulhi(counter.x, 0xd2511f53u);
        const unsigned low_z = counter.z * 0xcd9e8d57u;
        const unsigned high_z = __umulhi(counter.z, 0xcd9e8d57u);
        counter = make_uint4(high_z ^ counter.y ^ key.x, low_z, high_x ^ counter.w ^ key.y, low_x);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return counter;
}

extern "C" __global__ void fill_random(uint4 *out, int count, unsigned seed)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        out[i] = philox(make_uint4(i, 0, 0, 0), make_uint2(seed, 0));
    }
}

// Box and Muller's pair of normal numbers of two uniform ones.
__device__ float2 normal_pair(unsigned a, unsigned b)
{
    const float radius = sqrtf(-2.0f * logf((a + 1.0f) * 0x1p-32f));
    float sine;
    float cosine;
    sincospif(b * 0x1p-31f, &sine, &cosine);
    return make_float2(radius * cosine, radius * sine);
}

// What a call pays at the end of a path of normal steps, of which `steps` is a multiple of four; summed over
// the thread's paths.
template <int steps>
__global__ void price_call(float *payoffs, int paths, float start, float strike, float drift, float deviation,
                           unsigned seed)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int path = 0; path < paths; path++) {
        float logarithm = 0;
        for (unsigned step = 0; step < steps; step += 4) {
            const uint4 random = philox(make_uint4(thread, path, step, 0), make_uint2(seed, 1));
            const float2 first = normal_pair(random.x, random.y);
            const float2 second = normal_pair(random.z, random.w);
            logarithm += 4 * drift + deviation * (first.x + first.y + second.x + second.y);
        }
        sum += fmaxf(start * expf(logarithm) - strike, 0.0f);
    }
    payoffs[thread] = sum;
}
