/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/output_check.h"

#include "archive/archive_inside.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

cubinet_status output_check_name(const char *path)
{
    if (strcmp(path, "-") == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "an archive is not written to standard output; './-' is a file of that name");
    }
    return CUBINET_OK;
}

/* The folder that holds a path, without a slash at its end, which the caller frees. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static cubinet_status check_folder(const char *path, const char *folder)
{
    struct stat about;
    if (stat(folder, &about) != 0) {
        return errno == ENOENT
                   ? cbn_error(CUBINET_ERROR_IO, "cannot write '%s': there is no folder '%s'", path, folder)
                   : cbn_error(CUBINET_ERROR_IO, "cannot write '%s': '%s': %s", path, folder,
                               strerror(errno));
    }
    if (!S_ISDIR(about.st_mode)) {
        return cbn_error(CUBINET_ERROR_IO, "cannot write '%s': '%s' is not a folder", path, folder);
    }
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0) {
        return cbn_error(CUBINET_ERROR_IO, "cannot write '%s': the folder '%s' accepts no files: %s", path,
                         folder, strerror(errno));
    }
    return CUBINET_OK;
}

/* Whether what the path names is in a program, which as a whole is "app" and of which an archive is
 * "app#kernels". */
static bool is_inside(const char *path, bool is_there)
{
    const char *mark = strrchr(path, '#');
    if (is_there || !mark) {
        return is_there && archive_inside(path);
    }
    char *program = strndup(path, (size_t)(mark - path));
    bool is = program && archive_inside(program);
    free(program);
    return is;
}

cubinet_status output_check(const char *path)
{
    struct stat about;
    bool is_there = stat(path, &about) == 0;
    if (is_there && S_ISDIR(about.st_mode)) {
        return cbn_error(CUBINET_ERROR_IO, "cannot write '%s': %s", path, strerror(EISDIR));
    }
    if (is_there && !S_ISREG(about.st_mode)) {
        return CUBINET_OK; /* a pipe or a device is written as it is */
    }
    if (is_inside(path, is_there)) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "cannot write '%s': it is a program or library with an archive inside, which would be "
            "lost; name another file",
            path);
    }
    char *target = is_there ? realpath(path, NULL) : NULL; /* a file behind a link is replaced where it is */
    char *folder = folder_of(target ? target : path);
    cubinet_status status = folder ? check_folder(path, folder) : cbn_error_memory();
    free(folder);
    free(target);
    return status;
}
