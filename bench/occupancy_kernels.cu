// SPDX-License-Identifier: Apache-2.0
// What bench/occupancy.c launches: right for every block size and shape.

// Memory: three rows.
extern "C" __global__ void triad(float *out, const float *a, const float *b, unsigned int count)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = a[i] + 3.0f * b[i];
    }
}

// Memory: a plane, each element read five times.
extern "C" __global__ void stencil(float *out, const float *in, const float *, unsigned int width)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < width - 1 && y < width - 1) {
        unsigned int i = y * width + x;
        out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    }
}

// Memory and shared memory: one sum for each block.
extern "C" __global__ void block_sums(float *out, const float *in, const float *, unsigned int count)
{
    extern __shared__ float partial[];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < count ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned int size = blockDim.x; size > 1;) {
        unsigned int half = (size + 1) / 2;
        if (threadIdx.x < size - half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        size = half;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = partial[0];
    }
}

// Arithmetic: a plane whose elements take from 1 to 1,000 rounds.
extern "C" __global__ void mandelbrot(float *out, const float *, const float *, unsigned int width)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= width) {
        return;
    }
    float cx = 3.0f * x / width - 2.25f;
    float cy = 3.0f * y / width - 1.5f;
    float zx = 0;
    float zy = 0;
    int round = 0;
    for (; round < 1000 && zx * zx + zy * zy < 4.0f; round++) {
        float next = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = next;
    }
    out[y * width + x] = round;
}

// Arithmetic and shared memory: every body pulls every other; a block reads them in pieces of its own size.
extern "C" __global__ void bodies(float *out, const float *in, const float *, unsigned int count)
{
    extern __shared__ float4 piece[];
    const float4 *all = reinterpret_cast<const float4 *>(in);
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = all[i < count ? i : count - 1];
    float3 pull = {0, 0, 0};
    for (unsigned int from = 0; from < count; from += blockDim.x) {
        unsigned int j = from + threadIdx.x;
        piece[threadIdx.x] = j < count ? all[j] : float4{0, 0, 0, 0};
        __syncthreads();
        for (unsigned int k = 0; k < blockDim.x; k++) {
            float dx = piece[k].x - own.x;
            float dy = piece[k].y - own.y;
            float dz = piece[k].z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float strength = piece[k].w * inverse * inverse * inverse;
            pull.x += dx * strength;
            pull.y += dy * strength;
            pull.z += dz * strength;
        }
        __syncthreads();
    }
    if (i < count) {
        reinterpret_cast<float4 *>(out)[i] = {pull.x, pull.y, pull.z, 0};
    }
}
