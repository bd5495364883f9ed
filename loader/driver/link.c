/* SPDX-License-Identifier: Apache-2.0 */
/* Links that a program asks for. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"
#include "loader/driver/cbn_link.h"
#include "loader/driver/load_devices.h"
#include "loader/driver/load_link.h"
#include "loader/driver/record.h"
#include "loader/link/link_piece_file.h"

#include <cubinet/link.h>

#include <stdlib.h>
#include <string.h>

/* The name of the module that a link makes, for messages. */
static const char module_name[] = "linked";

struct cubinet_link {
    const cubinet_driver *driver;
    const struct cbn_device *device;
    struct cbn_link_plan *plan;
    struct cbn_link_place place;
    char *nvjitlink;            /* that the place names */
    cubinet_archive **archives; /* references: what is missing is looked for in them */
    size_t archive_count;
    cubinet_archive *linked; /* what came out; NULL before */
};

static cubinet_status missing_argument(const char *function, const char *argument)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function, argument);
}

const cubinet_driver *cbn_link_driver(const cubinet_link *link)
{
    return link->driver;
}

const struct cbn_device *cbn_link_device(const cubinet_link *link)
{
    return link->device;
}

void cubinet_link_destroy(cubinet_link *link)
{
    if (!link) {
        return;
    }
    for (size_t i = 0; i < link->archive_count; i++) {
        cbn_archive_release(link->archives[i]);
    }
    cbn_archive_release(link->linked);
    cbn_link_plan_free(link->plan);
    free(link->archives);
    free(link->nvjitlink);
    free(link);
}

static cubinet_status take_place(cubinet_link *link, const cubinet_link_options *options)
{
    link->nvjitlink = options->nvjitlink ? strdup(options->nvjitlink) : NULL;
    link->place = (struct cbn_link_place){
        .nvjitlink = link->nvjitlink,
        .cache = options->cache,
        .no_cache = (options->flags & CUBINET_LINK_NO_CACHE) != 0,
        .driver = (uint32_t)link->driver->version,
        .log = link->driver->log,
        .log_user = link->driver->log_user,
    };
    return options->nvjitlink && !link->nvjitlink ? cbn_error_memory() : CUBINET_OK;
}

cubinet_status cubinet_link_create(const cubinet_driver *driver, CUdevice device,
                                   const cubinet_link_options *options, cubinet_link **out_link)
{
    if (!driver || !out_link) {
        return missing_argument("cubinet_link_create", !driver ? "driver" : "out_link");
    }
    cubinet_link_options known;
    const struct cbn_device *found = NULL;
    cubinet_status status = cbn_sized_read(options, "cubinet_link_options", &known, sizeof(known));
    if (!status) {
        status = cbn_driver_find_device(driver, device, &found);
    }
    if (status) {
        return status;
    }
    cubinet_link *link = calloc(1, sizeof(*link));
    if (!link) {
        return cbn_error_memory();
    }
    link->driver = driver;
    link->device = found;
    status = take_place(link, &known);
    if (!status) {
        status = cbn_link_plan_create(cbn_device_target(found), &known, &link->plan);
    }
    if (status) {
        cubinet_link_destroy(link);
        return status;
    }
    *out_link = link;
    return CUBINET_OK;
}

/* What was linked is not what will be. */
static void forget(cubinet_link *link)
{
    cbn_archive_release(link->linked);
    link->linked = NULL;
}

cubinet_status cubinet_link_add_module(cubinet_link *link, const cubinet_archive *archive, const char *name)
{
    if (!link || !archive || !name) {
        return missing_argument("cubinet_link_add_module", !link ? "link" : !archive ? "archive" : "name");
    }
    uint32_t module = 0;
    cubinet_status status = cubinet_archive_find_module(archive, name, &module);
    if (!status) {
        status = cbn_link_plan_add_module(link->plan, archive, module);
    }
    if (!status) {
        forget(link);
    }
    return status;
}

