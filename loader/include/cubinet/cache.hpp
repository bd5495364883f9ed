/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The cache of linked code in C++. Functions fail as those of <cubinet/cache.h> do, which have the same
 * names.
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
 * An open cache, which is closed with this object: after the links and loads whose options name it
 * (`options.cache = cache.get()`). What it has on disk stays. Usable from any number of threads.
 * @since 0.1
 */
class cache : public owner<cubinet_cache, cubinet_cache_close>
{
  public:
    using owner::owner;

    static returns<cache> open(const cubinet_cache_options *options = nullptr)
    {
        cubinet_cache *out = nullptr;
        const cubinet_status status = cubinet_cache_open(options, &out);
        return calls::answer(status, cache(out));
    }

    /** The folder in use, "" if there is none; until the cache is closed. */
    const char *directory() const noexcept
    {
        return cubinet_cache_get_directory(get());
    }

    /** What it has done since it was opened. */
    returns<cache_stats> stats() const
    {
        cache_stats out;
        const cubinet_status status = cubinet_cache_get_stats(get(), &out);
        return calls::answer(status, out);
    }

    /** What its folder holds. */
    returns<cache_usage> usage() const
    {
        cache_usage out;
        const cubinet_status status = cubinet_cache_get_usage(get(), &out);
        return calls::answer(status, out);
    }

    /** @param limit_bytes 0: the cache's own limit */
    returns<cache_removed> trim(std::uint64_t limit_bytes = 0)
    {
        cache_removed out;
        const cubinet_status status = cubinet_cache_trim(get(), limit_bytes, &out);
        return calls::answer(status, out);
    }

    returns<cache_removed> clear()
    {
        cache_removed out;
        const cubinet_status status = cubinet_cache_clear(get(), &out);
        return calls::answer(status, out);
    }

    /** Removes what is damaged. @param damaged hears of each; must not throw */
    returns<cache_removed> verify(cubinet_cache_damage_fn damaged = nullptr, void *user = nullptr)
    {
        cache_removed out;
        const cubinet_status status = cubinet_cache_verify(get(), damaged, user, &out);
        return calls::answer(status, out);
    }
};

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
