/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a cache, ahead of deployment and without a GPU, with what loading modules would link. */
#ifndef LINK_AHEAD_H
#define LINK_AHEAD_H

#include "link/link_inputs.h"
#include "loader/core/support/text_list.h"

#include <cubinet/cache.h>

#include <stdbool.h>

struct link_ahead_request {
    const struct link_inputs *archives;
    const struct cbn_text_list *devices; /* names, such as sm_90 */
    const char *nvjitlink;               /* path, or NULL: the one that programs find */
    cubinet_cache *cache;
    bool verbose;
};

struct link_ahead_result {
    size_t linked;   /* for one device each */
    size_t present;  /* in the cache already */
    size_t unlinked; /* loads that link nothing */
    size_t failed;
};

/* Links, for each device, every module whose load there would be linked, under the very key that the load
 * asks for. Whatever fails is reported on standard error and counted, and the others go on. Fails only if a
 * device's name is none, or memory is out. */
cubinet_status link_ahead(const struct link_ahead_request *request, struct link_ahead_result *out_result);

#endif
