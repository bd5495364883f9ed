/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the image of a module for a device, and loading it. */
#ifndef CBN_LOAD_H
#define CBN_LOAD_H

#include "loader/driver/load_image.h"
#include "loader/link/link_obtain.h"

/* What a program asked to have loaded, on however many devices. */
struct cbn_load_request {
    const cubinet_archive *archive;
    uint32_t index;             /* of the module in the archive */
    cubinet_module_info module; /* of the archive, as `index` says */
    cubinet_policy policy;      /* the program's and the environment's */
    struct cbn_link_place place;
    bool is_unused; /* that it is loaded does not count as a use */
    bool is_rest;   /* of a sliced archive: `policy.only` is the target of the image that runs already */
    bool is_link;   /* the archive is one that a link of the program made */
    enum cbn_haste haste;
};

/* Checks the options and finds the module. */
cubinet_status cbn_load_request_make(const cubinet_archive *archive, const char *name,
                                     const cubinet_load_options *options,
                                     struct cbn_load_request *out_request);

/* Whether there is LTO-IR to link with a cache or an nvJitLink that the program named, and may let go of
 * after the load. */
bool cbn_load_needs_place(const struct cbn_load_request *request);

/* Loads the best image that the driver does not refuse into a module that has none. The module's context must
 * be current. */
cubinet_status cbn_load_best(struct cubinet_module *module, const struct cbn_load_request *request);

/* As cbn_load_best(), starting after the image that the module has chosen, which the driver refused. Takes
 * the refusal over. */
cubinet_status cbn_load_next(struct cubinet_module *module, const struct cbn_load_request *request,
                             struct cbn_refusal refusal);

/* As cbn_load_best(), for a device of the same compute capability as another's, of the same request: takes
 * that one's choice and code, unless the driver refuses them here. */
cubinet_status cbn_load_shared(struct cubinet_module *module, const struct cubinet_module *other,
                               const struct cbn_load_request *request);

#endif
