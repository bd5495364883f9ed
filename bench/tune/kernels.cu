// SPDX-License-Identifier: Apache-2.0
// Kernels whose best launch is not plain: tune.py tunes them, and measures how good what is suggested is.
//
// Those that loop over the grid are right with any grid; those with a block for each row, tile or segment are
// right with any block of whole warps.

typedef unsigned int u32;

__device__ static u32 first() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ static u32 step() { return gridDim.x * blockDim.x; }

__device__ static float warp_sum(float x)
{
    for (int d = 16; d > 0; d /= 2) {
        x += __shfl_xor_sync(~0u, x, d);
    }
    return x;
}

__device__ static float warp_max(float x)
{
    for (int d = 16; d > 0; d /= 2) {
        x = fmaxf(x, __shfl_xor_sync(~0u, x, d));
    }
    return x;
}

// In all threads.
template <bool MAX> __device__ static float block_reduce(float x)
{
    __shared__ float part[32];
    u32 lane = threadIdx.x % 32;
    u32 warps = blockDim.x / 32;
    x = MAX ? warp_max(x) : warp_sum(x);
    __syncthreads();
    if (lane == 0) {
        part[threadIdx.x / 32] = x;
    }
    __syncthreads();
    x = lane < warps ? part[lane] : MAX ? -3.4e38f : 0.0f;
    return MAX ? warp_max(x) : warp_sum(x);
}

template <int V> struct vec;
template <> struct vec<1> { typedef float type; };
template <> struct vec<2> { typedef float2 type; };
template <> struct vec<4> { typedef float4 type; };

// n is a multiple of 4.
template <int V> __global__ void copy(float *y, const float *x, u32 n)
{
    typedef typename vec<V>::type wide;
    for (u32 i = first(); i < n / V; i += step()) {
        ((wide *)y)[i] = ((const wide *)x)[i];
    }
}

__global__ void axpy(float *y, const float *x, float a, u32 n)
{
    for (u32 i = first(); i < n; i += step()) {
        y[i] += a * x[i];
    }
}

__global__ void gelu(float *y, const float *x, u32 n)
{
    for (u32 i = first(); i < n; i += step()) {
        float v = x[i];
        y[i] = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
    }
}

__global__ void poly(float *y, const float *x, u32 n)
{
    for (u32 i = first(); i < n; i += step()) {
        float v = x[i];
        float s = 0;
        for (int k = 0; k < 64; k++) {
            s = s * v + 0.5f;
        }
        y[i] = s;
    }
}

__global__ void gather(float *y, const float *x, const u32 *index, u32 n)
{
    for (u32 i = first(); i < n; i += step()) {
        y[i] = x[index[i]];
    }
}

__global__ void rng(u32 *y, u32 seed, u32 n)
{
    for (u32 i = first(); i < n; i += step()) {
        u32 s = i * 747796405u + seed;
        for (int k = 0; k < 16; k++) {
            s ^= s << 13;
            s ^= s >> 17;
            s ^= s << 5;
        }
        y[i] = s;
    }
}

__global__ void sum(float *y, const float *x, u32 n)
{
    float s = 0;
    for (u32 i = first(); i < n; i += step()) {
        s += x[i];
    }
    s = block_reduce<false>(s);
    if (threadIdx.x == 0) {
        atomicAdd(y, s);
    }
}

__global__ void dot(float *y, const float *a, const float *b, u32 n)
{
    float s = 0;
    for (u32 i = first(); i < n; i += step()) {
        s += a[i] * b[i];
    }
    s = block_reduce<false>(s);
    if (threadIdx.x == 0) {
        atomicAdd(y, s);
    }
}

// x is not negative.
__global__ void maximum(float *y, const float *x, u32 n)
{
    float s = 0;
    for (u32 i = first(); i < n; i += step()) {
        s = fmaxf(s, x[i]);
    }
    s = block_reduce<true>(s);
    if (threadIdx.x == 0) {
        atomicMax((int *)y, __float_as_int(s));
    }
}

__global__ void histogram(u32 *y, const u32 *x, u32 n)
{
    __shared__ u32 bins[256];
    for (u32 i = threadIdx.x; i < 256; i += blockDim.x) {
        bins[i] = 0;
    }
    __syncthreads();
    for (u32 i = first(); i < n; i += step()) {
        atomicAdd(&bins[x[i] & 255], 1u);
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < 256; i += blockDim.x) {
        atomicAdd(&y[i], bins[i]);
    }
}

