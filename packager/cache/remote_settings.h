/* SPDX-License-Identifier: Apache-2.0 */
/* Which remote cache there is, and how to talk to it: an option, and the environment
 * (docs/reference/cache.md, "On many machines"). */
#ifndef REMOTE_SETTINGS_H
#define REMOTE_SETTINGS_H

#include "cache/http.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stdint.h>

struct remote_settings {
    char *url; /* without a slash at its end; NULL: there is no remote cache */
    bool read_only;
    bool verbose;        /* tell of each request */
    uint32_t timeout_ms; /* for all requests that finding or storing one entry takes */
    struct http_settings http;
};

/* Reads the environment. `option` comes before CUBINET_REMOTE_CACHE, NULL: it was not given; of both, "" says
 * that there is none. Texts are the environment's own, but for the URL's.
 *
 * CUBINET_ERROR_INVALID_ARGUMENT if a setting is wrong: the message names it. */
cubinet_status remote_settings_read(const char *option, struct remote_settings *out_settings);
void remote_settings_free(struct remote_settings *settings);

#endif
