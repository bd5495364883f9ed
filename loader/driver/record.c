/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/record.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/driver/recorder.h"
#include "loader/link/link_plan_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RELEASE_SIZE = 24, DIGEST_TEXT_SIZE = 33 };

/* The texts of an entry about an image, and room for those that are made. */
struct place {
    struct cbn_record_entry entry;
    char archive_digest[CBN_IDENTITY_TEXT_SIZE];
    char target[CUBINET_TARGET_NAME_SIZE];
    char image_digest[DIGEST_TEXT_SIZE];
    char compute[RELEASE_SIZE];
    char driver[RELEASE_SIZE];
};

struct cbn_module_record {
    struct place place;
    cubinet_archive *archive; /* a reference: it has the strings */
    char *path;
};

static void describe_device(const cubinet_driver *driver, const struct cbn_device *device,
                            struct place *place)
{
    snprintf(place->compute, sizeof(place->compute), "%d.%d", device->compute_major, device->compute_minor);
    snprintf(place->driver, sizeof(place->driver), "%d.%d", driver->version / 1000,
             driver->version % 1000 / 10);
    place->entry.device = device->name;
    place->entry.compute = place->compute;
    place->entry.driver = place->driver;
}

static void describe_image(const cubinet_image_info *image, struct place *place)
{
    for (size_t i = 0; i < sizeof(image->digest); i++) {
        snprintf(place->image_digest + 2 * i, 3, "%02x", image->digest[i]);
    }
    place->entry.image = cubinet_target_name(image->target, place->target);
    place->entry.image_digest = place->image_digest;
}

/* Where an image comes from. The path is the caller's to free; the other strings are the archive's. */
static char *describe_archive(const cubinet_archive *archive, uint32_t module, struct place *place)
{
    cubinet_archive_info info = {.size = sizeof(info)};
    cubinet_module_info named = {.size = sizeof(named)};
    char *path = cbn_archive_path(archive);
    if (path && !cubinet_archive_get_info(archive, &info) &&
        !cubinet_archive_get_module(archive, module, &named)) {
        place->entry.archive = path;
        place->entry.archive_digest = cbn_archive_identity_text(archive, place->archive_digest);
        place->entry.archive_version = info.archive_version[0] ? info.archive_version : NULL;
        place->entry.module = named.name;
        return path;
    }
    free(path);
    return NULL;
}

static void add(const cubinet_driver *driver, const struct place *place, const char *use)
{
    struct cbn_record_entry entry = place->entry;
    entry.use = use;
    cbn_recorder_add(driver->recorder, entry);
}

/* The module of the archive that a program asked for, although what is loaded of it may have been linked. Of
 * a link there is none: what it says is about the linked code. */
static struct cbn_module_record *record_new(const struct cubinet_module *module,
                                            const struct cbn_load_request *request)
{
    struct cbn_module_record *record = calloc(1, sizeof(*record));
    cubinet_image_info image = {.size = sizeof(image)};
    if (!record) {
        return NULL;
    }
    struct place *place = &record->place;
    record->archive = cbn_archive_retain(request->archive);
    record->path = describe_archive(request->archive, request->index, place);
    if (!record->path || cubinet_archive_get_image(module->archive, module->index, module->image, &image)) {
        cbn_module_record_free(record);
        return NULL;
    }
    if (request->is_link) {
        place->entry.archive = NULL;
        place->entry.archive_digest = NULL;
    }
    describe_image(&image, place);
    describe_device(module->driver, module->device, place);
    return record;
}

void cbn_module_record_free(struct cbn_module_record *record)
{
    if (record) {
        cbn_archive_release(record->archive);
        free(record->path);
        free(record);
    }
}

void cbn_record_module(struct cubinet_module *module, const struct cbn_load_request *request)
{
    if (!module->driver->recorder) {
        return;
    }
    struct cbn_kept_error kept = cbn_error_keep();
    module->record = record_new(module, request);
    if (module->record && !request->is_unused) {
        add(module->driver, &module->record->place, CBN_RECORD_MODULE);
    } else if (!module->record) {
        cbn_driver_log(module->driver, CUBINET_LOG_WARNING, "module '%s': its use is not recorded",
                       request->module.name);
    }
    cbn_error_put_back(&kept);
}

void cbn_record_link(const cubinet_driver *driver, const struct cbn_device *device,
                     const struct cbn_link_plan *plan)
{
    struct cbn_kept_error kept = cbn_error_keep();
    for (size_t i = 0; driver->recorder && i < plan->piece_count; i++) {
        const struct cbn_piece *piece = &plan->pieces[i];
        struct place place = {0};
        char *path = piece->archive ? describe_archive(piece->archive, piece->module, &place) : NULL;
        if (path) {
            describe_image(&piece->info, &place);
            describe_device(driver, device, &place);
            add(driver, &place, CBN_RECORD_LINKED);
        }
        free(path);
    }
    cbn_error_put_back(&kept);
}

void cbn_record_kernel_use(const cubinet_kernel *kernel, enum cbn_kernel_use use)
{
    unsigned wanted = (unsigned)use;
    if (atomic_load_explicit(&kernel->state->recorded, memory_order_relaxed) & wanted ||
        atomic_fetch_or_explicit(&kernel->state->recorded, wanted, memory_order_relaxed) & wanted) {
        return;
    }
    const struct cubinet_module *module = kernel->module;
    cubinet_kernel_info info = {.size = sizeof(info)};
    struct place place = module->record->place;
    /* The module was checked when it was loaded, so this can't fail. */
    cubinet_archive_get_kernel(module->archive, module->index, kernel->index, &info);
    place.entry.kernel = info.name;
    add(module->driver, &place, use == CBN_KERNEL_FOUND ? CBN_RECORD_FOUND : CBN_RECORD_KERNEL);
}

void cbn_record_global_use(const struct cubinet_module *module, const char *name)
{
    struct place place = module->record->place;
    place.entry.global = name;
    add(module->driver, &place, CBN_RECORD_GLOBAL);
}
