/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The cache of linked code in C++. Functions fail as the C functions of the same names do
 * (<cubinet/cache.h>).
 */
#ifndef CUBINET_CACHE_HPP
#define CUBINET_CACHE_HPP

#include <cubinet/cache.h>
#include <cubinet/handle.hpp>
#include <cubinet/status.hpp>

#include <cstdint>

namespace cubinet
{

/** @since 0.1 */
using cache_options = sized<cubinet_cache_options>;
using cache_stats = sized<cubinet_cache_stats>;
using cache_usage = sized<cubinet_cache_usage>;
using cache_removed = sized<cubinet_cache_removed>;

inline namespace CUBINET_ERRORS_NAMESPACE
{

/**
 * An open cache. The destructor closes it; destroy it after the links and loads whose options name it
 * (`options.cache = cache.get()`). Its entries on disk stay. Any number of threads may use it.
 * @since 0.1
 */
class cache : public owner<cubinet_cache, cubinet_cache_close>
{
  public:
    using owner::owner;

    static returns<cache> open(const cubinet_cache_options *options = nullptr)
    {
        return calls::make<cache>(cubinet_cache_open, options);
    }

    /** The folder in use, "" if there is none; until the cache is closed. */
    const char *directory() const noexcept
    {
        return cubinet_cache_get_directory(get());
    }

    /** Its counters since it was opened. */
    returns<cache_stats> stats() const
    {
        return calls::read<cache_stats>(cubinet_cache_get_stats, get());
    }

    /** Counts the entries of its folder. */
    returns<cache_usage> usage() const
    {
        return calls::read<cache_usage>(cubinet_cache_get_usage, get());
    }

    /** @param limit_bytes 0: the cache's own limit */
    returns<cache_removed> trim(std::uint64_t limit_bytes = 0)
    {
        return calls::read<cache_removed>(cubinet_cache_trim, get(), limit_bytes);
    }

    returns<cache_removed> clear()
    {
        return calls::read<cache_removed>(cubinet_cache_clear, get());
    }

    /** Removes damaged entries. @param damaged called for each one; must not throw */
    returns<cache_removed> verify(cubinet_cache_damage_fn damaged = nullptr, void *user = nullptr)
    {
        return calls::read<cache_removed>(cubinet_cache_verify, get(), damaged, user);
    }
};

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
