// SPDX-License-Identifier: Apache-2.0
// What of CUB launches kernels from the host: the algorithms for whole devices, and the allocator.
#if !defined(CUBINET_HOST_CUB_H) && __cplusplus >= 201402L
#define CUBINET_HOST_CUB_H

#include "functions.h"
#include <cub/config.cuh>
#if __has_include(<cub/device/dispatch/dispatch_common.cuh>)
#include <cub/device/dispatch/dispatch_common.cuh> // cub::SortOrder
#endif

CUB_NAMESPACE_BEGIN

#if !defined(CUBINET_ALGORITHM_KERNELS) // which includes CUB's own
#define _CUBINET_HOST_ALGORITHMS(name)                                                                       \
    struct name {                                                                                            \
        name() = delete;                                                                                     \
    };
_CUBINET_HOST_ALGORITHMS(DeviceAdjacentDifference)
_CUBINET_HOST_ALGORITHMS(DeviceCopy)
_CUBINET_HOST_ALGORITHMS(DeviceFor)
_CUBINET_HOST_ALGORITHMS(DeviceHistogram)
_CUBINET_HOST_ALGORITHMS(DeviceMemcpy)
_CUBINET_HOST_ALGORITHMS(DeviceMerge)
_CUBINET_HOST_ALGORITHMS(DeviceMergeSort)
_CUBINET_HOST_ALGORITHMS(DevicePartition)
_CUBINET_HOST_ALGORITHMS(DeviceRadixSort)
_CUBINET_HOST_ALGORITHMS(DeviceReduce)
_CUBINET_HOST_ALGORITHMS(DeviceRunLengthEncode)
_CUBINET_HOST_ALGORITHMS(DeviceScan)
_CUBINET_HOST_ALGORITHMS(DeviceSegmentedRadixSort)
_CUBINET_HOST_ALGORITHMS(DeviceSegmentedReduce)
_CUBINET_HOST_ALGORITHMS(DeviceSegmentedSort)
_CUBINET_HOST_ALGORITHMS(DeviceSelect)
_CUBINET_HOST_ALGORITHMS(DeviceSpmv)
_CUBINET_HOST_ALGORITHMS(DeviceTopK)
_CUBINET_HOST_ALGORITHMS(DeviceTransform)
#undef _CUBINET_HOST_ALGORITHMS
#endif

struct CachingDeviceAllocator {
    _CUBINET_HD CachingDeviceAllocator() = delete;

  private:
    long __words[30];
};

CUB_NAMESPACE_END

#endif
