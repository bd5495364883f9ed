// SPDX-License-Identifier: Apache-2.0
// softmax(Q K^T) V for one head, a query for each warp, with running maxima; keys come by asynchronous copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <limits>

namespace cg = cooperative_groups;

template <int Width, int Keys>
__global__ void attention(const float *query, const float *key, const float *value, float *out, int length, float scale)
{
    static_assert(Width == 32, "a lane for each component");
    __shared__ float keys[Keys][Width];
    __shared__ float values[Keys][Width];
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    const int lane = warp.thread_rank();
    const float q = row < length ? query[row * Width + lane] : 0.0f;
    float highest = std::numeric_limits<float>::lowest();
    float total = 0;
    float sum = 0;
    for (int first = 0; first < length; first += Keys) {
        const int count = min(Keys, length - first);
        cg::memcpy_async(block, &keys[0][0], key + first * Width, sizeof(float) * Width * count);
        cg::memcpy_async(block, &values[0][0], value + first * Width, sizeof(float) * Width * count);
        cg::wait(block);
        for (int k = 0; k < count; k++) {
            const float score = scale * cg::reduce(warp, q * keys[k][lane], cg::plus<float>());
            const float next = fmaxf(highest, score);
            const float shrink = __expf(highest - next);
            const float weight = __expf(score - next);
            total = total * shrink + weight;
            sum = sum * shrink + weight * values[k][lane];
            highest = next;
        }
        block.sync();
    }
    if (row < length) {
        out[row * Width + lane] = sum / total;
    }
}
