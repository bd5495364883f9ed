/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Catalogs in C++: many archives as one. Functions fail as the C functions of the same names do
 * (<cubinet/catalog.h>).
 */
#ifndef CUBINET_CATALOG_HPP
#define CUBINET_CATALOG_HPP

#include <cubinet/archive.hpp>
#include <cubinet/catalog.h>
#include <cubinet/handle.hpp>
#include <cubinet/status.hpp>

#include <cstdint>

namespace cubinet
{

/** @since 0.1 */
using catalog_options = sized<cubinet_catalog_options>;
using catalog_entry = sized<cubinet_catalog_entry>;

inline namespace CUBINET_ERRORS_NAMESPACE
{

/** A module of a catalog, and the archive to load it from, which the catalog owns.
 * @since 0.1 */
struct catalog_module {
    archive_view archive;
    module_entry entry;
};

/**
 * Archives along a search path. The destructor closes them; modules loaded from them stay. A catalog never
 * changes, so any number of threads may use it.
 * @since 0.1
 */
class catalog : public owner<cubinet_catalog, cubinet_catalog_close>
{
  public:
    using owner::owner;

    /** @param paths folders and archives, separated by ':'; nullptr: only those of the environment
     * @see cubinet_catalog_open() */
    static returns<catalog> open(text paths, const cubinet_catalog_options *options = nullptr)
    {
        return calls::make<catalog>(cubinet_catalog_open, paths.c_str(), options);
    }

    /** Finds the module of that name that no other overrides. */
    returns<catalog_module> find_module(text name) const
    {
        const cubinet_archive *archive = nullptr;
        std::uint32_t number = 0;
        const cubinet_status status = cubinet_catalog_find_module(get(), name.c_str(), &archive, &number);
        return calls::answer(status, catalog_module{archive, module_entry(archive, number)});
    }

    std::uint32_t entry_count() const noexcept
    {
        return cubinet_catalog_get_entry_count(get());
    }

    /** Describes a place of the path: the archive found there, or why it was left out. */
    returns<catalog_entry> entry(std::uint32_t number) const
    {
        return calls::read<catalog_entry>(cubinet_catalog_get_entry, get(), number);
    }
};

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
