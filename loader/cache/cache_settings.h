/* SPDX-License-Identifier: Apache-2.0 */
/* How a cache is to be: the program's options, and where it leaves something open the environment's. */
#ifndef CBN_CACHE_SETTINGS_H
#define CBN_CACHE_SETTINGS_H

#include <cubinet/cache.h>

#include <stdbool.h>
#include <stdint.h>

struct cbn_cache_settings {
    char *directory; /* NULL: none; without slashes at its end */
    char *shared_directory;
    uint64_t disk_limit;
    uint64_t memory_limit;
    uint32_t wait_limit_ms;
    const char *bad_limit; /* what $CUBINET_CACHE_LIMIT says, if that is not a size */
    const char *bad_wait;  /* the same for $CUBINET_CACHE_WAIT */
};

/* `options` has all members. CUBINET_ERROR_OUT_OF_MEMORY, CUBINET_ERROR_INVALID_ARGUMENT (unknown flags). */
cubinet_status cbn_cache_settings_read(const cubinet_cache_options *options,
                                       struct cbn_cache_settings *out_settings);
void cbn_cache_settings_free(struct cbn_cache_settings *settings);

/* How long to wait for another process where no option says it: what the environment says, else ten minutes.
 */
uint32_t cbn_cache_default_wait_ms(void);

/* Reads a number of bytes, above 0: digits, and perhaps K, M, G or T for powers of 1000, Ki, Mi, Gi or Ti for
 * powers of 1024. */
bool cbn_cache_parse_size(const char *text, uint64_t *out_bytes);

#endif