// A block for each row.
__global__ void softmax(float *y, const float *x, u32 columns)
{
    const float *row = x + (size_t)blockIdx.y * columns;
    float *out = y + (size_t)blockIdx.y * columns;
    float most = -3.4e38f;
    for (u32 i = threadIdx.x; i < columns; i += blockDim.x) {
        most = fmaxf(most, row[i]);
    }
    most = block_reduce<true>(most);
    float s = 0;
    for (u32 i = threadIdx.x; i < columns; i += blockDim.x) {
        s += __expf(row[i] - most);
    }
    s = 1 / block_reduce<false>(s);
    for (u32 i = threadIdx.x; i < columns; i += blockDim.x) {
        out[i] = __expf(row[i] - most) * s;
    }
}

__global__ void layernorm(float *y, const float *x, u32 columns)
{
    const float *row = x + (size_t)blockIdx.y * columns;
    float *out = y + (size_t)blockIdx.y * columns;
    float s = 0;
    float q = 0;
    for (u32 i = threadIdx.x; i < columns; i += blockDim.x) {
        s += row[i];
        q += row[i] * row[i];
    }
    float mean = block_reduce<false>(s) / columns;
    float scale = rsqrtf(block_reduce<false>(q) / columns - mean * mean + 1e-5f);
    for (u32 i = threadIdx.x; i < columns; i += blockDim.x) {
        out[i] = (row[i] - mean) * scale;
    }
}

// A warp for each row.
__global__ void gemv(float *y, const float *a, const float *x, u32 columns, u32 rows)
{
    u32 row = first() / 32;
    if (row >= rows) {
        return;
    }
    float s = 0;
    for (u32 i = threadIdx.x % 32; i < columns; i += 32) {
        s += a[(size_t)row * columns + i] * x[i];
    }
    s = warp_sum(s);
    if (threadIdx.x % 32 == 0) {
        y[row] = s;
    }
}

// Sums of segments of 64, a warp for each.
__global__ void segsum(float *y, const float *x, u32 segments)
{
    for (u32 k = first() / 32; k < segments; k += step() / 32) {
        u32 lane = threadIdx.x % 32;
        float s = warp_sum(x[64 * k + lane] + x[64 * k + 32 + lane]);
        if (lane == 0) {
            y[k] = s;
        }
    }
}

__global__ void colsum(float *y, const float *x, u32 columns, u32 rows)
{
    u32 c = first();
    if (c >= columns) {
        return;
    }
    float s = 0;
    for (u32 r = blockIdx.y * 64; r < rows && r < blockIdx.y * 64 + 64; r++) {
        s += x[(size_t)r * columns + c];
    }
    atomicAdd(&y[c], s);
}

__global__ void stencil1d(float *y, const float *x, u32 n)
{
    for (u32 i = first(); i < n; i += step()) {
        y[i] = 0.25f * x[i ? i - 1 : 0] + 0.5f * x[i] + 0.25f * x[i + 1 < n ? i + 1 : i];
    }
}

__global__ void stencil5(float *y, const float *x, u32 w, u32 h)
{
    u32 i = first();
    u32 j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w || j >= h) {
        return;
    }
    u32 l = i ? i - 1 : 0, r = i + 1 < w ? i + 1 : i, u = j ? j - 1 : 0, d = j + 1 < h ? j + 1 : j;
    y[j * w + i] = 0.5f * x[j * w + i] + 0.125f * (x[j * w + l] + x[j * w + r] + x[u * w + i] + x[d * w + i]);
}

template <int R> __global__ void blur(float *y, const float *x, u32 w, u32 h)
{
    u32 i = first();
    u32 j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w || j >= h) {
        return;
    }
    float s = 0;
    for (int dy = -R; dy <= R; dy++) {
        for (int dx = -R; dx <= R; dx++) {
            int a = min(max((int)i + dx, 0), (int)w - 1);
            int b = min(max((int)j + dy, 0), (int)h - 1);
            s += x[b * w + a];
        }
    }
    y[j * w + i] = s / ((2 * R + 1) * (2 * R + 1));
}

// Dynamic shared memory: (block + 16) floats.
__global__ void conv1d(float *y, const float *x, const float *taps, u32 n)
{
    extern __shared__ float tile[];
    u32 base = blockIdx.x * blockDim.x;
    for (u32 k = threadIdx.x; k < blockDim.x + 16; k += blockDim.x) {
        int at = (int)(base + k) - 8;
        tile[k] = at >= 0 && at < (int)n ? x[at] : 0;
    }
    __syncthreads();
    if (base + threadIdx.x < n) {
        float s = 0;
        for (int k = 0; k <= 16; k++) {
            s += taps[k] * tile[threadIdx.x + k];
        }
        y[base + threadIdx.x] = s;
    }
}

