// SPDX-License-Identifier: Apache-2.0
// A hash table with open addressing: a power of two of slots, 0 for an empty one, and the next slot if one is
// taken.
#include <cuda/atomic>
#include <cuda/std/cstdint>

// The finaliser of MurmurHash3, whose every output bit depends on every input bit.
__device__ cuda::std::uint64_t mix(cuda::std::uint64_t key)
{
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdu;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53u;
    return key ^ key >> 33;
}

template <typename Key>
__global__ void insert(Key *slots, cuda::std::uint64_t mask, const Key *keys, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const Key key = keys[i];
    for (cuda::std::uint64_t slot = mix(key) & mask;; slot = (slot + 1) & mask) {
        cuda::atomic_ref<Key, cuda::thread_scope_device> place(slots[slot]);
        Key found = 0;
        if (place.compare_exchange_strong(found, key, cuda::memory_order_relaxed) || found == key) {
            return;
        }
    }
}

// For each key its slot, or -1.
template <typename Key>
__global__ void find(const Key *slots, cuda::std::uint64_t mask, const Key *keys, cuda::std::int64_t *found,
                     int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const Key key = keys[i];
    cuda::std::uint64_t slot = mix(key) & mask;
    while (slots[slot] != key && slots[slot] != 0) {
        slot = (slot + 1) & mask;
    }
    found[i] = slots[slot] == key ? static_cast<cuda::std::int64_t>(slot) : -1;
}
