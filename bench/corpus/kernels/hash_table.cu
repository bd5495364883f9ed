// SPDX-License-Identifier: Apache-2.0
// A hash table with open addressing: a power of two of slots, 0 for an empty one, and the next slot if one is
// taken.
#include <cuda/atomic>

// The finaliser of MurmurHash3, whose every output bit depends on every input bit.
__device__ unsigned long long mix(unsigned long long key)
{
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdu;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53u;
    return key ^ key >> 33;
}

template <typename Key>
__global__ void insert(Key *slots, unsigned long long mask, const Key *keys, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const Key key = keys[i];
    for (unsigned long long slot = mix(key) & mask;; slot = (slot + 1) & mask) {
        cuda::atomic_ref<Key, cuda::thread_scope_device> place(slots[slot]);
        Key found = 0;
        if (place.compare_exchange_strong(found, key, cuda::memory_order_relaxed) || found == key) {
            return;
        }
    }
}

// For each key its slot, or -1.
template <typename Key>
__global__ void find(const Key *slots, unsigned long long mask, const Key *keys, long long *found, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const Key key = keys[i];
    unsigned long long slot = mix(key) & mask;
    while (slots[slot] != key && slots[slot] != 0) {
        slot = (slot + 1) & mask;
    }
    found[i] = slots[slot] == key ? static_cast<long long>(slot) : -1;
}
