/* SPDX-License-Identifier: Apache-2.0 */
/* Small requests to one server over a connection that is kept: GET and PUT, of bytes in memory. */
#ifndef HTTP_H
#define HTTP_H

#include "base/buffer.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who asks and whom to believe. NULL: not given. */
struct http_settings {
    const char *user; /* for basic authentication, with `password` */
    const char *password;
    const char *token;           /* for bearer authentication */
    const char *netrc;           /* looked at if none of these is given; by default ~/.netrc */
    const char *ca;              /* file with the certificates that are trusted; by default the system's */
    const char *certificate;     /* file with the client's own */
    const char *key;             /* file with the private key to it; by default the same file */
    uint32_t connect_timeout_ms; /* in full seconds also how long a transfer may stand still */
};

struct http;

/* Opens libcurl; the settings must outlive the result. One thread at a time may use it. A failure is
 * CUBINET_ERROR_NOT_FOUND or CUBINET_ERROR_OUT_OF_MEMORY. */
cubinet_status http_open(const struct http_settings *settings, struct http **out_http);
void http_close(struct http *http);

enum { HTTP_OK = 200, HTTP_PROBLEM_SIZE = 256 };

struct http_answer {
    long status;                     /* 0: there was none, or not the whole of it */
    bool is_too_long;                /* there is none because it was longer than allowed */
    char problem[HTTP_PROBLEM_SIZE]; /* why there is none */
    struct buffer body;              /* of a GET whose status is 200; the caller frees it */
};

/* What a server may make this process do is bounded: the time by `timeout_ms`, the memory by `most` bytes of
 * body. It does not follow redirections, and so shows what it knows of its user to nobody else. */
void http_get(struct http *http, const char *url, size_t most, uint32_t timeout_ms,
              struct http_answer *out_answer);
void http_put(struct http *http, const char *url, const void *bytes, size_t size, uint32_t timeout_ms,
              struct http_answer *out_answer);

#endif
