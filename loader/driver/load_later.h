/* SPDX-License-Identifier: Apache-2.0 */
/* Loading the parts of a module's image when they are used, from an archive that may be closed meanwhile.
 *
 * A module in parts decides for an image when it is loaded, and settles for it when the first kernel or
 * global is handed out. Until then it may move on to the next image, because the driver refused a part. Then
 * it does not, so that kernels of one module never come from different images. */
#ifndef CBN_LOAD_LATER_H
#define CBN_LOAD_LATER_H

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/driver/load.h"

struct cbn_load_later {
    struct cubinet_module *module;
    struct cbn_load_request request; /* which needs nothing of the program's but the archive */
    cubinet_archive *archive;        /* the request's, which the module holds */
    struct cbn_archive_holder holder;
    bool is_closed;        /* the archive's memory is gone */
    cubinet_status status; /* what it came to that the module had to decide then, and was said of it */
    struct cbn_kept_error failure;
    char only[CUBINET_TARGET_NAME_SIZE];
};

/* Readies a module that was loaded by the request for what is left to load; it settles if that is nothing.
 * What the request points to is not needed any more. */
cubinet_status cbn_module_load_later(struct cubinet_module *module, const struct cbn_load_request *request);

/* Begins and ends what uses a module's image. In between the image stays the same, but for
 * cbn_module_need_part(). A success that hands something of the image out settles the module. */
cubinet_status cbn_module_enter(struct cubinet_module *module, bool *out_locked);
cubinet_status cbn_module_leave(struct cubinet_module *module, bool is_locked, cubinet_status status);

/* Loads a part of the module's image, if it is not. If the driver refuses it the module moves on to the next
 * image, if it has not settled, and what was found in the old one has to be looked for in that. */
cubinet_status cbn_module_need_part(struct cubinet_module *module, uint32_t part, bool *out_moved);

/* Loads a part of a module that nobody hands anything out of yet, and has the driver place it on the device
 * now. Several threads may do so at a time. A refusal is left to cbn_module_need_part(), which meets it, too.
 */
enum cbn_attempt cbn_module_ready_part(struct cubinet_module *module, uint32_t part,
                                       cubinet_status *out_status);

/* Settles a module all parts of which are loaded. Nobody else uses it yet. */
void cbn_module_settle(struct cubinet_module *module);

#endif