// TILE × TILE elements of a block of TILE × any threads.
template <int TILE> __global__ void transpose(float *y, const float *x, u32 w, u32 h)
{
    __shared__ float tile[TILE][TILE + 1];
    u32 i = blockIdx.x * TILE + threadIdx.x;
    u32 j = blockIdx.y * TILE;
    for (u32 k = threadIdx.y; k < TILE; k += blockDim.y) {
        if (i < w && j + k < h) {
            tile[k][threadIdx.x] = x[(j + k) * w + i];
        }
    }
    __syncthreads();
    i = blockIdx.y * TILE + threadIdx.x;
    j = blockIdx.x * TILE;
    for (u32 k = threadIdx.y; k < TILE; k += blockDim.y) {
        if (i < h && j + k < w) {
            y[(j + k) * h + i] = tile[threadIdx.x][k];
        }
    }
}

// C = A × B, all n × n, n a multiple of 64: TILE × TILE results of a block, PER of a thread, by its rows.
template <int TILE, int PER> __global__ void matmul(float *c, const float *a, const float *b, u32 n)
{
    __shared__ float ta[TILE][TILE];
    __shared__ float tb[TILE][TILE];
    u32 x = threadIdx.x, y = threadIdx.y;
    u32 column = blockIdx.x * TILE + x;
    float s[PER] = {};
    for (u32 k = 0; k < n; k += TILE) {
        for (int p = 0; p < PER; p++) {
            u32 r = y + p * (TILE / PER);
            ta[r][x] = a[(blockIdx.y * TILE + r) * n + k + x];
            tb[r][x] = b[(k + r) * n + column];
        }
        __syncthreads();
        for (int q = 0; q < TILE; q++) {
            float v = tb[q][x];
            for (int p = 0; p < PER; p++) {
                s[p] += ta[y + p * (TILE / PER)][q] * v;
            }
        }
        __syncthreads();
    }
    for (int p = 0; p < PER; p++) {
        c[(blockIdx.y * TILE + y + p * (TILE / PER)) * n + column] = s[p];
    }
}

// Dynamic shared memory: a float4 of each thread.
__global__ void nbody(float4 *force, const float4 *body, u32 n)
{
    extern __shared__ float4 near[];
    u32 i = first();
    float4 p = body[i < n ? i : 0];
    float fx = 0, fy = 0, fz = 0;
    for (u32 t = 0; t < n; t += blockDim.x) {
        near[threadIdx.x] = t + threadIdx.x < n ? body[t + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (u32 k = 0; k < blockDim.x; k++) {
            float dx = near[k].x - p.x, dy = near[k].y - p.y, dz = near[k].z - p.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = near[k].w * inv * inv * inv;
            fx += f * dx;
            fy += f * dy;
            fz += f * dz;
        }
        __syncthreads();
    }
    if (i < n) {
        force[i] = make_float4(fx, fy, fz, 0);
    }
}

// Inclusive scans of rows, a block for each.
__global__ void scan(u32 *y, const u32 *x, u32 columns)
{
    __shared__ u32 part[32];
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 carry = 0;
    for (u32 base = 0; base < columns; base += blockDim.x) {
        u32 i = base + threadIdx.x;
        u32 v = i < columns ? x[(size_t)blockIdx.y * columns + i] : 0;
        for (int d = 1; d < 32; d *= 2) {
            u32 left = __shfl_up_sync(~0u, v, d);
            v += lane >= d ? left : 0;
        }
        __syncthreads();
        if (lane == 31) {
            part[warp] = v;
        }
        __syncthreads();
        u32 before = carry;
        u32 all = carry;
        for (u32 k = 0; k < blockDim.x / 32; k++) {
            before += k < warp ? part[k] : 0;
            all += part[k];
        }
        if (i < columns) {
            y[(size_t)blockIdx.y * columns + i] = v + before;
        }
        carry = all;
    }
}

// One step of a bitonic sort.
__global__ void bitonic(float *x, u32 j, u32 k, u32 n)
{
    for (u32 i = first(); i < n; i += step()) {
        u32 other = i ^ j;
        if (other > i && other < n) {
            float a = x[i], b = x[other];
            if ((a > b) == ((i & k) == 0)) {
                x[i] = b;
                x[other] = a;
            }
        }
    }
}

// Twice as large, bilinear.
__global__ void upsample(float *y, const float *x, u32 w, u32 h)
{
    u32 i = first();
    u32 j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w || j >= h) {
        return;
    }
    u32 sw = w / 2, a = i / 2, b = j / 2;
    u32 c = min(a + 1, sw - 1), d = min(b + 1, h / 2 - 1);
    float fx = (i & 1) * 0.5f, fy = (j & 1) * 0.5f;
    float top = x[b * sw + a] * (1 - fx) + x[b * sw + c] * fx;
    float low = x[d * sw + a] * (1 - fx) + x[d * sw + c] * fx;
    y[j * w + i] = top * (1 - fy) + low * fy;
}
