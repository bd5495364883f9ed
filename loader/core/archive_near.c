/* SPDX-License-Identifier: Apache-2.0 */
/* Archives whose place is known relative to the program or library that uses them. */
#include "error.h"

#include <cubinet/archive.h>

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets `out_folder` to the folder of the file that an address was loaded from, with a slash at its end. */
static cubinet_status folder_of(const void *address, char out_folder[PATH_MAX])
{
    const char *name = "";
    if (address) {
        Dl_info info;
        struct link_map *map = NULL;
        if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                             "the address is of no program or library; give that of a function or a static "
                             "variable, or NULL for the program");
        }
        name = map->l_name;
    }
    /* The program has no name in this list, and the one that it was started with may be anything. */
    const char *file = name[0] ? name : "/proc/self/exe";
    if (!realpath(file, out_folder)) {
        return cbn_error(CUBINET_ERROR_IO, "'%s', near which the archive is, was not found: %s", file,
                         strerror(errno));
    }
    strrchr(out_folder, '/')[1] = '\0';
    return CUBINET_OK;
}

/* Takes the first path off a list, and writes it as one that does not depend on the working folder.
 * False if it is too long. */
static bool next_path(const char **list, const char *folder, char out_path[PATH_MAX])
{
    size_t size = strcspn(*list, ":");
    int written = snprintf(out_path, PATH_MAX, "%s%.*s", **list == '/' ? "" : folder, (int)size, *list);
    *list += size + ((*list)[size] == ':');
    return written >= 0 && written < PATH_MAX;
}

cubinet_status cubinet_archive_open_near(const void *address, const char *paths,
                                         const cubinet_archive_options *options,
                                         cubinet_archive **out_archive)
{
    if (!paths || !out_archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the archive's paths, or the place for it, are NULL");
    }
    char folder[PATH_MAX];
    cubinet_status status = folder_of(address, folder);
    if (status) {
        return status;
    }
    char path[PATH_MAX];
    for (const char *rest = paths; *rest;) {
        if (next_path(&rest, folder, path) && access(path, F_OK) == 0) {
            return cubinet_archive_open(path, options, out_archive);
        }
    }
    return cbn_error(CUBINET_ERROR_IO, "there is no archive at '%s', seen from %s", paths, folder);
}
