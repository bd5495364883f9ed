/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/path_list.h"

#include "loader/core/support/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cubinet_status cbn_file_of(const void *address, char out_file[PATH_MAX])
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
    if (!realpath(file, out_file)) {
        return cbn_error(CUBINET_ERROR_IO, "'%s', near which the archive is, was not found: %s", file,
                         strerror(errno));
    }
    return CUBINET_OK;
}

bool cbn_next_path(const char **list, const char **out_path, size_t *out_size)
{
    if (!*list) {
        return false;
    }
    *out_path = *list;
    *out_size = strcspn(*list, ":");
    *list = (*list)[*out_size] == ':' ? *list + *out_size + 1 : NULL;
    return true;
}

bool cbn_path_near(const char *file, const char *path, size_t size, char out_path[PATH_MAX])
{
    size_t folder_size = (size_t)(strrchr(file, '/') + 1 - file);
    int written;
    if (size == 0) {
        written = snprintf(out_path, PATH_MAX, "%s", file);
    } else if (path[0] == '/') {
        written = snprintf(out_path, PATH_MAX, "%.*s", (int)size, path);
    } else {
        written = snprintf(out_path, PATH_MAX, "%.*s%.*s", (int)folder_size, file, (int)size, path);
    }
    return written >= 0 && written < PATH_MAX;
}
