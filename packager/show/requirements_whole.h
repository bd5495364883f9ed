/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive as a whole needs, and how conda and wheel variants say it. */
#ifndef REQUIREMENTS_WHOLE_H
#define REQUIREMENTS_WHOLE_H

#include "loader/core/support/text_list.h"
#include "show/requirements.h"

struct requirements_whole {
    struct requirements_table table; /* machines that every module runs on */
    bool *runs;                      /* for each device of the grid, whether there is one */
    bool has_some;                   /* one of the table of GPUs runs */
    bool later;                      /* so do GPUs that are still to come */
    uint32_t driver;                 /* least one that serves every GPU that runs; 0: newer than the grid */
    bool needs_linker;               /* some GPU runs only with nvJitLink; with that driver it is from */
    uint32_t linker_from;            /* this release, or 0: no release serves every GPU, */
    uint32_t linker_before;          /* to before this one */
    size_t linker;                   /* the first of them, as requirements_at() takes it */
};

/* Takes over the table. */
cubinet_status requirements_whole_make(struct requirements_table *table,
                                       struct requirements_whole *out_whole);
void requirements_whole_free(struct requirements_whole *whole);

/* How every module runs on a device: with the newest driver, and with nvJitLink only if it has to be. */
unsigned requirements_whole_how(const struct requirements_whole *whole, size_t device);

/* The terms of a package manager, and which GPUs they let through that do not run every module. */
struct requirements_terms {
    struct cbn_text_list terms; /* none: they can't say it */
    struct cbn_text_list except;
};

/* Conda's virtual packages, and its package of nvJitLink: "__cuda >=13.0". */
cubinet_status requirements_conda(const struct requirements_whole *whole,
                                  struct requirements_terms *out_terms);

/* Properties of wheel variants: "nvidia :: sm_arch :: 80_real". */
cubinet_status requirements_wheel(const struct requirements_whole *whole,
                                  struct requirements_terms *out_terms);

void requirements_terms_free(struct requirements_terms *terms);

#endif
