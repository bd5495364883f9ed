/* SPDX-License-Identifier: Apache-2.0 */
/* Catalogs: which of many archives a module is taken from. */
#include "loader/core/archive/catalog_entries.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/rest.h"
#include "loader/core/select/requirement.h"
#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"
#include "loader/core/support/path_list.h"
#include "loader/core/support/sized.h"
#include "loader/core/support/text_stream.h"

#include <cubinet/catalog.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An archive among the others that may have the same modules. */
struct rank {
    const cubinet_archive *archive;
    const char *version;
    bool is_rest; /* of what was left out of another */
    size_t entry;
};

struct cubinet_catalog {
    struct cbn_catalog_entries entries;
    struct rank *ranks; /* of what was opened: those that override others come before them */
    size_t rank_count;
};

/* In messages, of those left out, and of those opened. */
enum { LISTED_MAX = 20 };

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *left = a;
    const struct rank *right = b;
    int order = cbn_version_compare(right->version, left->version);
    order = order ? order : left->is_rest - right->is_rest;
    return order ? order : (left->entry < right->entry) - (left->entry > right->entry);
}

static cubinet_status describe(const cubinet_archive *archive, cubinet_archive_info *out_info)
{
    *out_info = (cubinet_archive_info){.size = sizeof(*out_info)};
    return cubinet_archive_get_info(archive, out_info);
}

/* Gives each archive that was sliced the rest that is on the path, too. */
static void pair_rests(struct cubinet_catalog *catalog)
{
    for (size_t i = 0; i < catalog->rank_count; i++) {
        for (size_t j = 0; catalog->ranks[i].is_rest && j < catalog->rank_count; j++) {
            cubinet_archive *sliced = catalog->entries.items[catalog->ranks[j].entry].archive;
            cbn_archive_offer_rest(sliced, catalog->ranks[i].archive);
        }
    }
}

static cubinet_status rank_archives(struct cubinet_catalog *catalog)
{
    const struct cbn_catalog_entries *entries = &catalog->entries;
    catalog->ranks = calloc(entries->count ? entries->count : 1, sizeof(*catalog->ranks));
    if (!catalog->ranks) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < entries->count; i++) {
        cubinet_archive_info info;
        if (!entries->items[i].archive) {
            continue;
        }
        cubinet_status status = describe(entries->items[i].archive, &info);
        if (status) {
            return status;
        }
        catalog->ranks[catalog->rank_count++] =
            (struct rank){.archive = entries->items[i].archive,
                          .version = info.archive_version,
                          .is_rest = cbn_archive_property(entries->items[i].archive, CBN_PROPERTY_REST_OF),
                          .entry = i};
    }
    pair_rests(catalog);
    qsort(catalog->ranks, catalog->rank_count, sizeof(*catalog->ranks), compare_ranks);
    return CUBINET_OK;
}

static cubinet_status add_program_paths(struct cubinet_catalog *catalog, const char *paths,
                                        const cubinet_catalog_options *options)
{
    if (!(options->flags & CUBINET_CATALOG_NEAR)) {
        return cbn_catalog_entries_add(&catalog->entries, paths, NULL, options->archive);
    }
    char *file = malloc(PATH_MAX); /* not on the stack of a thread that may have little */
    if (!file) {
        return cbn_error_memory();
    }
    cubinet_status status = cbn_file_of(options->address, file);
    if (!status) {
        status = cbn_catalog_entries_add(&catalog->entries, paths, file, options->archive);
    }
    free(file);
    return status;
}

static cubinet_status fill(struct cubinet_catalog *catalog, const char *paths,
                           const cubinet_catalog_options *options)
{
    bool is_read = !(options->flags & CUBINET_CATALOG_NO_ENVIRONMENT);
    const char *environment = is_read ? secure_getenv("CUBINET_ARCHIVE_PATH") : NULL;
    cubinet_status status = paths ? add_program_paths(catalog, paths, options) : CUBINET_OK;
    if (!status && environment) {
        status = cbn_catalog_entries_add(&catalog->entries, environment, NULL, options->archive);
    }
    return status ? status : rank_archives(catalog);
}

cubinet_status cubinet_catalog_open(const char *paths, const cubinet_catalog_options *given,
                                    cubinet_catalog **out_catalog)
{
    if (!out_catalog) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the place for the catalog is NULL");
    }
    cubinet_catalog_options options;
    cubinet_status status = cbn_sized_read(given, "cubinet_catalog_options", &options, sizeof(options));
    if (!status) {
        status = cbn_flags_check("cubinet_catalog_options", options.flags,
                                 CUBINET_CATALOG_NEAR | CUBINET_CATALOG_NO_ENVIRONMENT, options.reserved);
    }
    if (status) {
        return status;
    }
    struct cubinet_catalog *catalog = calloc(1, sizeof(*catalog));
    if (!catalog) {
        return cbn_error_memory();
    }
    /* Leaving entries out is not a failure of this call. */
    struct cbn_kept_error kept = cbn_error_keep();
    status = cbn_error_settle(&kept, fill(catalog, paths, &options));
    if (status) {
        cubinet_catalog_close(catalog);
        return status;
    }
    *out_catalog = catalog;
    return CUBINET_OK;
}

