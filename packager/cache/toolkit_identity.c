/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/toolkit_identity.h"

#include "base/array.h"
#include "loader/core/support/directory.h"
#include "loader/link/library_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BUILTINS "libnvrtc-builtins.so"

struct identities {
    struct cbn_sha256 *items; /* sorted, each once */
    size_t count;
    struct stat folder; /* that was looked through last */
};

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct cbn_sha256));
}

static bool add_identity(struct identities *identities, const struct cbn_sha256 *identity)
{
    for (size_t i = 0; i < identities->count; i++) {
        if (compare(&identities->items[i], identity) == 0) {
            return true;
        }
    }
    struct cbn_sha256 *items = array_grow(identities->items, identities->count, sizeof(*items));
    if (!items) {
        return false;
    }
    items[identities->count++] = *identity;
    identities->items = items;
    qsort(items, identities->count, sizeof(*items), compare);
    return true;
}

static bool add_builtins_file(const char *folder, const char *name, struct identities *identities)
{
    char *path = NULL;
    struct cbn_sha256 build;
    if (asprintf(&path, "%s%s", folder, name) < 0) {
        return false;
    }
    /* Something else may have such a name. */
    bool is_ok = cbn_library_identity_read(path, &build)
                     ? add_identity(identities, &build)
                     : errno == ENOEXEC || errno == ENOENT || errno == EACCES;
    free(path);
    return is_ok;
}

static bool add_builtins_in(DIR *directory, const char *folder, struct identities *identities)
{
    for (const struct dirent *found; (found = cbn_next_entry(directory));) {
        if (strncmp(found->d_name, BUILTINS, strlen(BUILTINS)) == 0 &&
            !add_builtins_file(folder, found->d_name, identities)) {
            return false;
        }
    }
    return errno == 0;
}

/* Looks through a folder, if it is not the one before by another path. */
static bool add_builtins_once(DIR *directory, const char *folder, struct identities *identities)
{
    struct stat about;
    if (fstat(dirfd(directory), &about) != 0) {
        return false;
    }
    bool is_known = about.st_dev == identities->folder.st_dev && about.st_ino == identities->folder.st_ino;
    identities->folder = about;
    return is_known || add_builtins_in(directory, folder, identities);
}

/* NVRTC's builtins are a library of their own, beside it, whose name has a release that NVRTC's does not
 * always have: whatever there is counts. */
static bool find_builtins(const char *nvrtc, struct identities *identities)
{
    const char *slash = strrchr(nvrtc, '/');
    char *folder = slash ? strndup(nvrtc, (size_t)(slash - nvrtc) + 1) : strdup("./");
    DIR *directory = folder ? opendir(folder) : NULL;
    bool is_ok = directory && add_builtins_once(directory, folder, identities);
    if (directory) {
        closedir(directory);
    }
    free(folder);
    return is_ok;
}

/* They may lie beside what NVRTC's path leads to. */
static bool add_builtins(const char *nvrtc, struct cbn_cache_key *key)
{
    struct identities identities = {0};
    char *real = realpath(nvrtc, NULL);
    bool is_ok = real && find_builtins(nvrtc, &identities) && find_builtins(real, &identities);
    cbn_cache_key_add_bytes(key, "NVRTC's builtins", identities.items,
                            identities.count * sizeof(*identities.items));
    free(identities.items);
    free(real);
    return is_ok;
}

/* path: NULL if the toolkit has no such library */
static bool add_library(const char *path, const char *name, struct cbn_cache_key *key)
{
    struct cbn_sha256 build;
    if (!path) {
        cbn_cache_key_add_text(key, name, NULL);
        return true;
    }
    if (!cbn_library_identity_read(path, &build)) {
        return false;
    }
    cbn_cache_key_add_bytes(key, name, build.bytes, sizeof(build.bytes));
    return true;
}

static bool add_file(const char *path, const char *name, const struct cbn_file_digests *digests,
                     struct cbn_cache_key *key)
{
    struct stat about;
    struct cbn_sha256 digest;
    if (!path) {
        cbn_cache_key_add_text(key, name, NULL);
        return true;
    }
    if (stat(path, &about) != 0 || !cbn_file_digest(digests, path, &about, &digest)) {
        return false;
    }
    cbn_cache_key_add_bytes(key, name, digest.bytes, sizeof(digest.bytes));
    return true;
}

bool toolkit_identity_add(const struct toolkit *toolkit, const struct cbn_file_digests *digests,
                          struct cbn_cache_key *key)
{
    for (size_t i = 0; i < toolkit->include_count; i++) {
        cbn_cache_key_add_text(key, "folder of headers", toolkit->includes[i]);
    }
    return add_library(toolkit->nvrtc, "NVRTC", key) && add_builtins(toolkit->nvrtc, key) &&
           add_library(toolkit->nvjitlink, "nvJitLink", key) &&
           add_file(toolkit->ptxas, "ptxas", digests, key) &&
           add_file(toolkit->tileiras, "tileiras", digests, key) &&
           add_file(toolkit->tile_ptxas, "ptxas of tileiras", digests, key) &&
           add_library(toolkit->tile_nvvm, "libnvvm of tileiras", key) &&
           add_file(toolkit->device_runtime, "libcudadevrt.a", digests, key);
}
