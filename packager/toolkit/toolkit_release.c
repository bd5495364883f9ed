/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/toolkit_release.h"

#include "loader/core/support/directory.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether a file beside the library `name` has a name with the library's major version and more. */
static bool tells_release(const char *file, const char *name)
{
    static const char nvrtc[] = "libnvrtc.so.";
    static const char builtins[] = "libnvrtc-builtins.so.";
    size_t size = strlen(name);
    if (starts_with(file, name) && file[size] == '.') {
        return true;
    }
    if (!starts_with(name, nvrtc) || !starts_with(file, builtins)) {
        return false;
    }
    const char *major = name + strlen(nvrtc);
    const char *release = file + strlen(builtins);
    return starts_with(release, major) && release[strlen(major)] == '.';
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A folder that may not be listed tells no names. */
static cubinet_status list_failed(const char *folder)
{
    return errno == EACCES || errno == ENOENT || errno == ENOTDIR
               ? CUBINET_OK
               : cbn_error(errno == ENOMEM ? CUBINET_ERROR_OUT_OF_MEMORY : CUBINET_ERROR_IO,
                           "cannot list the folder '%s': %s", folder, strerror(errno));
}

/* Adds the files of a folder, which is prepended to their names unless the library was named without one. */
static cubinet_status add_files(const char *folder, const char *prefix, const char *name,
                                struct cbn_text_list *paths)
{
    cubinet_status status = CUBINET_OK;
    DIR *directory = opendir(folder);
    if (!directory) {
        return list_failed(folder);
    }
    for (const struct dirent *found; !status && (found = cbn_next_entry(directory));) {
        if (tells_release(found->d_name, name)) {
            status = cbn_text_list_addf(paths, "%s%s", prefix, found->d_name);
        }
    }
    if (!status && errno) {
        status = list_failed(folder);
    }
    closedir(directory);
    return status;
}

cubinet_status toolkit_release_add(const char *library, struct cbn_text_list *paths)
{
    const char *slash = strrchr(library, '/');
    size_t before = paths->count;
    char *folder = slash ? strndup(library, (size_t)(slash - library) + 1) : strdup("./");
    if (!folder) {
        return cbn_error_memory();
    }
    cubinet_status status = add_files(folder, slash ? folder : "", slash ? slash + 1 : library, paths);
    free(folder);
    if (paths->count > before) {
        qsort(paths->items + before, paths->count - before, sizeof(*paths->items), compare);
    }
    return status;
}
