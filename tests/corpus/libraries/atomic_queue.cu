// SPDX-License-Identifier: Apache-2.0
// A queue of work that blocks share, through cuda::atomic_ref with scopes and orders.
#include <cuda/atomic>

__device__ unsigned next_item;

extern "C" __global__ void work(const unsigned *items, unsigned count, unsigned long long *sum, unsigned *visits)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> ticket(next_item);
    for (;;) {
        const unsigned i = ticket.fetch_add(1, cuda::std::memory_order_relaxed);
        if (i >= count) {
            return;
        }
        cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*sum).fetch_add(items[i] * 1ull, cuda::memory_order_relaxed);
        visits[i]++;
    }
}
