/* SPDX-License-Identifier: Apache-2.0 */
#include "base/remote_address.h"

#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* What follows the scheme, or NULL. */
static const char *after_scheme(const char *url)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        size_t length = strlen(schemes[i]);
        if (strncasecmp(url, schemes[i], length) == 0) {
            return url + length;
        }
    }
    return NULL;
}

static bool has_unprintable(const char *text)
{
    while (*text && isgraph((unsigned char)*text)) {
        text++;
    }
    return *text != '\0';
}

/* What is wrong with a URL, or NULL. It is printed in messages, so it may hold no secrets. */
static const char *problem_of(const char *url)
{
    const char *host = after_scheme(url);
    if (!host) {
        return "it does not start with http:// or https://";
    }
    size_t length = strcspn(host, "/?#");
    if (memchr(host, '@', length)) {
        return "it has a user name in it: put that into a netrc file, or into CUBINET_REMOTE_CACHE_USER and "
               "CUBINET_REMOTE_CACHE_PASSWORD";
    }
    if (length == 0) {
        return "it names no host";
    }
    if (host[length + strcspn(host + length, "?#")] || has_unprintable(url)) {
        return "there is more in it than a host and a path";
    }
    return NULL;
}

/* What may have a password in it is not shown. */
static cubinet_status bad_url(const char *from, const char *url, const char *problem)
{
    const char *host = after_scheme(url);
    if (strchr(host ? host : url, '@')) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s is not an address of a remote cache: %s", from,
                         problem);
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "%s is '%s', which is not an address of a remote cache: %s", from, url, problem);
}

cubinet_status remote_address_check(const char *from, const char *url)
{
    const char *problem = url[0] ? problem_of(url) : NULL;
    return problem ? bad_url(from, url, problem) : CUBINET_OK;
}
