/* SPDX-License-Identifier: Apache-2.0 */
/* Links that a cache may have: a plan in, an archive in memory out. */
#ifndef CBN_LINK_OBTAIN_H
#define CBN_LINK_OBTAIN_H

#include "loader/cache/cache.h"
#include "loader/link/link_plan.h"
#include "loader/link/linker.h"

/* The kind of their entries. */
#define CBN_LINK_KIND "link"

/* Where and how to link, beside the plan. */
struct cbn_link_place {
    const char *nvjitlink; /* path of the only one to be used; NULL: it is looked for */
    cubinet_cache *cache;  /* NULL: the process's own, unless no_cache is set */
    bool no_cache;         /* link again, and keep nothing */
    uint32_t driver;       /* CUDA release of the driver that will load it; 0: any */
    cubinet_log_fn log;    /* hears what nvJitLink says when it succeeds; NULL: nobody */
    void *log_user;
};

/* What a link did, for logs. */
struct cbn_link_story {
    enum cbn_cache_source source;
    const struct cbn_linker *linker;
};

/* The archive (linked_archive.h) of a plan that was checked, its module called `module`: from the cache or
 * linked. nvJitLink is opened only to link. The caller releases the archive.
 * out_story may be NULL. Fails as cbn_link_plan_run() and cbn_linker_find(). */
cubinet_status cbn_link_obtain(const struct cbn_link_plan *plan, const char *module,
                               const struct cbn_link_place *place, struct cbn_link_story *out_story,
                               cubinet_archive **out_archive);

#endif
