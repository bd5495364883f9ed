/* SPDX-License-Identifier: Apache-2.0 */
#include "command/slice_used.h"

#include "base/command.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

typedef const struct cbn_record_entry *entry_ptr;

static int compare_entries(const void *a, const void *b)
{
    entry_ptr first = *(const entry_ptr *)a;
    entry_ptr second = *(const entry_ptr *)b;
    int order = strcmp(first->module, second->module);
    return order ? order : (first > second) - (first < second);
}

/* What was linked by the program is in no archive: the pieces have entries of their own. */
static bool counts(const struct cbn_record_entry *entry, bool only_launched)
{
    bool is_launched = strcmp(entry->use, CBN_RECORD_KERNEL) == 0 ||
                       strcmp(entry->use, CBN_RECORD_GLOBAL) == 0 ||
                       strcmp(entry->use, CBN_RECORD_LINKED) == 0;
    return entry->archive_digest && (is_launched || !only_launched);
}

/* A day, as archives may say it. */
static bool is_date(const char *time)
{
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof(form) - 1; i++) {
        bool fits = form[i] == 'd' ? time[i] >= '0' && time[i] <= '9' : time[i] == form[i];
        if (!fits) {
            return false;
        }
    }
    return true;
}

static void note_date(struct slice_used *used, const struct cbn_record_entry *entry)
{
    if (entry->time && is_date(entry->time) && strncmp(entry->time, used->date, SLICE_DATE_SIZE - 1) > 0) {
        memcpy(used->date, entry->time, SLICE_DATE_SIZE - 1);
    }
}

static cubinet_status read_files(struct slice_used *used, const struct cbn_text_list *paths)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < paths->count; i++) {
        size_t damaged = used->record.damaged;
        status = cbn_record_read(paths->items[i], &used->record);
        damaged = used->record.damaged - damaged;
        if (!status && damaged > 0) {
            command_warning("'%s': %zu %s can't be read: what they record may be left out", paths->items[i],
                            damaged, damaged == 1 ? "line" : "lines");
        }
    }
    return status;
}

cubinet_status slice_used_read(struct slice_used *used, const struct cbn_text_list *paths, bool only_launched)
{
    cubinet_status status = read_files(used, paths);
    if (status) {
        return status;
    }
    used->entries = calloc(used->record.count + 1, sizeof(entry_ptr));
    if (!used->entries) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < used->record.count; i++) {
        note_date(used, &used->record.entries[i]);
        if (counts(&used->record.entries[i], only_launched)) {
            used->entries[used->count++] = &used->record.entries[i];
        }
    }
    qsort(used->entries, used->count, sizeof(entry_ptr), compare_entries);
    return CUBINET_OK;
}

void slice_used_free(struct slice_used *used)
{
    cbn_record_free(&used->record);
    free(used->entries);
}

cubinet_status slice_used_add_devices(const struct slice_used *used, struct explain_devices *devices)
{
    struct cbn_text_list words = {0};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < used->count; i++) {
        if (used->entries[i]->compute) {
            status = cbn_text_list_add_once(&words, used->entries[i]->compute);
        }
    }
    for (size_t i = 0; !status && i < words.count; i++) {
        status = explain_devices_add(devices, words.items[i]);
        if (status == CUBINET_ERROR_NOT_FOUND) {
            command_warning("the records name a GPU that is not known: '%s'", words.items[i]);
            status = CUBINET_OK;
        }
    }
    cbn_text_list_free(&words);
    return status;
}

/* The number of the module's first entry; that of all entries if it has none. */
static size_t find_module(const struct slice_used *used, const char *module)
{
    size_t first = 0;
    for (size_t count = used->count; count > 0; count /= 2) {
        if (strcmp(used->entries[first + count / 2]->module, module) < 0) {
            first += count / 2 + 1;
            count--;
        }
    }
    return first < used->count && strcmp(used->entries[first]->module, module) == 0 ? first : used->count;
}

static bool is_of(const struct slice_used *used, size_t entry, const char *module)
{
    return entry < used->count && strcmp(used->entries[entry]->module, module) == 0;
}

static bool is_text(const char *text, const char *other)
{
    return text && strcmp(text, other) == 0;
}

bool slice_used_kernel(const struct slice_used *used, const char *module, const char *kernel)
{
    for (size_t i = find_module(used, module); is_of(used, i, module); i++) {
        if (is_text(used->entries[i]->kernel, kernel)) {
            return true;
        }
    }
    return false;
}

bool slice_used_global(const struct slice_used *used, const char *module, const char *global)
{
    for (size_t i = find_module(used, module); is_of(used, i, module); i++) {
        if (is_text(used->entries[i]->global, global)) {
            return true;
        }
    }
    return false;
}

bool slice_used_mark(const struct slice_used *used, const struct listing_module *module, bool *wanted)
{
    size_t first = find_module(used, module->name);
    for (uint32_t i = 0; first < used->count && i < module->image_count; i++) {
        char target[CUBINET_TARGET_NAME_SIZE];
        cubinet_target_name(module->images[i].target, target);
        wanted[i] = wanted[i] || module->images[i].target.kind == CUBINET_IMAGE_PTX;
        for (size_t j = first; !wanted[i] && is_of(used, j, module->name); j++) {
            wanted[i] = is_text(used->entries[j]->image, target);
        }
    }
    return first < used->count;
}

/* What the records and the archive have in common. */
struct overlap {
    size_t modules;
    bool same_archive;
    const char *missing; /* a kernel that the archive lacks, and its module; NULL: none */
    const char *missing_module;
};

static void compare_module(const struct slice_used *used, const struct listing_module *module,
                           const char *identity, struct overlap *overlap)
{
    size_t first = find_module(used, module->name);
    overlap->modules += first < used->count;
    for (size_t i = first; is_of(used, i, module->name); i++) {
        const struct cbn_record_entry *entry = used->entries[i];
        uint32_t kernel;
        overlap->same_archive = overlap->same_archive || is_text(entry->archive_digest, identity);
        if (entry->kernel && !overlap->missing && !listing_find_kernel(module, entry->kernel, &kernel)) {
            overlap->missing = entry->kernel;
            overlap->missing_module = module->name;
        }
    }
}

cubinet_status slice_used_check(const struct slice_used *used, const struct shown_archive *shown)
{
    char identity[CBN_IDENTITY_TEXT_SIZE];
    struct overlap overlap = {0};
    cbn_archive_identity_text(shown->archive, identity);
    for (uint32_t i = 0; i < shown->listing.module_count; i++) {
        compare_module(used, &shown->listing.modules[i], identity, &overlap);
    }
    if (overlap.modules == 0 && used->count == 0) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "the records say that nothing was used%s",
                         used->record.count ? ": with --rest, only what was launched counts" : "");
    }
    if (overlap.modules == 0) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "the records name no module of '%s', but '%s', for one",
                         shown->path, used->entries[0]->module);
    }
    if (!overlap.same_archive) {
        command_warning(
            "'%s' is not the archive that was recorded, but another build: what was used is found "
            "by the names of modules and kernels",
            shown->path);
    }
    if (overlap.missing) {
        command_warning("the records name a kernel that module '%s' does not have: '%s'",
                        overlap.missing_module, overlap.missing);
    }
    return CUBINET_OK;
}
