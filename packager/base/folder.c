/* SPDX-License-Identifier: Apache-2.0 */
#include "base/folder.h"

#include "loader/core/support/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool folder_is(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

cubinet_status folder_make(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && folder_is(path))) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_IO, "cannot make the folder '%s': %s", path,
                     errno == EEXIST ? "it is a file" : strerror(errno));
}

cubinet_status folder_make_all(const char *path)
{
    char *part = strdup(path);
    cubinet_status status = part ? CUBINET_OK : cbn_error_memory();
    for (char *slash = part; !status && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        status = folder_make(part);
        *slash = '/';
    }
    free(part);
    return status ? status : folder_make(path);
}
