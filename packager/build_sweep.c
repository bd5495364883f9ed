/* SPDX-License-Identifier: Apache-2.0 */
#include "build_sweep.h"

#include "build_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Whether a file's name is that of a precompiled header for the architecture, or starts with it: its data. */
static bool is_for(const char *name, cubinet_target target)
{
    char text[CUBINET_TARGET_NAME_SIZE];
    cubinet_target_name(target, text);
    const char *rest = name + strlen(BUILD_PCH_PREFIX);
    size_t size = strlen(text);
    return strncmp(rest, text, size) == 0 && (rest[size] == '\0' || rest[size] == '.');
}

static bool is_made(const char *name, const struct build_request *request, const struct build_plan *plan)
{
    for (size_t i = 0; request->headers.count > 0 && i < plan->images.virtual_count; i++) {
        if (is_for(name, plan->images.virtuals[i].target)) {
            return true;
        }
    }
    return false;
}

void build_sweep(const struct build_request *request, const struct build_plan *plan)
{
    static const char start[] = BUILD_PCH_PREFIX "compute_";
    DIR *folder = opendir(request->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *name = entry->d_name;
        size_t size = strlen(name);
        bool is_object = size > strlen(".cubinet") && strstr(name, ".cubinet");
        if (strncmp(name, start, strlen(start)) == 0 && !is_object && !is_made(name, request, plan)) {
            unlinkat(dirfd(folder), name, 0);
        }
    }
    if (folder) {
        closedir(folder);
    }
}
