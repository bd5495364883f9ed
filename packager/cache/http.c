/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/http.h"

#include "loader/core/support/dynlib.h"
#include "loader/core/support/error.h"

#include <cubinet/version.h>

#define CURL_DISABLE_TYPECHECK /* it knows functions, not pointers to them */
#include <curl/curl.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libcurl, opened at run time: loading it and what it needs takes 5 to 20 ms, which only those shall pay who
 * ask a server for something. X(name, result, parameters, required) */
#define CURL_FUNCTIONS(X)                                                                                    \
    X(curl_global_init, CURLcode, (long flags), true)                                                        \
    X(curl_easy_init, CURL *, (void), true)                                                                  \
    X(curl_easy_reset, void, (CURL * handle), true)                                                          \
    X(curl_easy_setopt, CURLcode, (CURL * handle, CURLoption option, ...), true)                             \
    X(curl_easy_perform, CURLcode, (CURL * handle), true)                                                    \
    X(curl_easy_getinfo, CURLcode, (CURL * handle, CURLINFO info, ...), true)                                \
    X(curl_easy_strerror, const char *, (CURLcode code), true)                                               \
    X(curl_easy_cleanup, void, (CURL * handle), true)                                                        \
    X(curl_slist_append, struct curl_slist *, (struct curl_slist * list, const char *text), true)            \
    X(curl_slist_free_all, void, (struct curl_slist * list), true)

struct curl_table {
#define CURL_FIELD(name, result, parameters, required) result(*name) parameters;
    CURL_FUNCTIONS(CURL_FIELD)
#undef CURL_FIELD
};

struct curl_library {
    struct cbn_library library;
    struct curl_table table;
};

_Static_assert(HTTP_PROBLEM_SIZE == CURL_ERROR_SIZE, "libcurl writes its message there");

/* What of an answer that is not wanted is read, so that its connection can be used again. */
enum { UNWANTED_MOST = 64 * 1024 };

/* Bytes a second below which a transfer stands still. */
enum { STILL_BYTES = 1000 };

struct http {
    struct curl_library curl;
    const struct http_settings *settings;
    CURL *handle;
    struct curl_slist *headers;
};

/* A request while it is answered. */
struct transfer {
    struct http *http;
    struct http_answer *answer;
    size_t most;   /* bytes of body */
    size_t unread; /* bytes of a body that is not wanted */
};

static const struct cbn_symbol symbols[] = {
#define CURL_SYMBOL(name, result, parameters, required)                                                      \
    {#name, offsetof(struct curl_table, name), required, 0},
    CURL_FUNCTIONS(CURL_SYMBOL)
#undef CURL_SYMBOL
};
enum { SYMBOL_COUNT = sizeof(symbols) / sizeof(symbols[0]) };

static void curl_library_close(struct curl_library *library)
{
    cbn_library_close(&library->library);
    *library = (struct curl_library){0};
}

/* Opens the library that $CUBINET_LIBCURL names, or else the system's. A failure is
 * CUBINET_ERROR_NOT_FOUND. */
static cubinet_status curl_library_open(struct curl_library *out_library)
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
    if (!status) {
        status = cbn_library_resolve(&library.library, symbols, SYMBOL_COUNT, &library.table,
                                     CUBINET_ERROR_NOT_FOUND);
    }
    if (!status && library.table.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        status = cbn_error(CUBINET_ERROR_NOT_FOUND, "%s cannot be initialized", library.library.path);
    }
    if (status) {
        curl_library_close(&library);
        return status;
    }
    *out_library = library;
    return CUBINET_OK;
}

/* "Expect: 100-continue" would have servers that do not know it waited for. */
static cubinet_status make_headers(struct http *http)
{
    static const char *const headers[] = {"Expect:", "Content-Type: application/octet-stream"};
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        struct curl_slist *longer = http->curl.table.curl_slist_append(http->headers, headers[i]);
        if (!longer) {
            return cbn_error_memory();
        }
        http->headers = longer;
    }
    return CUBINET_OK;
}

cubinet_status http_open(const struct http_settings *settings, struct http **out_http)
{
    struct http *http = calloc(1, sizeof(*http));
    if (!http) {
        return cbn_error_memory();
    }
    http->settings = settings;
    cubinet_status status = curl_library_open(&http->curl);
    if (!status) {
        http->handle = http->curl.table.curl_easy_init();
        status = http->handle ? make_headers(http) : cbn_error_memory();
    }
    if (status) {
        http_close(http);
        return status;
    }
    *out_http = http;
    return CUBINET_OK;
}

void http_close(struct http *http)
{
    if (!http) {
        return;
    }
    if (http->headers) {
        http->curl.table.curl_slist_free_all(http->headers);
    }
    if (http->handle) {
        http->curl.table.curl_easy_cleanup(http->handle);
    }
    curl_library_close(&http->curl);
    free(http);
}

