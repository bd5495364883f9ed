/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning records in a draft: <cubinet/tuning.h> says what they are. */
#ifndef DRAFT_TUNING_H
#define DRAFT_TUNING_H

#include "loader/core/support/text_list.h"

#include <cubinet/tuning.h>

#include <stdbool.h>

struct draft_image;
struct draft_module;

/* What was tuned. */
struct draft_tuned_set {
    char *what;
    struct cbn_text_list instances; /* lowered names in byte order */
    char *default_kernel;           /* one of them */
    uint64_t date;                  /* of the record that said which is the default */
};

/* One record. Its digest tells which image it is true of; whether there is one, is found when the draft is
 * filed. */
struct draft_tuning {
    cubinet_tuning known; /* its strings are those below; instances and default_kernel are the set's: NULL */
    char *what;           /* of one of the module's sets */
    char *kernel;
    char *gpu;
};

/* The records of a module. Zero-initialise to start. */
struct draft_tunings {
    struct draft_tuned_set *sets; /* in byte order of `what` */
    size_t set_count;
    struct draft_tuning **items; /* in the order of their keys */
    size_t count;
};

/* Puts a record into a module. All strings are copied, and every kernel that it names becomes an instance of
 * its set. `image` and `part` do not count: the digest does. Of records of the same key (what, GPU, target,
 * digest, extent), that of the latest date stays, and of equal dates the faster. The set's default is that
 * of the latest record. CUBINET_ERROR_INVALID_ARGUMENT, as tuning_check() says. */
cubinet_status draft_put_tuning(struct draft_module *module, const cubinet_tuning *tuning);

/* The set of that `what`; NULL if there is none. */
const struct draft_tuned_set *draft_find_tuned_set(const struct draft_tunings *tunings, const char *what);

/* As draft_put_tuning(), but CUBINET_ERROR_NOT_FOUND if the record is true of none of the module's images. */
cubinet_status draft_put_valid_tuning(struct draft_module *module, const cubinet_tuning *tuning);

/* Lets go of every record of a `what` (NULL: all). */
void draft_drop_tunings(struct draft_module *module, const char *what);

/* Lets go of the records of an image, or of a part, which the draft is going to lose. */
void draft_drop_tunings_of(struct draft_module *module, const struct draft_image *image);

void draft_tunings_free(struct draft_tunings *tunings);

/* CUBINET_ERROR_INVALID_ARGUMENT, which names the member, unless the record is one that an archive may have.
 */
cubinet_status tuning_check(const cubinet_tuning *tuning);

/* "fixed", "per-block", "per-thread", "flat"; NULL: the rule is not known. */
const char *grid_rule_name(uint32_t rule);

#endif
