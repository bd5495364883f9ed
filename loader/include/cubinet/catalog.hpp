/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Catalogs in C++: many archives as one. Functions fail as those of <cubinet/catalog.h> do, which have the
 * same names.
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

/** A module of a catalog, and the archive to load it from, which is the catalog's.
 * @since 0.1 */
struct catalog_module {
    archive_view archive;
    module_entry entry;
};

/**
 * Archives along a search path, which are closed with this object; modules that were loaded from them stay.
 * It never changes: any number of threads may use it.
 * @since 0.1
 */
class catalog : public owner<cubinet_catalog, cubinet_catalog_close>
{
  public:
    using owner::owner;

    /** @param paths folders and archives, separated by ':'; nullptr: those of the environment alone
     * @see cubinet_catalog_open() */
    static returns<catalog> open(text paths, const cubinet_catalog_options *options = nullptr)
    {
        return calls::make<catalog>(cubinet_catalog_open, paths.c_str(), options);
    }

    /** The module of that name that is not overridden by another. */
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

    /** What was found at a place of the path, and why it was left out. */
    returns<catalog_entry> entry(std::uint32_t number) const
    {
        return calls::read<catalog_entry>(cubinet_catalog_get_entry, get(), number);
    }
};

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
