/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The CUDA driver in C++, opened at run time. Functions fail as the C functions of the same names do
 * (<cubinet/driver.h>).
 */
#ifndef CUBINET_DRIVER_HPP
#define CUBINET_DRIVER_HPP

#include <cubinet/archive.hpp>
#include <cubinet/driver.h>
#include <cubinet/handle.hpp>
#include <cubinet/status.hpp>

#include <type_traits>

namespace cubinet
{

/** @since 0.1 */
using driver_options = sized<cubinet_driver_options>;
using device_limits = sized<cubinet_device_limits>;

inline namespace CUBINET_ERRORS_NAMESPACE
{

/**
 * The driver of this machine. The destructor closes it, and must run after those of the modules loaded with
 * it, so declare it before them. Any number of threads may use it at the same time.
 * @since 0.1
 */
class driver : public owner<cubinet_driver, cubinet_driver_close>
{
  public:
    using owner::owner;

    /** CUBINET_ERROR_NO_DRIVER and CUBINET_ERROR_NO_DEVICE mean that you have to continue without a GPU.
     * @see cubinet_driver_open() */
    static returns<driver> open(const cubinet_driver_options *options = nullptr)
    {
        return calls::make<driver>(cubinet_driver_open, options);
    }

    /** 13000 for CUDA 13.0. */
    int version() const noexcept
    {
        return cubinet_driver_get_version(get());
    }

    int device_count() const noexcept
    {
        return cubinet_driver_get_device_count(get());
    }

    /** A device as selection sees it. */
    returns<device_profile> profile(CUdevice device) const
    {
        return calls::read<device_profile>(cubinet_driver_get_profile, get(), device);
    }

    returns<device_limits> limits(CUdevice device) const
    {
        return calls::read<device_limits>(cubinet_driver_get_limits, get(), device);
    }

    /**
     * Finds a function of the driver by its name in <cuda.h>, for calls that Cubinet does not make:
     * `driver.proc_address<int(CUdeviceptr *, size_t)>("cuMemAlloc")`. The type is not checked.
     */
    template <class Function> returns<Function *> proc_address(text name) const
    {
        static_assert(std::is_function_v<Function>, "the type of the function, such as int(CUcontext)");
        void *out = nullptr;
        const cubinet_status status = cubinet_driver_get_proc_address(get(), name.c_str(), &out);
        return calls::answer(status, reinterpret_cast<Function *>(out));
    }
};

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
