/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_beside.h"

#include "base/path.h"
#include "loader/core/support/error.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *import_beside_path(const char *path, const char *name)
{
    char *text = NULL;
    int folder = (int)(path_name(path) - path);
    return asprintf(&text, "%.*s%s", folder, path, name) < 0 ? NULL : text;
}

cubinet_status import_beside(const char *path,
                             cubinet_status (*take)(void *user, const char *name, const char *path),
                             void *user)
{
    char *folder = import_beside_path(path, "./");
    struct dirent **files = NULL;
    int count = folder ? scandir(folder, &files, NULL, alphasort) : -1;
    cubinet_status status = folder ? CUBINET_OK : cbn_error_memory();
    for (int i = 0; i < count; i++) {
        char *file = status ? NULL : import_beside_path(path, files[i]->d_name);
        if (!status) {
            status = file ? take(user, files[i]->d_name, file) : cbn_error_memory();
        }
        free(file);
        free(files[i]);
    }
    free(files);
    free(folder);
    return status;
}
