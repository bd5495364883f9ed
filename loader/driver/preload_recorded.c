/* SPDX-License-Identifier: Apache-2.0 */
/* Preloading what a record of use names. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/record/record_file.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text_list.h"
#include "loader/driver/preload_make.h"

#include <cubinet/preload.h>

#include <stdlib.h>
#include <string.h>

/* What is to be loaded: modules, each with its kernels, in the order of use. */
struct wanted {
    const cubinet_archive *const *archives;
    size_t archive_count;
    cubinet_preload_item *items;
    struct cbn_text_list *kernels;
    size_t count;
    size_t capacity;
};

static void wanted_free(struct wanted *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        cbn_text_list_free(&wanted->kernels[i]);
    }
    free(wanted->kernels);
    free(wanted->items);
}

/* Which archive the entry means: the very one, or else the first that has the module. NULL: none has it. */
static cubinet_status find_archive(const struct wanted *wanted, const struct cbn_record_entry *entry,
                                   const cubinet_archive **out_archive)
{
    *out_archive = NULL;
    for (size_t i = 0; i < wanted->archive_count; i++) {
        const cubinet_archive *archive = wanted->archives[i];
        char identity[CBN_IDENTITY_TEXT_SIZE];
        uint32_t module = 0;
        bool is_found = false;
        cubinet_status status = cbn_archive_seek_module(archive, entry->module, &is_found, &module);
        if (status) {
            return status;
        }
        bool is_same = strcmp(cbn_archive_identity_text(archive, identity), entry->archive_digest) == 0;
        if (is_found && (is_same || !*out_archive)) {
            *out_archive = archive;
        }
        if (is_found && is_same) {
            break;
        }
    }
    return CUBINET_OK;
}

static cubinet_status make_room(struct wanted *wanted)
{
    if (wanted->count < wanted->capacity) {
        return CUBINET_OK;
    }
    size_t capacity = wanted->capacity ? 2 * wanted->capacity : 16;
    cubinet_preload_item *items = reallocarray(wanted->items, capacity, sizeof(*items));
    if (!items) {
        return cbn_error_memory();
    }
    wanted->items = items;
    struct cbn_text_list *kernels = reallocarray(wanted->kernels, capacity, sizeof(*kernels));
    if (!kernels) {
        return cbn_error_memory();
    }
    wanted->kernels = kernels;
    wanted->capacity = capacity;
    return CUBINET_OK;
}

/* The place of the module among those that are wanted, where it is added if it is new. */
static cubinet_status want_module(struct wanted *wanted, const cubinet_archive *archive, const char *module,
                                  size_t *out_place)
{
    for (*out_place = 0; *out_place < wanted->count; ++*out_place) {
        const cubinet_preload_item *item = &wanted->items[*out_place];
        if (item->archive == archive && strcmp(item->name, module) == 0) {
            return CUBINET_OK;
        }
    }
    cubinet_status status = make_room(wanted);
    if (!status) {
        wanted->items[wanted->count] = (cubinet_preload_item){.archive = archive, .name = module};
        wanted->kernels[wanted->count++] = (struct cbn_text_list){0};
    }
    return status;
}

/* What was linked with others is loaded with them, and what was only looked up may never be needed. */
static bool is_loaded(const struct cbn_record_entry *entry)
{
    return entry->archive_digest && strcmp(entry->use, CBN_RECORD_LINKED) != 0 &&
           strcmp(entry->use, CBN_RECORD_FOUND) != 0;
}

static cubinet_status want(struct wanted *wanted, const struct cbn_record_entry *entry)
{
    const cubinet_archive *archive = NULL;
    size_t place = 0;
    cubinet_status status = is_loaded(entry) ? find_archive(wanted, entry, &archive) : CUBINET_OK;
    if (status || !archive) {
        return status;
    }
    status = want_module(wanted, archive, entry->module, &place);
    if (!status && entry->kernel && strcmp(entry->use, CBN_RECORD_KERNEL) == 0) {
        status = cbn_text_list_add_once(&wanted->kernels[place], entry->kernel);
    }
    return status;
}

static cubinet_status check_arguments(const cubinet_driver *driver, const cubinet_archive *const *archives,
                                      size_t count, const char *record, cubinet_preload *const *out_preload)
{
    if (!driver || (!archives && count) || !record || !out_preload) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_preload_recorded: %s is NULL",
                         !driver        ? "driver"
                         : !record      ? "record"
                         : !out_preload ? "out_preload"
                                        : "archives");
    }
    for (size_t i = 0; i < count; i++) {
        if (!archives[i]) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_preload_recorded: archive %zu is NULL",
                             i);
        }
    }
    return CUBINET_OK;
}

cubinet_status cubinet_preload_recorded(const cubinet_driver *driver, CUdevice device,
                                        const cubinet_archive *const *archives, size_t archive_count,
                                        const char *path, const cubinet_preload_options *options,
                                        cubinet_preload **out_preload)
{
    cubinet_preload_options known;
    struct cbn_preload_plan plan;
    struct cbn_record record = {0};
    struct wanted wanted = {.archives = archives, .archive_count = archive_count};
    cubinet_status status = check_arguments(driver, archives, archive_count, path, out_preload);
    if (!status) {
        status = cbn_preload_read_options(driver, device, options, &known, &plan);
    }
    if (!status) {
        status = cbn_record_read(path, &record);
    }
    for (size_t i = 0; !status && i < record.count; i++) {
        status = want(&wanted, &record.entries[i]);
    }
    if (!status) {
        plan.kernels = wanted.kernels;
        status = cbn_preload_make(&plan, wanted.items, wanted.count, out_preload);
    }
    wanted_free(&wanted);
    cbn_record_free(&record);
    return status;
}
