/* SPDX-License-Identifier: Apache-2.0 */
/* Shared libraries opened at run time, and tables of function pointers resolved from them.
 *
 * A table is made from one X-macro list, so that its struct, its resolver and its test double can't disagree:
 *
 *     #define CBN_DRIVER_FUNCTIONS(X) X(cuInit, CUresult, (unsigned int flags), REQUIRED, 2000) ...
 */
#ifndef CBN_DYNLIB_H
#define CBN_DYNLIB_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct cbn_library {
    void *handle;
    char *path; /* the file that was opened, as the dynamic loader found it */
};

struct cbn_library_search {
    const char *what; /* for messages: "the CUDA driver" */
    const char *path; /* the only one tried, if not NULL */
    const char
        *environment; /* variable with a path, the only one tried if it is set; ignored in setuid programs */
    const char *const *names; /* sonames or paths in order of preference, NULL at the end */
    const char *advice;       /* for messages: what to do; may be NULL */
    bool stays; /* it stays in memory when it is closed: NVIDIA's compilers lose some each time they go */
};

/* Opens the first that works. On failure the message lists every attempt with its reason, a line each, and
 * `failure` is returned. */
cubinet_status cbn_library_open(const struct cbn_library_search *search, cubinet_status failure,
                                struct cbn_library *out_library);
void cbn_library_close(struct cbn_library *library);

/* One function of a table. */
struct cbn_symbol {
    const char *name;
    size_t offset; /* of its pointer in the table */
    bool required;
    int since; /* CUDA release that brought it, 1000 × major + 10 × minor: for messages; 0: none did */
};

/* Fills `table`. A missing optional function is NULL; a missing required one is `failure`, and the message
 * names it, the release that brought it and the file. */
cubinet_status cbn_library_resolve(const struct cbn_library *library, const struct cbn_symbol *symbols,
                                   size_t count, void *table, cubinet_status failure);

#endif