void cubinet_catalog_close(cubinet_catalog *catalog)
{
    if (!catalog) {
        return;
    }
    cbn_catalog_entries_free(&catalog->entries);
    free(catalog->ranks);
    free(catalog);
}

static void list_left_out(const struct cubinet_catalog *catalog, FILE *text)
{
    size_t count = 0;
    for (size_t i = 0; i < catalog->entries.count; i++) {
        const struct cbn_catalog_entry *entry = &catalog->entries.items[i];
        if (!entry->archive && ++count <= LISTED_MAX) {
            fprintf(text, "\n  left out: %s", entry->reason);
        }
    }
    if (count > LISTED_MAX) {
        fprintf(text, "\n  left out: %zu more", count - LISTED_MAX);
    }
}

static void list_opened(const struct cubinet_catalog *catalog, FILE *text)
{
    for (size_t i = 0; i < catalog->rank_count && i < LISTED_MAX; i++) {
        const struct rank *rank = &catalog->ranks[i];
        uint32_t count = cubinet_archive_get_module_count(rank->archive);
        fprintf(text, "\n  %s%s%s has %u other module%s", cbn_archive_name(rank->archive),
                rank->version[0] ? ", version " : "", rank->version, (unsigned)count, count == 1 ? "" : "s");
    }
    if (catalog->rank_count > LISTED_MAX) {
        fprintf(text, "\n  %zu more archives", catalog->rank_count - LISTED_MAX);
    }
}

static const char *nearest_name(const struct cubinet_catalog *catalog, struct cbn_nearest *nearest)
{
    for (size_t i = 0; i < catalog->rank_count; i++) {
        cbn_archive_offer_modules(catalog->ranks[i].archive, nearest);
    }
    return cbn_nearest_found(nearest);
}

static cubinet_status no_module(const struct cubinet_catalog *catalog, const char *name)
{
    struct cbn_text_stream stream;
    FILE *text = cbn_text_stream_open(&stream);
    if (!text) {
        return cbn_error_memory();
    }
    list_left_out(catalog, text);
    list_opened(catalog, text);
    char *places = cbn_text_stream_close(&stream);
    if (!places) {
        return cbn_error_memory();
    }
    struct cbn_nearest search;
    cbn_nearest_start(&search, name, strlen(name));
    const char *nearest = nearest_name(catalog, &search);
    cubinet_status status =
        cbn_error(CUBINET_ERROR_NOT_FOUND, "no archive on the path has the module '%s'%s%s%s%s%s", name,
                  nearest ? "; the nearest is '" : "", nearest ? nearest : "", nearest ? "'" : "",
                  places[0] ? ":" : ": the path is empty", places);
    free(places);
    return status;
}

cubinet_status cubinet_catalog_find_module(const cubinet_catalog *catalog, const char *name,
                                           const cubinet_archive **out_archive, uint32_t *out_module)
{
    if (!catalog || !name) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the catalog, or the module's name, is NULL");
    }
    for (size_t i = 0; i < catalog->rank_count; i++) {
        uint32_t module = 0;
        bool is_found = false;
        cubinet_status status = cbn_archive_seek_module(catalog->ranks[i].archive, name, &is_found, &module);
        if (status) {
            return status;
        }
        if (!is_found) {
            continue;
        }
        if (out_archive) {
            *out_archive = catalog->ranks[i].archive;
        }
        if (out_module) {
            *out_module = module;
        }
        return CUBINET_OK;
    }
    return no_module(catalog, name);
}

uint32_t cubinet_catalog_get_entry_count(const cubinet_catalog *catalog)
{
    return catalog ? (uint32_t)catalog->entries.count : 0;
}

cubinet_status cubinet_catalog_get_entry(const cubinet_catalog *catalog, uint32_t number,
                                         cubinet_catalog_entry *out_entry)
{
    if (!catalog) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the catalog is NULL");
    }
    if (number >= catalog->entries.count) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND,
                         "the catalog has %zu entries, numbered from 0: there is no number %u",
                         catalog->entries.count, (unsigned)number);
    }
    const struct cbn_catalog_entry *found = &catalog->entries.items[number];
    cubinet_catalog_entry entry = {
        .path = found->path,
        .archive = found->archive,
        .status = found->status,
        .reason = found->reason ? found->reason : "",
    };
    return cbn_sized_write(out_entry, "cubinet_catalog_entry", &entry, sizeof(entry));
}
