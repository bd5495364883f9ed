/* SPDX-License-Identifier: Apache-2.0 */
/* Archives whose place is known relative to the program or library that uses them. */
#include "loader/core/support/error.h"
#include "loader/core/support/path_list.h"

#include <cubinet/archive.h>

#include <string.h>
#include <unistd.h>

cubinet_status cubinet_archive_open_near(const void *address, const char *paths,
                                         const cubinet_archive_options *options,
                                         cubinet_archive **out_archive)
{
    if (!paths || !out_archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the archive's paths, or the place for it, are NULL");
    }
    char file[PATH_MAX];
    cubinet_status status = cbn_file_of(address, file);
    if (status) {
        return status;
    }
    const char *rest = paths;
    const char *name = NULL;
    size_t size = 0;
    while (cbn_next_path(&rest, &name, &size)) {
        char path[PATH_MAX];
        if (cbn_path_near(file, name, size, path) && access(path, F_OK) == 0) {
            return cubinet_archive_open(path, options, out_archive);
        }
    }
    strrchr(file, '/')[1] = '\0';
    return cbn_error(CUBINET_ERROR_IO, "there is no archive at '%s', seen from %s", paths, file);
}
