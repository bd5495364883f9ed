/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/linker_search.h"

#include "loader/core/support/error.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__aarch64__)
#define MULTIARCH   "aarch64-linux-gnu"
#define CUDA_TARGET "targets/sbsa-linux"
#else
#define MULTIARCH   "x86_64-linux-gnu"
#define CUDA_TARGET "targets/x86_64-linux"
#endif

/* The newest first: of several that could link, it makes the better code. */
static const char *const names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12"};
enum { NAME_COUNT = sizeof(names) / sizeof(names[0]) };

/* A search under way. */
struct search {
    struct cbn_text_list *paths;
    struct cbn_text_list *attempts;
};

/* Takes what lies in a folder. */
static void look_into(const struct search *search, const char *folder)
{
    bool is_found = false;
    for (size_t i = 0; i < NAME_COUNT; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, names[i]) < 0) {
            search->paths->failed = true;
            return;
        }
        if (access(path, R_OK) == 0) {
            is_found = true;
            if (!cbn_text_list_has(search->paths, path)) {
                cbn_text_list_add(search->paths, path);
            }
        }
        free(path);
    }
    if (!is_found && !cbn_text_list_has(search->attempts, folder)) {
        cbn_text_list_add(search->attempts, folder);
    }
}

__attribute__((format(printf, 2, 3))) static void look_intof(const struct search *search, const char *format,
                                                             ...)
{
    char *folder = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&folder, format, args) < 0) {
        search->paths->failed = true;
        folder = NULL;
    }
    va_end(args);
    if (folder) {
        look_into(search, folder);
        free(folder);
    }
}

static bool has_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; slash && i < NAME_COUNT; i++) {
        if (strcmp(slash + 1, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int take_if_present(struct dl_phdr_info *info, size_t size, void *user)
{
    const struct search *search = user;
    (void)size;
    if (has_name(info->dlpi_name)) {
        cbn_text_list_add(search->paths, info->dlpi_name);
    }
    return 0;
}

/* What the program, or a library of its, has loaded already. (dlopen() with RTLD_NOLOAD would look through
 * the disk for it first.) */
static void take_present(struct search *search)
{
    dl_iterate_phdr(take_if_present, search);
}

/* The folders that the dynamic loader would look into for a library of ours: LD_LIBRARY_PATH, run paths, the
 * system's. */
static void take_loader_folders(const struct search *search)
{
    Dl_info about;
    struct link_map *self = NULL;
    Dl_serinfo size;
    if (!dladdr1((const void *)names, &about, (void **)&self, RTLD_DL_LINKMAP) || !self ||
        dlinfo(self, RTLD_DI_SERINFOSIZE, &size)) {
        return;
    }
    Dl_serinfo *folders = calloc(1, size.dls_size);
    if (!folders) {
        search->paths->failed = true;
        return;
    }
    folders->dls_size = size.dls_size;
    folders->dls_cnt = size.dls_cnt;
    if (dlinfo(self, RTLD_DI_SERINFO, folders) == 0) {
        for (unsigned int i = 0; i < folders->dls_cnt; i++) {
            look_into(search, folders->dls_serpath[i].dls_name);
        }
    }
    free(folders);
}

/* The packages of an environment: those of CUDA 13 share a folder, that of CUDA 12 has one of its own. */
static void look_into_packages(const struct search *search, const char *packages)
{
    look_intof(search, "%s/nvidia/cu13/lib", packages);
    look_intof(search, "%s/nvidia/nvjitlink/lib", packages);
}

static void take_environment(const struct search *search, const char *prefix)
{
    look_intof(search, "%s/lib", prefix);
    char *libraries = NULL;
    if (asprintf(&libraries, "%s/lib", prefix) < 0) {
        search->paths->failed = true;
        return;
    }
    DIR *folder = opendir(libraries);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, "python3.", 8) == 0) {
            char *packages = NULL;
            if (asprintf(&packages, "%s/%s/site-packages", libraries, entry->d_name) < 0) {
                search->paths->failed = true;
                break;
            }
            look_into_packages(search, packages);
            free(packages);
        }
    }
    if (folder) {
        closedir(folder);
    }
    free(libraries);
}

/* The packages beside this library, where it is installed as one of them: its wheel's file is cubinet/lib. */
static void take_own_environment(const struct search *search)
{
    static const char in_package[] = "/cubinet/lib/";
    Dl_info about;
    if (!dladdr((const void *)names, &about) || !about.dli_fname) {
        return;
    }
    const char *slash = strrchr(about.dli_fname, '/');
    ptrdiff_t size = slash ? slash + 2 - about.dli_fname - (ptrdiff_t)sizeof(in_package) : -1;
    char *packages = NULL;
    if (size < 0 || strncmp(about.dli_fname + size, in_package, sizeof(in_package) - 1) != 0) {
        return;
    }
    packages = strndup(about.dli_fname, (size_t)size);
    if (!packages) {
        search->paths->failed = true;
        return;
    }
    look_into_packages(search, packages);
    free(packages);
}

static void take_environments(const struct search *search)
{
    static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *prefix = secure_getenv(variables[i]);
        if (prefix && prefix[0]) {
            take_environment(search, prefix);
        }
    }
}

static void take_system(const struct search *search)
{
    static const char *const folders[] = {
        "/usr/local/cuda/lib64",
        "/usr/local/cuda/" CUDA_TARGET "/lib",
        "/usr/local/cuda/lib",
        ("/usr/lib/" MULTIARCH),
        "/usr/lib64",
        "/usr/lib",
        "/usr/local/lib",
        "/opt/cuda/lib64",
    };
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        look_into(search, folders[i]);
    }
}

/* The file that a library was loaded from. */
static void take_loaded(const struct search *search, void *handle)
{
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0]) {
        cbn_text_list_add(search->paths, map->l_name);
    }
}

/* What only the dynamic loader's own list (ld.so.conf) leads to. */
static void ask_loader(const struct search *search)
{
    for (size_t i = 0; i < NAME_COUNT && search->paths->count == 0; i++) {
        void *handle = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
        if (handle) {
            take_loaded(search, handle);
            dlclose(handle);
        } else {
            const char *reason = dlerror();
            cbn_text_list_add(search->attempts, reason ? reason : names[i]);
        }
    }
}

cubinet_status cbn_linker_search(struct cbn_text_list *out_paths, struct cbn_text_list *attempts)
{
    struct search search = {out_paths, attempts};
    take_present(&search);
    take_loader_folders(&search);
    take_own_environment(&search);
    take_environments(&search);
    take_system(&search);
    ask_loader(&search);
    return out_paths->failed || attempts->failed ? cbn_error_memory() : CUBINET_OK;
}
