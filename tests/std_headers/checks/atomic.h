/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_ATOMIC_H
#define CHECK_ATOMIC_H

#include <atomic>

struct check_pair_of_shorts {
    short a;
    short b;
};

/* GPUs have no atomic operations on a thread's own memory: there the objects are a block's. */
#ifdef __CUDACC_RTC__
#define CHECK_SHARED __shared__
#else
#define CHECK_SHARED static
#endif

template <class T> __device__ __noinline__ inline void check_atomic_integer(check_values &out)
{
    CHECK_SHARED std::atomic<T> value;
    value = 100;
    CHECK_SHOW(value.fetch_add(7), value.fetch_sub(9), value.fetch_and(0x7e), value.fetch_or(1),
               value.fetch_xor(0x33));
    CHECK_SHOW(++value, value++, --value, value--, value += 4, value -= 3,
               value.load(std::memory_order_acquire));
    T expected = 1;
    CHECK_SHOW(value.compare_exchange_strong(expected, 5), expected,
               value.compare_exchange_strong(expected, 5), value.load());
    CHECK_SHOW(value.exchange(9, std::memory_order_acq_rel), static_cast<T>(value));
    value.store(static_cast<T>(-1), std::memory_order_release);
    CHECK_SHOW(value.fetch_add(2), value.load(std::memory_order_relaxed));
}

__device__ __noinline__ inline void check_atomic(check_values &out)
{
    check_atomic_integer<signed char>(out);
    check_atomic_integer<unsigned short>(out);
    check_atomic_integer<int>(out);
    check_atomic_integer<unsigned long long>(out);
    CHECK_SHARED std::atomic<float> real;
    real = 1.5f;
    CHECK_SHOW(real.fetch_add(2.0f), real.fetch_sub(0.5f), real.load());
    CHECK_SHARED int numbers[4];
    CHECK_SHARED std::atomic<int *> pointer;
    pointer = numbers;
    CHECK_SHOW(pointer.fetch_add(3) - numbers, --pointer - numbers, pointer.load() - numbers);
    CHECK_SHARED std::atomic<check_pair_of_shorts> pair;
    pair.store({3, -4});
    CHECK_SHOW(pair.load().a, pair.load().b);
    numbers[1] = 5;
    std::atomic_ref<int> ref(numbers[1]);
    CHECK_SHOW(ref.fetch_add(3), ref.load(), ref.exchange(2), numbers[1]);
    CHECK_SHARED std::atomic_flag flag;
    flag.clear();
    CHECK_SHOW(flag.test_and_set(), flag.test_and_set(), flag.test());
    CHECK_SHARED std::atomic<bool> truth;
    truth = true;
    CHECK_SHOW(truth.load(), truth.exchange(false), truth.load());
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

#endif
