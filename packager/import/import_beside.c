/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_beside.h"

#include "base/array.h"
#include "base/path.h"
#include "loader/core/support/error.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a name has to start with. */
struct prefix {
    const char *text;
    size_t size;
};

char *import_beside_path(const char *path, const char *name)
{
    char *text = NULL;
    int folder = (int)(path_name(path) - path);
    return asprintf(&text, "%.*s%s", folder, path, name) < 0 ? NULL : text;
}

void import_beside_free(struct import_beside *beside)
{
    for (size_t i = 0; i < beside->count; i++) {
        free(beside->files[i]);
    }
    free(beside->files);
    free(beside->folder);
    *beside = (struct import_beside){0};
}

static int compare(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static cubinet_status read_folder(struct import_beside *beside, const char *path)
{
    char *folder = import_beside_path(path, "./");
    if (!folder) {
        return cbn_error_memory();
    }
    if (beside->folder && strcmp(beside->folder, folder) == 0) {
        free(folder);
        return CUBINET_OK;
    }
    import_beside_free(beside);
    int count = scandir(folder, &beside->files, NULL, compare);
    if (count < 0) {
        cubinet_status status =
            cbn_error(CUBINET_ERROR_IO, "'%s' cannot be read: %s", folder, strerror(errno));
        free(folder);
        return status;
    }
    beside->count = (size_t)count;
    beside->folder = folder;
    return CUBINET_OK;
}

/* None is equal, so that the place is before all that start so. */
static int is_before(const void *key, const void *element)
{
    const struct prefix *prefix = key;
    const struct dirent *const *file = element;
    return strncmp(prefix->text, (*file)->d_name, prefix->size) <= 0 ? -1 : 1;
}

cubinet_status import_beside(struct import_beside *beside, const char *path, const char *prefix, size_t size,
                             cubinet_status (*take)(void *user, const char *name, const char *path),
                             void *user)
{
    const struct prefix start = {prefix, size};
    size_t i = 0;
    cubinet_status status = read_folder(beside, path);
    if (!status) {
        array_find(beside->files, beside->count, sizeof(struct dirent *), &start, is_before, &i);
    }
    for (; !status && i < beside->count && strncmp(beside->files[i]->d_name, prefix, size) == 0; i++) {
        char *file = import_beside_path(path, beside->files[i]->d_name);
        status = file ? take(user, beside->files[i]->d_name, file) : cbn_error_memory();
        free(file);
    }
    return status;
}
