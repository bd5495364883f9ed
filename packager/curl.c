/* SPDX-License-Identifier: Apache-2.0 */
#include "curl.h"

#include "error.h"

static const struct cbn_symbol symbols[] = {
#define CURL_SYMBOL(name, result, parameters, required)                                                      \
    {#name, offsetof(struct curl_table, name), required, 0},
    CURL_FUNCTIONS(CURL_SYMBOL)
#undef CURL_SYMBOL
};
enum { SYMBOL_COUNT = sizeof(symbols) / sizeof(symbols[0]) };

cubinet_status curl_library_open(struct curl_library *out_library)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};
    const struct cbn_library_search search = {
        .what = "libcurl",
        .environment = "CUBINET_LIBCURL",
        .names = names,
        .advice = ", which a remote cache needs: install it (Debian's package is libcurl4)",
        .stays = true, /* a thread of it may still wait for a name server */
    };
    struct curl_library library = {0};
    cubinet_status status = cbn_library_open(&search, CUBINET_ERROR_NOT_FOUND, &library.library);
    if (status == CUBINET_OK) {
        status = cbn_library_resolve(&library.library, symbols, SYMBOL_COUNT, &library.table,
                                     CUBINET_ERROR_NOT_FOUND);
    }
    if (status == CUBINET_OK && library.table.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        status = cbn_error(CUBINET_ERROR_NOT_FOUND, "%s cannot be initialized", library.library.path);
    }
    if (status != CUBINET_OK) {
        curl_library_close(&library);
        return status;
    }
    *out_library = library;
    return CUBINET_OK;
}

void curl_library_close(struct curl_library *library)
{
    cbn_library_close(&library->library);
    *library = (struct curl_library){0};
}
