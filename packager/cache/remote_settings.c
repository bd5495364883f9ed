/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/remote_settings.h"

#include "base/remote_address.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEFAULT_CONNECT_SECONDS = 2, DEFAULT_SECONDS = 10, MOST_SECONDS = 3600 };

/* In programs with raised privileges the environment is ignored. */
static const char *variable(const char *name)
{
    const char *value = secure_getenv(name);
    return value && value[0] ? value : NULL;
}

static cubinet_status read_url(const char *option, char **out_url)
{
    const char *url = option ? option : variable("CUBINET_REMOTE_CACHE");
    if (!url || !url[0]) {
        return CUBINET_OK;
    }
    cubinet_status status = remote_address_check(option ? "--remote-cache" : "CUBINET_REMOTE_CACHE", url);
    if (status) {
        return status;
    }
    char *copy = strdup(url);
    if (!copy) {
        return cbn_error_memory();
    }
    for (size_t length = strlen(copy); copy[length - 1] == '/'; length--) {
        copy[length - 1] = '\0';
    }
    *out_url = copy;
    return CUBINET_OK;
}

static cubinet_status read_flag(const char *name, bool *out_flag)
{
    const char *value = variable(name);
    if (value && strcmp(value, "0") != 0 && strcmp(value, "1") != 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s is '%s'; it can be 0 or 1", name, value);
    }
    *out_flag = value && value[0] == '1';
    return CUBINET_OK;
}

static cubinet_status read_seconds(const char *name, double seconds, uint32_t *out_ms)
{
    const char *value = variable(name);
    char *end = NULL;
    if (value) {
        seconds = isdigit((unsigned char)value[0]) ? strtod(value, &end) : 0;
        if (!end || *end || !(seconds >= 0.001) || seconds > MOST_SECONDS) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                             "%s is '%s', which is not a number of seconds, 0.001 to %d", name, value,
                             MOST_SECONDS);
        }
    }
    *out_ms = (uint32_t)(seconds * 1000);
    return CUBINET_OK;
}

static void read_credentials(struct http_settings *http)
{
    const char *netrc = variable("CUBINET_REMOTE_CACHE_NETRC");
    http->user = variable("CUBINET_REMOTE_CACHE_USER");
    http->password = variable("CUBINET_REMOTE_CACHE_PASSWORD");
    http->token = variable("CUBINET_REMOTE_CACHE_TOKEN");
    http->netrc = netrc ? netrc : variable("NETRC");
    http->ca = variable("CUBINET_REMOTE_CACHE_CA");
    http->certificate = variable("CUBINET_REMOTE_CACHE_CERTIFICATE");
    http->key = variable("CUBINET_REMOTE_CACHE_KEY");
}

cubinet_status remote_settings_read(const char *option, struct remote_settings *out_settings)
{
    struct remote_settings settings = {0};
    cubinet_status status = read_url(option, &settings.url);
    if (!status && settings.url) {
        status = read_flag("CUBINET_REMOTE_CACHE_READ_ONLY", &settings.read_only);
    }
    if (!status && settings.url) {
        status = read_seconds("CUBINET_REMOTE_CACHE_TIMEOUT", DEFAULT_SECONDS, &settings.timeout_ms);
    }
    if (!status && settings.url) {
        status = read_seconds("CUBINET_REMOTE_CACHE_CONNECT_TIMEOUT", DEFAULT_CONNECT_SECONDS,
                              &settings.http.connect_timeout_ms);
    }
    if (status) {
        remote_settings_free(&settings);
        return status;
    }
    read_credentials(&settings.http);
    *out_settings = settings;
    return CUBINET_OK;
}

void remote_settings_free(struct remote_settings *settings)
{
    free(settings->url);
    settings->url = NULL;
}
