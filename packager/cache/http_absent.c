/* SPDX-License-Identifier: Apache-2.0 */
/* In place of http.c where libcurl was not there to build with. Nothing is asked of what was not opened. */
#include "cache/http.h"

#include "loader/core/support/error.h"

cubinet_status http_open(const struct http_settings *settings, struct http **out_http)
{
    (void)settings;
    (void)out_http;
    return cbn_error(
        CUBINET_ERROR_NOT_FOUND,
        "this cubinet was built without libcurl, which a remote cache needs: build it where that is "
        "installed (Debian's package is libcurl4-openssl-dev)");
}

void http_close(struct http *http)
{
    (void)http;
}

void http_get(struct http *http, const char *url, size_t most, uint32_t timeout_ms,
              struct http_answer *out_answer)
{
    (void)http;
    (void)url;
    (void)most;
    (void)timeout_ms;
    *out_answer = (struct http_answer){0};
}

void http_put(struct http *http, const char *url, const void *bytes, size_t size, uint32_t timeout_ms,
              struct http_answer *out_answer)
{
    (void)http;
    (void)url;
    (void)bytes;
    (void)size;
    (void)timeout_ms;
    *out_answer = (struct http_answer){0};
}
