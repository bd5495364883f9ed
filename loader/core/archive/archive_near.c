/* SPDX-License-Identifier: Apache-2.0 */
/* Archives whose place is known relative to the program or library that uses them. */
#include "loader/core/support/error.h"
#include "loader/core/support/path_list.h"

#include <cubinet/archive.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two paths. They would take half of a small thread's stack. */
struct room {
    char file[PATH_MAX];
    char path[PATH_MAX];
};

/* One absolute path a line, as the program looked for them. */
static cubinet_status not_found(struct room *room, const char *paths)
{
    const char *rest = paths;
    const char *name = NULL;
    size_t size = 0;
    cbn_error(CUBINET_ERROR_IO, "no archive was found at");
    while (cbn_next_path(&rest, &name, &size)) {
        bool fits = cbn_path_near(room->file, name, size, room->path);
        cbn_error(CUBINET_ERROR_IO, "%s\n  %s", cubinet_error_message(),
                  fits ? room->path : "(a path that is too long)");
    }
    return CUBINET_ERROR_IO;
}

static cubinet_status open_first(struct room *room, const char *paths, const cubinet_archive_options *options,
                                 cubinet_archive **out_archive)
{
    const char *rest = paths;
    const char *name = NULL;
    size_t size = 0;
    while (cbn_next_path(&rest, &name, &size)) {
        if (cbn_path_near(room->file, name, size, room->path) && access(room->path, F_OK) == 0) {
            return cubinet_archive_open(room->path, options, out_archive);
        }
    }
    return not_found(room, paths);
}

cubinet_status cubinet_archive_open_near(const void *address, const char *paths,
                                         const cubinet_archive_options *options,
                                         cubinet_archive **out_archive)
{
    if (!paths || !out_archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the archive's paths, or the place for it, are NULL");
    }
    struct room *room = malloc(sizeof(*room));
    if (!room) {
        return cbn_error_memory();
    }
    cubinet_status status = cbn_file_of(address, room->file);
    if (!status) {
        status = open_first(room, paths, options, out_archive);
    }
    free(room);
    return status;
}
