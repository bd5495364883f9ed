/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a mangled name by what people call it: for what no exact name found. */
#ifndef CBN_READABLE_H
#define CBN_READABLE_H

#include "cubinet/cubinet.h"

#include <stddef.h>

/* How well a name fits, best first. What is in brackets is left off. */
enum cbn_fit {
    CBN_FIT_FULL,          /* ns::scale<float>(float*) */
    CBN_FIT_NO_PARAMETERS, /* ns::scale<float> */
    CBN_FIT_QUALIFIED,     /* ns::scale */
    CBN_FIT_PLAIN,         /* scale, or more of it without the namespaces */
    CBN_FIT_NONE
};

struct cbn_readable;

/* A search, which reads one name at a time. NULL if memory is out. */
struct cbn_readable *cbn_readable_new(void);
void cbn_readable_free(struct cbn_readable *readable);

/* A lowered name as c++filt prints it, without the result; until the next call. NULL for what is not mangled
 * or can't be read. */
const char *cbn_readable_full(struct cbn_readable *readable, const char *lowered);

/* As cbn_readable_full(), without the parameters. */
const char *cbn_readable_name(struct cbn_readable *readable, const char *lowered);

enum cbn_fit cbn_readable_fit(struct cbn_readable *readable, const char *wanted, const char *lowered);

enum { CBN_READABLE_LISTED = 8 };

/* The lowered names that fit best of all that are offered; one that is offered again counts once. */
struct cbn_readable_search {
    struct cbn_readable *readable; /* NULL: memory is out */
    const char *wanted;
    enum cbn_fit fit; /* CBN_FIT_NONE before the first */
    size_t count;
    const char *names[CBN_READABLE_LISTED]; /* the first of them, of those that were offered */
};

struct cbn_readable_search cbn_readable_search_start(const char *wanted);

void cbn_readable_offer(struct cbn_readable_search *search, const char *lowered);

/* Ends a search: the one name that fits, NULL if none does. Several `what`, such as kernels, are an error
 * that lists them. */
cubinet_status cbn_readable_search_end(struct cbn_readable_search *search, const char *what,
                                       const char **out_name);

#endif
