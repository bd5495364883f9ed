/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Linking device code in C++, on the machine that runs it. Functions fail as the C functions of the same
 * names do (<cubinet/link.h>).
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
 * A link. The destructor ends it; modules that it made stay loaded. Only one thread at a time may use it.
 * Keep the archives that you add open until you complete it.
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

    /** Names an archive to search for missing symbols. */
    returns<void> add_archive(archive_view archive)
    {
        return calls::answer(cubinet_link_add_archive(get(), archive.get()));
    }

    /** Adds a piece from memory, which is copied. */
    returns<void> add_data(cubinet_piece_kind kind, const void *data, std::size_t size, text name = nullptr)
    {
        return calls::answer(cubinet_link_add_data(get(), kind, data, size, name.c_str()));
    }

    returns<void> add_file(cubinet_piece_kind kind, text path)
    {
        return calls::answer(cubinet_link_add_file(get(), kind, path.c_str()));
    }

    /** Links the pieces and loads the result. Call it again for another module of the same code.
     */
    returns<cubinet::module> complete()
    {
        return calls::make<cubinet::module>(cubinet_link_complete, get());
    }

    /** Links, and returns the cubin. The link owns it; it is valid until the link ends or you add something.
     */
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
