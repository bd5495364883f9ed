/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/catalog_entries.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/core/support/path_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char suffix[] = ".cubinet";

static void entry_free(struct cbn_catalog_entry *entry)
{
    free(entry->path);
    free(entry->reason);
    cubinet_archive_close(entry->archive);
}

void cbn_catalog_entries_free(struct cbn_catalog_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        entry_free(&entries->items[i]);
    }
    free(entries->items);
    *entries = (struct cbn_catalog_entries){0};
}

/* Takes over the entry, also on failure. */
static cubinet_status push(struct cbn_catalog_entries *entries, struct cbn_catalog_entry entry)
{
    if (entries->count == entries->capacity) {
        size_t capacity = entries->capacity ? 2 * entries->capacity : 16;
        struct cbn_catalog_entry *items = reallocarray(entries->items, capacity, sizeof(*items));
        if (!items) {
            entry_free(&entry);
            return cbn_error_memory();
        }
        entries->items = items;
        entries->capacity = capacity;
    }
    entries->items[entries->count++] = entry;
    return CUBINET_OK;
}

/* Adds what is left out for the thread's last error. */
static cubinet_status leave_out(struct cbn_catalog_entries *entries, const char *path, cubinet_status status)
{
    struct cbn_catalog_entry entry = {
        .path = strdup(path), .status = status, .reason = strdup(cubinet_error_message())};
    if (!entry.path || !entry.reason) {
        entry_free(&entry);
        return cbn_error_memory();
    }
    return push(entries, entry);
}

static cubinet_status add_archive(struct cbn_catalog_entries *entries, const char *path,
                                  const cubinet_archive_options *options)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = cbn_archive_open_mapped(path, options, &archive);
    if (status == CUBINET_ERROR_OUT_OF_MEMORY || status == CUBINET_ERROR_INVALID_ARGUMENT) {
        return status;
    }
    if (status) {
        return leave_out(entries, path, status);
    }
    struct cbn_catalog_entry entry = {.path = strdup(path), .archive = archive};
    if (!entry.path) {
        entry_free(&entry);
        return cbn_error_memory();
    }
    return push(entries, entry);
}

/* A name that starts with a dot is that of a file that is being written. */
static int is_archive_name(const struct dirent *file)
{
    size_t size = strlen(file->d_name);
    return file->d_name[0] != '.' && size >= sizeof(suffix) &&
           strcmp(file->d_name + size - (sizeof(suffix) - 1), suffix) == 0;
}

/* Unlike alphasort() the same in every locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static cubinet_status add_named(struct cbn_catalog_entries *entries, const char *folder, const char *name,
                                const cubinet_archive_options *options)
{
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", folder, slash, name) < 0) {
        return cbn_error_memory();
    }
    cubinet_status status = add_archive(entries, path, options);
    free(path);
    return status;
}

static cubinet_status add_folder(struct cbn_catalog_entries *entries, const char *folder,
                                 const cubinet_archive_options *options)
{
    struct dirent **files = NULL;
    int count = scandir(folder, &files, is_archive_name, by_bytes);
    if (count < 0 && errno == ENOMEM) {
        return cbn_error_memory();
    }
    if (count <= 0) {
        free(files);
        cubinet_status status =
            count < 0
                ? cbn_error(CUBINET_ERROR_IO, "the folder '%s' cannot be read: %s", folder, strerror(errno))
                : cbn_error(CUBINET_ERROR_NOT_FOUND, "the folder '%s' has no archive in it (*%s)", folder,
                            suffix);
        return leave_out(entries, folder, status);
    }
    cubinet_status status = CUBINET_OK;
    for (int i = 0; i < count; i++) {
        if (!status) {
            status = add_named(entries, folder, files[i]->d_name, options);
        }
        free(files[i]);
    }
    free(files);
    return status;
}

static cubinet_status add_place(struct cbn_catalog_entries *entries, const char *path,
                                const cubinet_archive_options *options)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        return add_folder(entries, path, options);
    }
    return add_archive(entries, path, options);
}

static cubinet_status add_near(struct cbn_catalog_entries *entries, const char *path, const char *file,
                               const cubinet_archive_options *options)
{
    char *place = malloc(PATH_MAX); /* not on the stack of a thread that may have little */
    if (!place) {
        return cbn_error_memory();
    }
    cubinet_status status = CUBINET_OK;
    if (cbn_path_near(file, path, strlen(path), place)) {
        status = add_place(entries, place, options);
    } else {
        status = cbn_error(CUBINET_ERROR_IO, "'%s' cannot be opened: %s", path, strerror(ENAMETOOLONG));
        status = leave_out(entries, path, status);
    }
    free(place);
    return status;
}

cubinet_status cbn_catalog_entries_add(struct cbn_catalog_entries *entries, const char *paths,
                                       const char *file, const cubinet_archive_options *options)
{
    cubinet_status status = CUBINET_OK;
    const char *rest = paths;
    const char *start = NULL;
    size_t size = 0;
    while (!status && cbn_next_path(&rest, &start, &size)) {
        if (size == 0 && !file) {
            continue;
        }
        char *path = strndup(start, size);
        if (!path) {
            return cbn_error_memory();
        }
        status = file ? add_near(entries, path, file, options) : add_place(entries, path, options);
        free(path);
    }
    return status;
}