cubinet_status cubinet_link_add_archive(cubinet_link *link, const cubinet_archive *archive)
{
    if (!link || !archive) {
        return missing_argument("cubinet_link_add_archive", !link ? "link" : "archive");
    }
    cubinet_archive **archives =
        reallocarray(link->archives, link->archive_count + 1, sizeof(cubinet_archive *));
    if (!archives) {
        return cbn_error_memory();
    }
    link->archives = archives;
    archives[link->archive_count++] = cbn_archive_retain(archive);
    forget(link);
    return CUBINET_OK;
}

cubinet_status cubinet_link_add_data(cubinet_link *link, cubinet_piece_kind kind, const void *data,
                                     size_t size, const char *name)
{
    if (!link) {
        return missing_argument("cubinet_link_add_data", "link");
    }
    cubinet_status status = cbn_link_plan_add_data(link->plan, kind, data, size, name);
    if (!status) {
        forget(link);
    }
    return status;
}

cubinet_status cubinet_link_add_file(cubinet_link *link, cubinet_piece_kind kind, const char *path)
{
    if (!link || !path) {
        return missing_argument("cubinet_link_add_file", !link ? "link" : "path");
    }
    void *data = NULL;
    size_t size = 0;
    cubinet_status status = cbn_piece_file_read(path, &data, &size);
    if (!status) {
        status = cubinet_link_add_data(link, kind, data, size, path);
    }
    free(data);
    return status;
}

/* With what is missing from the archives, which the plan keeps only meanwhile: a piece that is added for the
 * next link may define it. */
static cubinet_status link_now(cubinet_link *link)
{
    cubinet_status status = CUBINET_OK;
    struct cbn_link_story story;
    const struct cbn_link_plan_mark given = cbn_link_plan_mark(link->plan);
    for (size_t i = 0; i < link->archive_count && !status; i++) {
        status = cbn_link_plan_add_missing(link->plan, link->archives[i]);
    }
    if (!status) {
        status = cbn_link_plan_check(link->plan);
    }
    if (!status) {
        status = cbn_link_obtain(link->plan, module_name, &link->place, &story, &link->linked);
    }
    if (!status) {
        cbn_load_log_link(link->driver, module_name, link->plan, &story);
        cbn_record_link(link->driver, link->device, link->plan);
    }
    cbn_link_plan_go_back(link->plan, &given);
    return status;
}

cubinet_status cubinet_link_complete(cubinet_link *link, cubinet_module **out_module)
{
    if (!link || !out_module) {
        return missing_argument("cubinet_link_complete", !link ? "link" : "out_module");
    }
    struct cbn_kept_error kept = cbn_error_keep();
    cubinet_status status = link->linked ? CUBINET_OK : link_now(link);
    struct cbn_load_request request = {
        .archive = link->linked,
        .module = {.size = sizeof(request.module)},
        .policy = {.size = sizeof(request.policy)},
        .place = link->place,
        .is_link = true,
        .haste = CBN_HASTE_READY,
    };
    if (!status) {
        status = cubinet_archive_get_module(link->linked, 0, &request.module);
    }
    if (!status) {
        status = cbn_module_load_on(link->driver, link->device, NULL, &request, out_module);
    }
    return cbn_error_settle(&kept, status);
}

cubinet_status cubinet_link_get_cubin(cubinet_link *link, const void **out_data, size_t *out_size)
{
    if (!link || !out_data || !out_size) {
        return missing_argument("cubinet_link_get_cubin", !link       ? "link"
                                                          : !out_data ? "out_data"
                                                                      : "out_size");
    }
    cubinet_image_info image = {.size = sizeof(image)};
    const void *data = NULL;
    cubinet_status status = link->linked ? CUBINET_OK : link_now(link);
    if (!status) {
        status = cubinet_archive_get_image(link->linked, 0, 0, &image);
    }
    if (!status) {
        status = cbn_archive_image_bytes(link->linked, 0, 0, &data);
    }
    if (!status) {
        *out_data = data;
        *out_size = (size_t)image.raw_size;
    }
    return status;
}
