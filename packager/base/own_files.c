/* SPDX-License-Identifier: Apache-2.0 */
#include "base/own_files.h"

#include "loader/core/support/error.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the command's file; empty if that cannot be told. */
static void read_folder(char folder[static PATH_MAX])
{
    ssize_t size = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(folder, '/');
    *(slash ? slash : folder) = '\0';
}

cubinet_status own_files_find(const struct own_files *files, char **out_path)
{
    char folder[PATH_MAX];
    read_folder(folder);
    if (!folder[0]) {
        return cbn_error(CUBINET_ERROR_IO,
                         "cannot tell where the command is, to find what is installed with it: "
                         "/proc/self/exe cannot be read");
    }
    const char *const places[] = {files->in_build, files->in_installed};
    for (size_t i = 0; i < 2; i++) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof(path), "%s/%s", folder, places[i]);
        *out_path = realpath(path, NULL);
        if (*out_path) {
            return CUBINET_OK;
        }
        if (errno != ENOENT && errno != ENOTDIR) {
            return cbn_error(CUBINET_ERROR_IO, "cannot search for '%s': %s", path, strerror(errno));
        }
    }
    return cbn_error(CUBINET_ERROR_TOOLKIT,
                     "%s neither in '%s/%s' nor in '%s/%s': run the command from where it is installed, or "
                     "install it whole%s",
                     files->what, folder, places[0], folder, places[1], files->advice);
}

char *own_python_packages(void)
{
    static const char in_package[] = "/cubinet/bin";
    char folder[PATH_MAX];
    read_folder(folder);
    size_t size = strlen(folder);
    if (size < sizeof(in_package) || strcmp(folder + size - (sizeof(in_package) - 1), in_package) != 0) {
        return NULL;
    }
    return strndup(folder, size - (sizeof(in_package) - 1));
}
