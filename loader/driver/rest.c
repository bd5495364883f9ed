/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/rest.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/rest.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

cubinet_status cbn_rest_seek(const cubinet_archive *archive, const char *name,
                             struct cbn_load_request *request, bool *out_found)
{
    const cubinet_archive *rest = NULL;
    uint32_t index = 0;
    cubinet_status status = cbn_archive_rest(archive, &rest);
    *out_found = false;
    if (!status && rest) {
        status = cbn_archive_seek_module(rest, name, out_found, &index);
    }
    if (!status && *out_found) {
        request->archive = rest;
        request->index = index;
        request->module = (cubinet_module_info){.size = sizeof(request->module)};
        status = cubinet_archive_get_module(rest, index, &request->module);
    }
    return status;
}

cubinet_status cbn_rest_find_module(cubinet_status status, const char *name, struct cbn_load_request *request)
{
    const cubinet_archive *archive = request->archive;
    bool is_known = status == CUBINET_ERROR_NO_IMAGE || cbn_archive_left_out(archive, name);
    bool is_found = false;
    if (!cbn_archive_is_sliced(archive)) {
        return status;
    }
    struct cbn_kept_error kept = cbn_error_keep();
    cubinet_status sought = cbn_rest_seek(archive, name, request, &is_found);
    if (!sought && !is_found && status == CUBINET_ERROR_NO_IMAGE) {
        sought = cbn_error(status, "%s\n  images that the record of %s does not use were left out of %s",
                           cbn_kept_text(&kept), cbn_archive_property(archive, CBN_PROPERTY_USED),
                           cbn_archive_name(archive));
        cbn_error_drop(&kept);
        return sought;
    }
    if (sought == CUBINET_ERROR_OUT_OF_MEMORY) {
        cbn_error_drop(&kept);
        return sought; /* what could not be looked for may be there */
    }
    if (!sought || !is_known) {
        cbn_error_put_back(&kept); /* of a module that nobody knows the archive's own message says more */
        return is_found && !sought ? CUBINET_OK : status;
    }
    sought = cbn_error(status, "%s\n  %s", cbn_kept_text(&kept), cubinet_error_message());
    cbn_error_drop(&kept);
    return sought;
}
