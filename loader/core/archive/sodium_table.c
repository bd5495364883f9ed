/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/sodium_table.h"

#include "loader/core/support/error.h"

#include <pthread.h>

/* Debian 12 and Ubuntu 24.04 have the first, releases from 1.0.19 on the second. */
static const char *const names[] = {"libsodium.so.23", "libsodium.so.26", "libsodium.so", NULL};

static const struct cbn_symbol symbols[] = {
#define CBN_SYMBOL(name, result, parameters) {#name, offsetof(struct cbn_sodium, name), true, 0},
    CBN_SODIUM_FUNCTIONS(CBN_SYMBOL)
#undef CBN_SYMBOL
};

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static struct cbn_sodium opened;
static bool is_open;

static cubinet_status open_library(struct cbn_sodium *out_sodium)
{
    const struct cbn_library_search search = {
        .what = "libsodium, which checks signatures,",
        .names = names,
        .advice = "; install it (libsodium23 on Debian and Ubuntu), or open the archive without public keys",
        .stays = true,
    };
    struct cbn_library library = {0};
    cubinet_status status = cbn_library_open(&search, CUBINET_ERROR_NOT_TRUSTED, &library);
    if (!status) {
        status = cbn_library_resolve(&library, symbols, sizeof(symbols) / sizeof(symbols[0]), out_sodium,
                                     CUBINET_ERROR_NOT_TRUSTED);
    }
    if (!status && out_sodium->sodium_init() < 0) {
        status = cbn_error(CUBINET_ERROR_NOT_TRUSTED, "%s does not start", library.path);
    }
    cbn_library_close(&library); /* it stays in memory */
    return status;
}

cubinet_status cbn_sodium_get(const struct cbn_sodium **out_sodium)
{
    cubinet_status status = CUBINET_OK;
    pthread_mutex_lock(&opening);
    if (!is_open) {
        status = open_library(&opened);
        is_open = !status;
    }
    pthread_mutex_unlock(&opening);
    if (!status) {
        *out_sodium = &opened;
    }
    return status;
}
