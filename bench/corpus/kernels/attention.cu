// SPDX-License-Identifier: Apache-2.0
// softmax(Q · Kᵀ / √dimension) · V for one head, in one pass over the keys, whose scores are never stored.
// Four threads share a query; a block has `queries` of them and walks over tiles of as many keys. The length
// is a multiple of that.
constexpr int lanes = 4;

template <int dimension, int queries>
__global__ void __launch_bounds__((queries) * (lanes))
    attention(const float *query, const float *key, const float *value, float *out, int length, float scale)
{
    constexpr int share = dimension / lanes; // of the numbers of a row, those that a thread has
    __shared__ float keys[queries][dimension];
    __shared__ float values[queries][dimension];

    const int lane = threadIdx.x % lanes;
    const long long row = static_cast<long long>(blockIdx.x) * queries + threadIdx.x / lanes;
    float mine[share];
    float sum[share] = {};
    for (int i = 0; i < share; i++) {
        mine[i] = query[row * dimension + i * lanes + lane] * scale;
    }
    float maximum = -__int_as_float(0x7f800000);
    float total = 0;
    for (int first = 0; first < length; first += queries) {
        for (int i = threadIdx.x; i < queries * dimension; i += queries * lanes) {
            keys[i / dimension][i % dimension] = key[static_cast<long long>(first) * dimension + i];
            values[i / dimension][i % dimension] = value[static_cast<long long>(first) * dimension + i];
        }
        __syncthreads();
        for (int j = 0; j < queries; j++) {
            float score = 0;
            for (int i = 0; i < share; i++) {
                score += mine[i] * keys[j][i * lanes + lane];
            }
            score += __shfl_xor_sync(0xffffffff, score, 1);
            score += __shfl_xor_sync(0xffffffff, score, 2);
            const float higher = fmaxf(maximum, score);
            const float shrink = __expf(maximum - higher);
            const float weight = __expf(score - higher);
            total = total * shrink + weight;
            for (int i = 0; i < share; i++) {
                sum[i] = sum[i] * shrink + weight * values[j][i * lanes + lane];
            }
            maximum = higher;
        }
        __syncthreads();
    }
    for (int i = 0; i < share; i++) {
        out[row * dimension + i * lanes + lane] = sum[i] / total;
    }
}
