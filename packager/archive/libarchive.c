/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/libarchive.h"

static const struct cbn_symbol symbols[] = {
#define LIBARCHIVE_SYMBOL(name, result, parameters) {#name, offsetof(struct libarchive_table, name), true, 0},
    LIBARCHIVE_FUNCTIONS(LIBARCHIVE_SYMBOL)
#undef LIBARCHIVE_SYMBOL
};
enum { SYMBOL_COUNT = sizeof(symbols) / sizeof(symbols[0]) };

cubinet_status libarchive_open(struct libarchive *out_library)
{
    static const char *const names[] = {"libarchive.so.13", NULL};
    const struct cbn_library_search search = {
        .what = "libarchive",
        .names = names,
        .advice = ", which the check of zip files needs: install it (Debian's package is libarchive13)",
        .stays = true, /* several archives are checked one after another */
    };
    struct libarchive library = {0};
    cubinet_status status = cbn_library_open(&search, CUBINET_ERROR_NOT_FOUND, &library.library);
    if (!status) {
        status = cbn_library_resolve(&library.library, symbols, SYMBOL_COUNT, &library.table,
                                     CUBINET_ERROR_NOT_FOUND);
    }
    if (status) {
        libarchive_close(&library);
        return status;
    }
    *out_library = library;
    return CUBINET_OK;
}

void libarchive_close(struct libarchive *library)
{
    cbn_library_close(&library->library);
    *library = (struct libarchive){0};
}
