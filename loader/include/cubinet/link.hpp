/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Linking device code in C++, on the machine that runs it. Functions fail as those of <cubinet/link.h> do,
 * which have the same names.
 */
#ifndef CUBINET_LINK_HPP
#define CUBINET_LINK_HPP

#include <cubinet/archive.hpp>
#include <cubinet/driver.hpp>
#include <cubinet/handle.hpp>
#include <cubinet/link.h>
#include <cubinet/module.hpp>
#include <cubinet/status.hpp>

#include <cstddef>

namespace cubinet
{

/** @since 0.1 */
using link_options = sized<cubinet_link_options>;

inline namespace CUBINET_ERRORS_NAMESPACE
{

/**
 * A link under way, which ends with this object; modules that it made stay loaded. Used by one thread at a
 * time. Archives that are added stay open until it is completed.
 * @since 0.1
 */
class link : public owner<cubinet_link, cubinet_link_destroy>
{
  public:
    using owner::owner;

    static returns<link> create(const driver &driver, CUdevice device,
                                const cubinet_link_options *options = nullptr)
    {
        return calls::make<link>(cubinet_link_create, driver.get(), device, options);
    }

    /** Adds the image of a module that links best. */
    returns<void> add_module(archive_view archive, text name)
    {
        return calls::answer(cubinet_link_add_module(get(), archive.get(), name.c_str()));
    }

    /** Names an archive to look in for what is missing. */
    returns<void> add_archive(archive_view archive)
    {
        return calls::answer(cubinet_link_add_archive(get(), archive.get()));
    }

    /** Adds a piece that lies in memory, which is copied. */
    returns<void> add_data(cubinet_piece_kind kind, const void *data, std::size_t size, text name = nullptr)
    {
        return calls::answer(cubinet_link_add_data(get(), kind, data, size, name.c_str()));
    }

    returns<void> add_file(cubinet_piece_kind kind, text path)
    {
        return calls::answer(cubinet_link_add_file(get(), kind, path.c_str()));
    }

    /** Links the pieces and loads what comes out. May be called again, for another module of the same code.
     */
    returns<cubinet::module> complete()
    {
        return calls::make<cubinet::module>(cubinet_link_complete, get());
    }

    /** The cubin that the link makes, which belongs to the link until it ends or something is added. */
    returns<span<const unsigned char>> cubin()
    {
        const void *data = nullptr;
        std::size_t size = 0;
        const cubinet_status status = cubinet_link_get_cubin(get(), &data, &size);
        return calls::answer(status,
                             span<const unsigned char>(static_cast<const unsigned char *>(data), size));
    }
};

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