static long status_of(const struct http *http)
{
    long status = 0;
    http->curl.table.curl_easy_getinfo(http->handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* Takes a part of the body. Fewer bytes than it was given end the transfer. */
static size_t take_body(char *bytes, size_t one, size_t size, void *data)
{
    (void)one; /* is 1 */
    struct transfer *transfer = data;
    if (status_of(transfer->http) != HTTP_OK) {
        transfer->unread += size;
        return transfer->unread <= UNWANTED_MOST ? size : 0;
    }
    struct buffer *body = &transfer->answer->body;
    if (size > transfer->most - body->size) {
        transfer->answer->is_too_long = true;
        return 0;
    }
    buffer_append(body, bytes, size);
    return body->failed ? 0 : size;
}

static void set_certificates(struct http *http)
{
    const struct http_settings *settings = http->settings;
    const struct curl_table *curl = &http->curl.table;
    if (settings->ca) {
        curl->curl_easy_setopt(http->handle, CURLOPT_CAINFO, settings->ca);
    }
    if (settings->certificate) {
        curl->curl_easy_setopt(http->handle, CURLOPT_SSLCERT, settings->certificate);
        curl->curl_easy_setopt(http->handle, CURLOPT_SSLKEY,
                               settings->key ? settings->key : settings->certificate);
    }
}

static void set_credentials(struct http *http)
{
    const struct http_settings *settings = http->settings;
    const struct curl_table *curl = &http->curl.table;
    if (settings->token) {
        curl->curl_easy_setopt(http->handle, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        curl->curl_easy_setopt(http->handle, CURLOPT_XOAUTH2_BEARER, settings->token);
    } else if (settings->user) {
        curl->curl_easy_setopt(http->handle, CURLOPT_USERNAME, settings->user);
        curl->curl_easy_setopt(http->handle, CURLOPT_PASSWORD, settings->password ? settings->password : "");
    } else {
        curl->curl_easy_setopt(http->handle, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
        curl->curl_easy_setopt(http->handle, CURLOPT_NETRC_FILE, settings->netrc);
    }
}

/* A server that accepts the connection and then stands still is given up as soon as one that does not. */
static void set_patience(struct http *http, uint32_t timeout_ms)
{
    const struct curl_table *curl = &http->curl.table;
    long connect_ms = (long)http->settings->connect_timeout_ms;
    curl->curl_easy_setopt(http->handle, CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
    curl->curl_easy_setopt(http->handle, CURLOPT_LOW_SPEED_TIME, (connect_ms + 999) / 1000);
    curl->curl_easy_setopt(http->handle, CURLOPT_LOW_SPEED_LIMIT, (long)STILL_BYTES);
    curl->curl_easy_setopt(http->handle, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
}

/* Connections outlive curl_easy_reset(), options do not. */
static void set_request(struct transfer *transfer, const char *url, uint32_t timeout_ms)
{
    struct http *http = transfer->http;
    const struct curl_table *curl = &http->curl.table;
    curl->curl_easy_reset(http->handle);
    curl->curl_easy_setopt(http->handle, CURLOPT_URL, url);
    curl->curl_easy_setopt(http->handle, CURLOPT_ERRORBUFFER, transfer->answer->problem);
    curl->curl_easy_setopt(http->handle, CURLOPT_USERAGENT, "cubinet/" CUBINET_VERSION_STRING);
    curl->curl_easy_setopt(http->handle, CURLOPT_HTTPHEADER, http->headers);
    curl->curl_easy_setopt(http->handle, CURLOPT_NOSIGNAL, 1L);
    set_patience(http, timeout_ms);
#if LIBCURL_VERSION_NUM >= 0x075700
    /* A name server that does not answer is not waited for. */
    curl->curl_easy_setopt(http->handle, CURLOPT_QUICK_EXIT, 1L);
#endif
    curl->curl_easy_setopt(http->handle, CURLOPT_WRITEFUNCTION, take_body);
    curl->curl_easy_setopt(http->handle, CURLOPT_WRITEDATA, transfer);
    set_certificates(http);
    set_credentials(http);
}

/* A TLS library may write to a connection that the server has closed: SIGPIPE is kept from ending the process
 * while it does, and taken back if it came. */
static CURLcode perform_without_sigpipe(struct http *http)
{
    sigset_t pipe_signal, before, waiting;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&waiting);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    CURLcode code = http->curl.table.curl_easy_perform(http->handle);
    if (!sigismember(&waiting, SIGPIPE)) {
        const struct timespec now = {0};
        sigtimedwait(&pipe_signal, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

static void perform(struct transfer *transfer)
{
    struct http_answer *answer = transfer->answer;
    CURLcode code = perform_without_sigpipe(transfer->http);
    long status = status_of(transfer->http);
    /* Of an answer whose body is not wanted, the status is all there is to know. */
    bool is_cut = code == CURLE_WRITE_ERROR || code == CURLE_FILESIZE_EXCEEDED;
    if (code == CURLE_OK || (is_cut && status != 0 && status != HTTP_OK)) {
        answer->status = status;
        return;
    }
    answer->is_too_long |= code == CURLE_FILESIZE_EXCEEDED;
    if (!answer->problem[0]) {
        snprintf(answer->problem, sizeof(answer->problem), "%s",
                 transfer->http->curl.table.curl_easy_strerror(code));
    }
    buffer_free(&answer->body);
}

void http_get(struct http *http, const char *url, size_t most, uint32_t timeout_ms,
              struct http_answer *out_answer)
{
    *out_answer = (struct http_answer){0};
    struct transfer transfer = {.http = http, .answer = out_answer, .most = most};
    set_request(&transfer, url, timeout_ms);
    http->curl.table.curl_easy_setopt(http->handle, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)most);
    perform(&transfer);
}

void http_put(struct http *http, const char *url, const void *bytes, size_t size, uint32_t timeout_ms,
              struct http_answer *out_answer)
{
    *out_answer = (struct http_answer){0};
    struct transfer transfer = {.http = http, .answer = out_answer, .most = UNWANTED_MOST};
    set_request(&transfer, url, timeout_ms);
    const struct curl_table *curl = &http->curl.table;
    curl->curl_easy_setopt(http->handle, CURLOPT_POST, 1L);
    curl->curl_easy_setopt(http->handle, CURLOPT_CUSTOMREQUEST, "PUT");
    curl->curl_easy_setopt(http->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    curl->curl_easy_setopt(http->handle, CURLOPT_POSTFIELDS, bytes);
    perform(&transfer);
    buffer_free(&out_answer->body);
}
