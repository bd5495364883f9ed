// SPDX-License-Identifier: Apache-2.0
// Sorts a block's elements with a bitonic network, the smallest first or last.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

typedef unsigned int uint;

__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir)
{
    if ((keyA > keyB) == dir) {
        uint t = keyA;
        keyA = keyB;
        keyB = t;
        t = valA;
        valA = valB;
        valB = t;
    }
}

template <uint LIMIT> __global__ void bitonicSortShared(uint *d_Key, uint *d_Val, uint arrayLength, uint dir)
{
    cg::thread_block cta = cg::this_thread_block();
    __shared__ uint s_key[LIMIT];
    __shared__ uint s_val[LIMIT];
    d_Key += blockIdx.x * LIMIT;
    d_Val += blockIdx.x * LIMIT;
    for (uint i = threadIdx.x; i < LIMIT; i += LIMIT / 2) {
        s_key[i] = d_Key[i];
        s_val[i] = d_Val[i];
    }
    for (uint size = 2; size <= arrayLength; size <<= 1) {
        uint ddd = size == arrayLength ? dir : dir ^ ((threadIdx.x & (size / 2)) != 0);
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            cg::sync(cta);
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    cg::sync(cta);
    for (uint i = threadIdx.x; i < LIMIT; i += LIMIT / 2) {
        d_Key[i] = s_key[i];
        d_Val[i] = s_val[i];
    }
}
