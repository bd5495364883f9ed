/* SPDX-License-Identifier: Apache-2.0 */
/* What a slice left out of an archive, asked for from the archive of the rest: loader/core/archive/rest.h. */
#ifndef CBN_DRIVER_REST_H
#define CBN_DRIVER_REST_H

#include "loader/driver/load.h"

/* Makes a request one for the module of that name in the rest of an archive, if there is a rest that has it.
 * Fails if what was left out can't be read. */
cubinet_status cbn_rest_seek(const cubinet_archive *archive, const char *name,
                             struct cbn_load_request *request, bool *out_found);

/* After a module was not found in the request's archive, or no image of it runs, which is `status`: makes the
 * request one for the rest, or returns `status`, with the reason added if the rest should have it. */
cubinet_status cbn_rest_find_module(cubinet_status status, const char *name,
                                    struct cbn_load_request *request);

#endif
