/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Get everything ready before the first launch, in C++. Functions fail as the C functions of the same names
 * do (<cubinet/preload.h>).
 */
#ifndef CUBINET_PRELOAD_HPP
#define CUBINET_PRELOAD_HPP

#include <cubinet/archive.hpp>
#include <cubinet/driver.hpp>
#include <cubinet/handle.hpp>
#include <cubinet/link.hpp>
#include <cubinet/module.hpp>
#include <cubinet/preload.h>
#include <cubinet/status.hpp>

#include <cstddef>

namespace cubinet
{

/** @since 0.1 */
using preload_options = sized<cubinet_preload_options>;
using preload_result = sized<cubinet_preload_result>;

inline namespace CUBINET_ERRORS_NAMESPACE
{

/** A thing to get ready: a module of an archive, all its modules with kernels if no name is given, or a link.
 * @since 0.1 */
struct preload_item : cubinet_preload_item {
    preload_item(archive_view of, text module_name = nullptr) noexcept : cubinet_preload_item()
    {
        archive = of.get();
        name = module_name.c_str();
    }

    /** @param link_name a name for it, read during the call */
    preload_item(const cubinet::link &of, text link_name = nullptr) noexcept : cubinet_preload_item()
    {
        link = of.get();
        name = link_name.c_str();
    }
};

static_assert(sizeof(preload_item) == sizeof(cubinet_preload_item));

/**
 * Modules that were loaded together, and the errors of those that failed. The destructor unloads those that
 * you did not take out. Any number of threads may use it while none takes a module out.
 * @since 0.1
 */
class preload : public owner<cubinet_preload, cubinet_preload_destroy>
{
  public:
    using owner::owner;

    /** Loads and links, several at a time. A progress function must not throw. @see cubinet_preload_run() */
    static returns<preload> run(const driver &driver, CUdevice device, span<const preload_item> items,
                                const cubinet_preload_options *options = nullptr)
    {
        return calls::make<preload>(cubinet_preload_run, driver.get(), device, items.data(), items.size(),
                                    options);
    }

    /** Loads what a record of use names, in the order of use. @see cubinet_preload_recorded() */
    static returns<preload> recorded(const driver &driver, CUdevice device,
                                     span<const cubinet_archive *const> archives, text record,
                                     const cubinet_preload_options *options = nullptr)
    {
        return calls::make<preload>(cubinet_preload_recorded, driver.get(), device, archives.data(),
                                    archives.size(), record.c_str(), options);
    }

    std::size_t result_count() const noexcept
    {
        return cubinet_preload_get_result_count(get());
    }

    returns<preload_result> result(std::size_t index) const
    {
        return calls::read<preload_result>(cubinet_preload_get_result, get(), index);
    }

    /** The number of the first result of that name. */
    returns<std::size_t> find_result(text name) const
    {
        return calls::read<std::size_t>(cubinet_preload_find_result, get(), name.c_str());
    }

    /** Takes a module out; the caller owns it from now on. */
    returns<cubinet::module> take_module(std::size_t index)
    {
        return calls::make<cubinet::module>(cubinet_preload_take_module, get(), index);
    }
};

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
