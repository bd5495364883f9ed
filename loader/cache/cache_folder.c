/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITABLE_BY_OTHERS = S_IWGRP | S_IWOTH };

static cubinet_status __attribute__((format(printf, 3, 4)))
fail(char **out_problem, cubinet_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (vasprintf(out_problem, format, args) < 0) {
        *out_problem = NULL;
    }
    va_end(args);
    return status;
}

/* Creates what is missing of a path's parents, as any other folder. */
static void create_parents(const char *path)
{
    char *parent = strdup(path);
    for (char *slash = parent ? strchr(parent + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(parent, 0777);
        *slash = '/';
    }
    free(parent);
}

/* What fails here shows when the folder is opened. */
static void create(const char *path)
{
    if (mkdir(path, 0700) != 0 && errno == ENOENT) {
        create_parents(path);
        mkdir(path, 0700);
    }
}

static cubinet_status cannot_open(const char *path, char **out_problem)
{
    int reason = errno;
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        return fail(out_problem, CUBINET_ERROR_IO,
                    "the cache folder '%s' is a symbolic link, which could lead anywhere; name the folder "
                    "behind it",
                    path);
    }
    return fail(out_problem, reason == ENOENT ? CUBINET_ERROR_NOT_FOUND : CUBINET_ERROR_IO,
                "the cache folder '%s' cannot be opened: %s", path, strerror(reason));
}

static cubinet_status check(const struct stat *info, const char *path, bool shared, char **out_problem)
{
    if (!shared && info->st_uid != geteuid()) {
        return fail(out_problem, CUBINET_ERROR_IO,
                    "the cache folder '%s' belongs to user %lu, but this is user %lu; name a folder of your "
                    "own",
                    path, (unsigned long)info->st_uid, (unsigned long)geteuid());
    }
    if (info->st_mode & WRITABLE_BY_OTHERS) {
        return fail(out_problem, CUBINET_ERROR_IO,
                    "the cache folder '%s' can be written by others than its owner (mode %04o), who could "
                    "put any code there; chmod go-w '%s'",
                    path, (unsigned)info->st_mode & 07777, path);
    }
    return CUBINET_OK;
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

cubinet_status cbn_cache_folder_open(const char *path, enum cbn_cache_folder_use use,
                                     struct cbn_cache_folder *out_folder, char **out_problem)
{
    *out_problem = NULL;
    int fd = open_folder(path);
    if (fd < 0 && errno == ENOENT && use == CBN_CACHE_FOLDER_CREATE) {
        create(path);
        fd = open_folder(path);
    }
    if (fd < 0) {
        return cannot_open(path, out_problem);
    }
    struct stat info;
    cubinet_status status = fstat(fd, &info) == 0
                                ? check(&info, path, use == CBN_CACHE_FOLDER_SHARED, out_problem)
                                : cannot_open(path, out_problem);
    char *copy = status ? NULL : strdup(path);
    if (!copy) {
        close(fd);
        return status ? status : CUBINET_ERROR_OUT_OF_MEMORY;
    }
    *out_folder = (struct cbn_cache_folder){.fd = fd, .path = copy, .owner = info.st_uid};
    return CUBINET_OK;
}

void cbn_cache_folder_close(struct cbn_cache_folder *folder)
{
    if (folder->fd >= 0) {
        close(folder->fd);
    }
    free(folder->path);
    *folder = (struct cbn_cache_folder){.fd = -1};
}

bool cbn_cache_folder_trusts(const struct cbn_cache_folder *folder, const struct stat *info)
{
    return S_ISREG(info->st_mode) && info->st_uid == folder->owner && !(info->st_mode & WRITABLE_BY_OTHERS);
}
