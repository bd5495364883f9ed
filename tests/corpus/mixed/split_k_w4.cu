// A product of half-precision activations with weights of 4 bits, dequantized on the way to the tensor cores.
// Two tile widths; the sum over K is split over blocks, whose parts a second kernel adds up.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int GROUP = 64; // weights along K that share a scale and a zero point

// Eight weights of 4 bits as halves.
__device__ uint4 dequantize(unsigned packed)
{
    uint4 result;
    unsigned *h = reinterpret_cast<unsigned *>(&result);
    constexpr unsigned table = (0xf0 & 0xcc) | 0xaa;
    const unsigned upper = packed >> 8;
    asm volatile("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(h[0]) : "r"(packed), "n"(0x000f000f), "n"(0x64006400), "n"(table));
    asm volatile("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(h[1]) : "r"(packed), "n"(0x00f000f0), "n"(0x64006400), "n"(table));
    asm volatile("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(h[2]) : "r"(upper), "n"(0x000f000f), "n"(0x64006400), "n"(table));
    asm volatile("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(h[3]) : "r"(upper), "n"(0x00f000f0), "n"(0x64006400), "n"(table));
    constexpr unsigned bias = 0x64006400, sixteenth = 0x2c002c00, minus_64 = 0xd400d400;
    asm volatile("sub.f16x2 %0, %1, %2;\n" : "=r"(h[0]) : "r"(h[0]), "r"(bias));
    asm volatile("fma.rn.f16x2 %0, %1, %2, %3;\n" : "=r"(h[1]) : "r"(h[1]), "r"(sixteenth), "r"(minus_64));
    asm volatile("sub.f16x2 %0, %1, %2;\n" : "=r"(h[2]) : "r"(h[2]), "r"(bias));
    asm volatile("fma.rn.f16x2 %0, %1, %2, %3;\n" : "=r"(h[3]) : "r"(h[3]), "r"(sixteenth), "r"(minus_64));
    return result;
}

__device__ unsigned scaled(unsigned weights, unsigned zeros, unsigned scales)
{
    asm volatile("sub.f16x2 %0, %1, %2;\n" : "=r"(weights) : "r"(weights), "r"(zeros));
    asm volatile("fma.rn.f16x2 %0, %1, %2, %3;\n" : "=r"(weights) : "r"(weights), "r"(scales), "r"(0));
    return weights;
}

// One block: 16 rows of C by N columns, for the steps along K that are blockIdx.z's. 64 threads: two warps, each half of N.
template <int N>
__global__ void __launch_bounds__(64) gemm_w4(int splits, const half *__restrict__ A, const int *__restrict__ B,
                                              const half *__restrict__ scales, const int *__restrict__ zeros, int m, int n,
                                              int k, half *__restrict__ parts)
{
    float sums[N / 2 / 16 * 8];
    __shared__ half a_tile[16 * (32 + 8)];
    __shared__ half b_tile[32 * (N + 8)];

    const int column_blocks = n / N;
    const int row_block = blockIdx.x / column_blocks, column_block = blockIdx.x % column_blocks;
    half a_fragment[8];
    half b_fragment[N / 16 / 2 * 8];
    for (int i = 0; i < N / 2 / 16 * 8; i++) {
        sums[i] = 0;
    }
    static constexpr int row_stride = 2 * 32 * 8 / N;
    const bool row_in_range = row_block * 16 + threadIdx.y * 8 + threadIdx.x / 4 < m;
    const half *a_from = A + ((row_block * 16 + threadIdx.y * 8 + threadIdx.x / 4) * k) + threadIdx.x % 4 * 8;
    const int *b_from = B + threadIdx.y * (n / 8) * (256 / N) + int(threadIdx.x) / (N / 8) * (n / 8) + column_block * (N / 8) +
                        int(threadIdx.x) % (N / 8);
    half *a_to = a_tile + threadIdx.y * 8 * 40 + threadIdx.x / 4 * 40 + threadIdx.x % 4 * 8;
    half *b_to = b_tile + threadIdx.y * (row_stride / 2) * (N + 8) + threadIdx.x / (N / 8) * (N + 8) +
                 threadIdx.x % (N / 8) * 8;
    const int *zeros_from = zeros + column_block * (N / 8) + threadIdx.x % (N / 8);
    const half *scales_from = scales + column_block * N + threadIdx.x % (N / 8) * 8;
    half *c_to = parts + (size_t)blockIdx.z * m * n + column_block * N + threadIdx.y * (N / 2) + threadIdx.x % 4 * 2;

    int steps = (k / 32 + splits - 1) / splits;
    if ((steps - 1) * splits * 32 + (int)blockIdx.z * 32 >= k) {
        steps--;
    }
    for (int step = 0; step < steps; step++) {
        const int at = step * splits + blockIdx.z;
        __syncthreads();
        *(uint4 *)a_to = row_in_range ? *(const uint4 *)(a_from + at * 32) : make_uint4(0, 0, 0, 0);
        const uint4 zero = dequantize(*(zeros_from + at * 32 / GROUP * (n / 8)));
        const uint4 scale = *(const uint4 *)(scales_from + at * 32 / GROUP * n);
        const int *b_at = b_from + at * 32 * (n / 8);
        for (int i = 0; i < N / 16; i++) {
            uint4 weights = dequantize(*(b_at + i * row_stride * (n / 8)));
            weights.x = scaled(weights.x, zero.x, scale.x);
            weights.y = scaled(weights.y, zero.y, scale.y);
            weights.z = scaled(weights.z, zero.z, scale.z);
            weights.w = scaled(weights.w, zero.w, scale.w);
            *(uint4 *)(b_to + i * row_stride * (N + 8)) = weights;
        }
        __syncthreads();
        for (int inner = 0; inner < 2; inner++) {
            unsigned address;
            asm volatile("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }\n"
                         : "=r"(address)
                         : "l"((void *)(&a_tile[inner * 16] + (((int)threadIdx.x & 15) * 40 + ((int)threadIdx.x >> 4) * 8))));
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                         : "=r"(((unsigned *)a_fragment)[0]), "=r"(((unsigned *)a_fragment)[1]),
                           "=r"(((unsigned *)a_fragment)[2]), "=r"(((unsigned *)a_fragment)[3])
                         : "r"(address));
            for (int i = 0; i < N / 32; i++) {
                asm volatile("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }\n"
                             : "=r"(address)
                             : "l"((void *)(&b_tile[inner * (N * 16 + 128) + (int)threadIdx.y * (N / 2) + i * 16] +
                                            ((int)threadIdx.x & 15) * (N + 8) + ((int)threadIdx.x >> 4) * 8)));
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                             : "=r"(((unsigned *)(b_fragment + i * 8))[0]), "=r"(((unsigned *)(b_fragment + i * 8))[1]),
                               "=r"(((unsigned *)(b_fragment + i * 8))[2]), "=r"(((unsigned *)(b_fragment + i * 8))[3])
                             : "r"(address));
            }
            for (int i = 0; i < N / 32; i++) {
                for (int half_of = 0; half_of < 2; half_of++) {
                    float *c = sums + i * 8 + half_of * 4;
                    const unsigned *b = (unsigned *)(b_fragment + i * 8 + half_of * 4);
                    const unsigned *a = (unsigned *)a_fragment;
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%10, %11, %12, %13};\n"
                                 : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
                                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
                                   "f"(c[2]), "f"(c[3]));
                }
            }
        }
    }
    for (int i = 0; i < N / 32; i++) {
        for (int j = 0; j < 8; j++) {
            const int row = row_block * 16 + (int)threadIdx.x / 4 + j % 4 / 2 * 8;
            if (row < m) {
                c_to[(size_t)row * n + i * 16 + j / 4 * 8 + j % 2] = __float2half(sums[i * 8 + j]);
            }
        }
    }
}

