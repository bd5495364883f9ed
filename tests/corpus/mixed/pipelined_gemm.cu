// Products of matrices on tensor cores, fed by ldmatrix from a pipeline of cp.async: half by half, and half by weights of
// 4 bits. What a stage needs is at constant distances from what the first needs.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int STEP = 64; // of K, a stage
constexpr int THREADS = 128;

__device__ void copy_16(void *to, const void *from, bool wanted)
{
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("{\n.reg .pred wanted;\nsetp.ne.b32 wanted, %0, 0;\n@wanted cp.async.cg.shared.global [%1], [%2], 16;\n}\n" ::"r"(
                     (int)wanted),
                 "r"(address), "l"(from));
}

template <bool transposed> __device__ void load_matrices(unsigned (&fragment)[4], const void *from)
{
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(from));
    if constexpr (transposed) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                     : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                     : "r"(address));
    } else {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                     : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                     : "r"(address));
    }
}

__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Place of a run of eight halves in a tile whose rows have `width` of them, so that no column has a bank for itself.
template <int width> __device__ int swizzled(int row, int column)
{
    return row * width + (column ^ row % 8);
}

// Four weights of 4 bits, at bits 0, 16, 4 and 20, less 8, as two pairs of halves.
__device__ void widen(unsigned packed, unsigned &first, unsigned &second)
{
    unsigned low, high;
    asm("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(low) : "r"(packed), "n"(0x000f000f), "n"(0x64006400), "n"(0xea));
    asm("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(high) : "r"(packed), "n"(0x00f000f0), "n"(0x64006400), "n"(0xea));
    asm("sub.f16x2 %0, %1, %2;\n" : "=r"(first) : "r"(low), "r"(0x64086408));                       // 1032
    asm("fma.rn.f16x2 %0, %1, %2, %3;\n" : "=r"(second) : "r"(high), "r"(0x2c002c00), "r"(0xd480d480)); // / 16 - 72
}

// C = A B: 16 · ROWS rows and 64 columns a block, STAGES steps along K ahead; four warps have 16 columns each. B is K by N
// halves, a row a line. Or it is packed: a number for each lane, each 16 columns and each 16 rows, which holds the eight
// weights that the lane needs, and a scale for each column.
template <int ROWS, int STAGES, bool PACKED>
__global__ void gemm(const half *__restrict__ A, const uint4 *__restrict__ B, const float *__restrict__ scales,
                     float *__restrict__ C, int m, int n, int k)
{
    extern __shared__ uint4 tiles[];
    constexpr int a_runs = 16 * ROWS * STEP / 8, b_runs = PACKED ? STEP / 16 * 32 : STEP * 64 / 8;
    uint4 *a_tiles = tiles, *b_tiles = tiles + STAGES * a_runs;
    const int row0 = blockIdx.y * 16 * ROWS, column0 = blockIdx.x * 64;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sums[ROWS][2][4] = {};
    auto fetch = [&](int stage, int from) {
        if (from < k) {
#pragma unroll
            for (int i = 0; i < a_runs / THREADS; i++) {
                const int run = i * THREADS + (int)threadIdx.x, row = run / 8, column = run % 8;
                copy_16(&a_tiles[stage * a_runs + swizzled<8>(row, column)], A + (row0 + row) * k + from + column * 8,
                        row0 + row < m);
            }
#pragma unroll
            for (int i = 0; i < b_runs / THREADS; i++) {
                const int run = i * THREADS + (int)threadIdx.x;
                if constexpr (PACKED) {
                    copy_16(&b_tiles[stage * b_runs + run],
                            B + ((from / 16 + run / 32) * (n / 16) + column0 / 16) * 8 + run % 32, true);
                } else {
                    copy_16(&b_tiles[stage * b_runs + swizzled<8>(run / 8, run % 8)],
                            B + (from + run / 8) * (n / 8) + column0 / 8 + run % 8, true);
                }
            }
        }
        asm volatile("cp.async.commit_group;\n" ::);
    };
    auto multiply = [&](int stage, int inner) {
        unsigned b[4];
        if constexpr (PACKED) {
            const unsigned packed =
                reinterpret_cast<const unsigned *>(b_tiles + stage * b_runs)[(inner * 4 + warp) * 32 + lane];
            widen(packed, b[0], b[1]);
            widen(packed >> 8, b[2], b[3]);
        } else {
            load_matrices<true>(
                b, &b_tiles[stage * b_runs + swizzled<8>(inner * 16 + lane % 16, warp * 2 + lane / 16)]);
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            unsigned a[4];
            load_matrices<false>(
                a, &a_tiles[stage * a_runs + swizzled<8>(i * 16 + lane % 16, inner * 2 + lane / 16)]);
            multiply_add(sums[i][0], a, b[0], b[1]);
            multiply_add(sums[i][1], a, b[2], b[3]);
        }
    };
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; stage++) {
        fetch(stage, stage * STEP);
    }
    for (int from = 0; from < k; from += STAGES * STEP) {
#pragma unroll
        for (int stage = 0; stage < STAGES; stage++) {
            const int at = from + stage * STEP;
            if (at >= k) {
                break;
            }
            asm volatile("cp.async.wait_group %0;\n" ::"n"(STAGES - 2));
            __syncthreads();
            fetch((stage + STAGES - 1) % STAGES, at + (STAGES - 1) * STEP);
#pragma unroll
            for (int inner = 0; inner < STEP / 16; inner++) {
                multiply(stage, inner);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const int row = row0 + i * 16 + lane / 4 + j % 4 / 2 * 8;
            const int column = column0 + warp * 16 + j / 4 * 8 + lane % 4 * 2 + j % 2;
            if (row < m) {
                C[row * n + column] = sums[i][j / 4][j % 4] * (PACKED ? scales[column] : 1);
            }
        }
    }
}

template <class T> T *upload(const std::vector<T> &values)
{
    T *to;
    cudaMalloc(&to, values.size() * sizeof(T));
    cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}

constexpr int M = 100, N = 128, K = 64 * 11;

template <int ROWS, int STAGES, bool PACKED>
bool check(const half *a, const void *b, const float *scales, const std::vector<float> &wanted)
{
    std::vector<float> c(M * N, -1.0f);
    float *device_c = upload(c);
    const int bytes = STAGES * (16 * ROWS * STEP * 2 + (PACKED ? STEP * 32 : STEP * 128));
    cudaFuncSetAttribute(gemm<ROWS, STAGES, PACKED>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    const dim3 grid(N / 64, (M + 16 * ROWS - 1) / (16 * ROWS));
    gemm<ROWS, STAGES, PACKED><<<grid, THREADS, bytes>>>(a, (const uint4 *)b, scales, device_c, M, N, K);
    if (cudaMemcpy(c.data(), device_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) {
        return false;
    }
    for (int i = 0; i < M * N; i++) {
        if (!(fabsf(c[i] - wanted[i]) <= 0.01f)) {
            printf("%d %d %d: row %d column %d: %f, not %f\n", ROWS, STAGES, PACKED, i / N, i % N, c[i], wanted[i]);
            return false;
        }
    }
    return true;
}

int main()
{
    std::vector<half> a(M * K), b(K * N);
    std::vector<unsigned> packed(K * N / 8);
    std::vector<float> scales(N), product(M * N), scaled(M * N);
    srand(11);
    for (auto &x : a) {
        x = __float2half((rand() % 17 - 8) / 8.0f);
    }
    for (auto &x : scales) {
        x = (1 + rand() % 8) / 8.0f;
    }
    for (int i = 0; i < K; i++) {
        for (int j = 0; j < N; j++) {
            const unsigned weight = rand() % 16;
            b[i * N + j] = __float2half((float)weight - 8);
            const int lane = j % 8 * 4 + i % 8 / 2, bit = (j % 16 / 8 * 2 + i % 16 / 8) * 4 + i % 2 * 16;
            packed[(i / 16 * (N / 16) + j / 16) * 32 + lane] |= weight << bit;
        }
    }
    for (int i = 0; i < M * N; i++) {
        for (int x = 0; x < K; x++) {
            product[i] += __half2float(a[i / N * K + x]) * __half2float(b[x * N + i % N]);
        }
        scaled[i] = product[i] * scales[i % N];
    }
    half *device_a = upload(a), *device_b = upload(b);
    unsigned *device_packed = upload(packed);
    float *device_scales = upload(scales);
    const bool right = check<1, 4, false>(device_a, device_b, device_scales, product) &&
                       check<4, 3, false>(device_a, device_b, device_scales, product) &&
                       check<1, 4, true>(device_a, device_packed, device_scales, scaled) &&
                       check<2, 4, true>(device_a, device_packed, device_scales, scaled) &&
                       check<4, 4, true>(device_a, device_packed, device_scales, scaled);
    return right ? 0 : 1;
}
