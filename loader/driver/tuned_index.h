/* SPDX-License-Identifier: Apache-2.0 */
/* The tuning records that are true of a loaded module: those of its image, measured on a GPU like its own.
 * Made once, when the first is asked for, and never changed but for what is found out of a record. */
#ifndef CBN_TUNED_INDEX_H
#define CBN_TUNED_INDEX_H

#include "loader/core/tuning/nearest.h"
#include "loader/driver/module.h"

#include <cubinet/tuning.h>

/* Whether a record's configuration can be launched: not known before it is first used. */
enum { CBN_TUNED_NOT_CHECKED, CBN_TUNED_FITS, CBN_TUNED_REFUSED };

struct cbn_tuned_record {
    cubinet_tuning tuning;
    uint32_t number; /* in the archive's module */
    uint32_t kernel; /* in the archive's module */
    bool has_grid;   /* that of its own extent fits into 32 bits */
    uint32_t grid[3];
    atomic_int state;
};

/* Records to choose from, none twice. */
struct cbn_tuned_group {
    struct cbn_extents extents;
    int32_t *records; /* numbers in the index, as many as extents */
};

/* What was tuned. */
struct cbn_tuned_set {
    cubinet_tuning any; /* one of its records, perhaps of another image or GPU: what, instances, default */
    uint32_t first;     /* of its records, which follow each other */
    struct cbn_tuned_group group;
};

/* A name of a set. */
struct cbn_tuned_name {
    const char *text; /* NULL: the slot is free */
    uint32_t set;
};

struct cbn_tuned_index {
    struct cbn_tuned_record *records;
    uint32_t record_count;
    struct cbn_tuned_set *sets;
    uint32_t set_count;
    struct cbn_tuned_name *names; /* a hash table of a power of two of slots, of which some are free */
    uint32_t name_slots;
    struct cbn_tuned_group *kernels; /* for each of the module's kernels; NULL: there are no records */
    int32_t *room;                   /* what the groups point to */
};

/* The module's index, made if nobody has. The module has settled for its image. */
cubinet_status cbn_tuned_index_get(const struct cubinet_module *module,
                                   const struct cbn_tuned_index **out_index);

/* The set of that very name; NULL if there is none. */
const struct cbn_tuned_set *cbn_tuned_index_find(const struct cbn_tuned_index *index, const char *what);

/* NULL is allowed. */
void cbn_tuned_index_free(struct cbn_tuned_index *index);

#endif
