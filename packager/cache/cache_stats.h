/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet cache stats` prints: a cache's entries, by kind, and what compiles found. */
#ifndef CACHE_STATS_H
#define CACHE_STATS_H

#include <cubinet/cache.h>

cubinet_status cache_stats_print(const cubinet_cache *cache);
cubinet_status cache_stats_print_json(const cubinet_cache *cache);

/* Counts compiles from zero. */
cubinet_status cache_stats_zero(const cubinet_cache *cache);

#endif
