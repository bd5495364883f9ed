/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_MEMORY_H
#define CHECK_MEMORY_H

#include <memory>
#include <new>

struct check_life {
    int *alive;
    int number;
    __device__ check_life(int *count, int n) : alive(count), number(n)
    {
        ++*alive;
    }
    __device__ check_life(const check_life &other) : alive(other.alive), number(other.number)
    {
        ++*alive;
    }
    __device__ ~check_life()
    {
        --*alive;
    }
};

struct check_delete {
    int *deleted;
    __device__ void operator()(int *) const
    {
        ++*deleted;
    }
};

__device__ __noinline__ inline void check_memory(check_values &out)
{
    int alive = 0;
    {
        std::unique_ptr<check_life> one(new check_life(&alive, 5));
        auto other = std::make_unique<check_life>(&alive, 6);
        CHECK_SHOW(alive, one->number, (*other).number, one != nullptr, one == other);
        one = std::move(other);
        CHECK_SHOW(alive, one->number, other == nullptr, static_cast<bool>(other));
        other.reset(one.release());
        CHECK_SHOW(alive, one.get() == nullptr);
    }
    CHECK_SHOW(alive);
    int deleted = 0;
    int object = 0;
    {
        std::unique_ptr<int, check_delete> owner(&object, check_delete{&deleted});
        auto array = std::make_unique<int[]>(4);
        array[2] = 3;
        CHECK_SHOW(array[0] + array[2]);
    }
    CHECK_SHOW(deleted);
    alignas(check_life) unsigned char place[4 * sizeof(check_life)];
    check_life *lives = reinterpret_cast<check_life *>(place);
    const check_life model(&alive, 9);
    std::uninitialized_fill_n(lives, 2, model);
    std::uninitialized_copy(lives, lives + 2, lives + 2);
    CHECK_SHOW(alive, lives[3].number);
    std::destroy_at(lives);
    std::destroy(lives + 1, lives + 4);
    CHECK_SHOW(alive);
    std::construct_at(lives, &alive, 4);
    CHECK_SHOW(alive, std::launder(lives)->number);
    std::destroy_n(lives, 1);
    void *pointer = place + 1;
    std::size_t space = 40;
    CHECK_SHOW(std::align(16, 8, pointer, space) != nullptr, reinterpret_cast<std::uintptr_t>(pointer) % 16,
               std::align(16, 100, pointer, space) == nullptr, std::addressof(object) == &object);
    int *plain = new (std::nothrow) int(3);
    CHECK_SHOW(*plain);
    delete plain;
}

#endif
