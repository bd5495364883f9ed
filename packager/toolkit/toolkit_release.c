/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/toolkit_release.h"

#include "loader/core/support/error.h"

#include <dirent.h>
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

cubinet_status toolkit_release_add(const char *library, struct cbn_text_list *paths)
{
    const char *slash = strrchr(library, '/');
    size_t before = paths->count;
    char *folder = slash ? strndup(library, (size_t)(slash - library) + 1) : strdup("./");
    if (!folder) {
        return cbn_error_memory();
    }
    DIR *directory = opendir(folder);
    cubinet_status status = CUBINET_OK;
    for (const struct dirent *found; !status && directory && (found = readdir(directory));) {
        if (tells_release(found->d_name, slash ? slash + 1 : library)) {
            status = cbn_text_list_addf(paths, "%s%s", slash ? folder : "", found->d_name);
        }
    }
    if (directory) {
        closedir(directory);
    }
    free(folder);
    if (paths->count > before) {
        qsort(paths->items + before, paths->count - before, sizeof(*paths->items), compare);
    }
    return status;
}
