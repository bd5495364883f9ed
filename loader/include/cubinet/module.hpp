/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Modules on a device in C++: load them, and find their kernels and globals. Functions fail as the C
 * functions of the same names do (<cubinet/module.h>).
 */
#ifndef CUBINET_MODULE_HPP
#define CUBINET_MODULE_HPP

#include <cubinet/archive.hpp>
#include <cubinet/driver.hpp>
#include <cubinet/handle.hpp>
#include <cubinet/kernel.hpp>
#include <cubinet/module.h>
#include <cubinet/status.hpp>
#include <cubinet/tuning.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cubinet
{

/** @since 0.1 */
using load_options = sized<cubinet_load_options>;

/** A global variable of a loaded module.
 * @since 0.1 */
struct global {
    CUdeviceptr address; /**< on the device; for a `__managed__` variable, on the host, too */
    std::size_t bytes;
};

/** @since 0.1 */
using tuned_info = sized<cubinet_tuned_info>;

inline namespace CUBINET_ERRORS_NAMESPACE
{

/** A kernel chosen by what was measured, how to launch it, and where that comes from.
 * @since 0.1 */
struct tuned_launch {
    cubinet::kernel kernel;
    launch_config config;
    tuned_info info;
};

/**
 * A module loaded for one device. The destructor unloads it; no launch of its kernels may be pending then,
 * and its driver must still be open. Any number of threads may use it at the same time.
 * @since 0.1
 */
class module : public owner<cubinet_module, cubinet_module_unload>
{
  public:
    using owner::owner;

    /** Loads the best image of a module for a device. You may close the archive afterwards.
     * @see cubinet_module_load() */
    static returns<cubinet::module> load(const driver &driver, archive_view archive, text name,
                                         CUdevice device, const cubinet_load_options *options = nullptr)
    {
        return calls::make<cubinet::module>(cubinet_module_load, driver.get(), archive.get(), name.c_str(),
                                            device, options);
    }

    /** Loads a module for several devices, in their order, or for none. @see cubinet_module_load_devices() */
    static returns<std::vector<cubinet::module>> load_devices(const driver &driver, archive_view archive,
                                                              text name, span<const CUdevice> devices,
                                                              const cubinet_load_options *options = nullptr)
    {
        std::vector<cubinet_module *> handles(devices.size());
        std::vector<cubinet::module> out(devices.size());
        const cubinet_status status =
            cubinet_module_load_devices(driver.get(), archive.get(), name.c_str(), devices.data(),
                                        devices.size(), options, handles.data());
        for (std::size_t i = 0; i < handles.size(); i++) {
            out[i] = cubinet::module(handles[i]);
        }
        return calls::answer(status, std::move(out));
    }

    /** Unloads the module as the destructor does, but returns the driver's result. The module is gone in any
     * case. */
    returns<void> unload()
    {
        return calls::answer(cubinet_module_unload(release()));
    }

    /** Finds a kernel by its expression, its lowered name or its plain name.
     * @see cubinet_module_find_kernel() */
    returns<kernel> find_kernel(text expression_or_name) const &
    {
        cubinet_kernel *out = nullptr;
        const cubinet_status status = cubinet_module_find_kernel(get(), expression_or_name.c_str(), &out);
        return calls::answer(status, kernel(out));
    }

    /** Finds the kernel that a class of `cubinet header --c++` describes: `module.find<demo::scale>()`. Valid
     * until the module is unloaded, as a kernel is. */
    template <class Typed> returns<Typed> find() const &
    {
        Typed out;
        const cubinet_status status = out.bind(get());
        return calls::answer(status, std::move(out));
    }

    /** Finds a global variable by its expression or its lowered name. */
    returns<global> find_global(text expression_or_name) const &
    {
        global out{};
        const cubinet_status status =
            cubinet_module_find_global(get(), expression_or_name.c_str(), &out.address, &out.bytes);
        return calls::answer(status, out);
    }

    /** Chooses among kernels that do one thing by what was measured on such a GPU. `what` is the set's name,
     * or a kernel's. @see cubinet_module_get_tuned() */
    returns<tuned_launch> find_tuned(text what, const std::array<std::uint64_t, 3> &extent,
                                     const cubinet_suggest_options *options = nullptr) const &
    {
        tuned_launch out;
        cubinet_kernel *kernel = nullptr;
        const cubinet_status status = cubinet_module_get_tuned(get(), what.c_str(), extent.data(), options,
                                                               &kernel, &out.config, &out.info);
        out.kernel = cubinet::kernel(kernel);
        return calls::answer(status, out);
    }

    /* Deleted, because a temporary module is unloaded at the end of the expression: keep it in a variable. */
    void find_kernel(text) const && = delete;
    template <class Typed> void find() const && = delete;
    void find_global(text) const && = delete;
    void find_tuned(text, const std::array<std::uint64_t, 3> &,
                    const cubinet_suggest_options * = nullptr) const && = delete;

    /** The image that was loaded. */
    returns<image_info> image() const
    {
        return calls::read<image_info>(cubinet_module_get_image, get());
    }

    /** The context that it lives in. */
    CUcontext context() const noexcept
    {
        return cubinet_module_get_context(get());
    }

    /** The driver's handle, which belongs to the module; NULL for a module in parts: kernel::library(). */
    CUlibrary library() const noexcept
    {
        return cubinet_module_get_library(get());
    }
};

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