__global__ void add_parts(int splits, size_t count, const half *parts, half *c)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        float sum = 0;
        for (int split = 0; split < splits; split++) {
            sum += __half2float(parts[split * count + i]);
        }
        c[i] = __float2half(sum);
    }
}

template <class T> T *upload(const std::vector<T> &values)
{
    T *to;
    cudaMalloc(&to, values.size() * sizeof(T));
    cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}

int main()
{
    const int m = 40, n = 256, k = 512, splits = 4;
    std::vector<half> a(m * k), scales(k / GROUP * n), parts(splits * m * n), c(m * n);
    std::vector<int> b(k * n / 8), zeros(k / GROUP * n / 8);
    std::vector<float> weights(k * n);
    srand(7);
    for (auto &x : a) {
        x = __float2half((rand() % 17 - 8) / 8.0f);
    }
    for (auto &x : scales) {
        x = __float2half((1 + rand() % 4) / 16.0f);
    }
    for (auto &x : b) {
        x = (int)((unsigned)rand() * 2654435761u ^ (unsigned)rand());
    }
    for (auto &x : zeros) {
        x = (int)((unsigned)rand() * 2654435761u ^ (unsigned)rand());
    }
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < n; j++) {
            // The nibbles that lop3 takes out first and second of each half are bits 0, 16, 4, 20, 8, 24, 12, 28.
            static const int bits[8] = {0, 16, 4, 20, 8, 24, 12, 28};
            const int weight = (unsigned)b[(i * n + j) / 8] >> bits[j % 8] & 15;
            const int zero = (unsigned)zeros[(i / GROUP * n + j) / 8] >> bits[j % 8] & 15;
            weights[i * n + j] = (weight - zero) * __half2float(scales[i / GROUP * n + j]);
        }
    }
    half *device_a = upload(a), *device_scales = upload(scales), *device_parts = upload(parts), *device_c = upload(c);
    int *device_b = upload(b), *device_zeros = upload(zeros);
    for (int width : {64, 128}) {
        const dim3 grid((m + 15) / 16 * (n / width), 1, splits), block(32, 2);
        if (width == 64) {
            gemm_w4<64><<<grid, block>>>(splits, device_a, device_b, device_scales, device_zeros, m, n, k, device_parts);
        } else {
            gemm_w4<128><<<grid, block>>>(splits, device_a, device_b, device_scales, device_zeros, m, n, k, device_parts);
        }
        add_parts<<<8, 128>>>(splits, (size_t)m * n, device_parts, device_c);
        if (cudaMemcpy(c.data(), device_c, c.size() * sizeof(half), cudaMemcpyDeviceToHost) != cudaSuccess) {
            return 2;
        }
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                float want = 0;
                for (int x = 0; x < k; x++) {
                    want += __half2float(a[i * k + x]) * weights[x * n + j];
                }
                const float got = __half2float(c[i * n + j]);
                if (fabsf(got - want) > 0.25f + fabsf(want) / 128) {
                    printf("%d: row %d column %d: %f, not %f\n", width, i, j, got, want);
                    return 1;
                }
            }
        }
    }
    return 0;
}
