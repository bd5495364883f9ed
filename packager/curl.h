/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl, opened at run time: loading it and what it needs takes 5 to 20 ms, which only those shall pay who
 * ask a server for something. */
#ifndef CURL_LIBRARY_H
#define CURL_LIBRARY_H

#include "dynlib.h"

#include <cubinet/status.h>

#define CURL_DISABLE_TYPECHECK /* it knows functions, not pointers to them */
#include <curl/curl.h>

/* X(name, result, parameters, required) */
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

/* Opens the library that $CUBINET_LIBCURL names, or else the system's. A failure is
 * CUBINET_ERROR_NOT_FOUND. */
cubinet_status curl_library_open(struct curl_library *out_library);
void curl_library_close(struct curl_library *library);

#endif
