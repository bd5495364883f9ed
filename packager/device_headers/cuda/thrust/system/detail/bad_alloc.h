// SPDX-License-Identifier: Apache-2.0
// In the place of Thrust's exception for memory that ran out, which is made of the host's strings.
#ifndef CUBINET_THRUST_BAD_ALLOC_H
#define CUBINET_THRUST_BAD_ALLOC_H

#include <thrust/detail/config.h>

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace detail
{

// There are no exceptions in device code: what makes this one ends the grid, as in code of nvcc's.
class bad_alloc
{
  public:
    template <class Text> __host__ __device__ explicit bad_alloc(const Text &)
    {
        printf("Error: %s\n", what());
        __trap();
    }
    __host__ __device__ const char *what() const
    {
        return "out of memory";
    }
};

} // namespace detail
} // namespace system
THRUST_NAMESPACE_END

#endif
