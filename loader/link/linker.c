/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/linker.h"

#include "loader/core/select/compat.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text_list.h"
#include "loader/core/support/text_stream.h"
#include "loader/link/linker_search.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cbn_linker {
    struct cbn_linker *next; /* the one looked at after this */
    char *path;
    struct cbn_library_build build;
    struct cbn_nvjitlink nvjitlink; /* once it is open */
    bool is_open;
};

/* Guards the lists and what is in them. Linkers are never freed: links of any thread may use them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cbn_linker *by_path;  /* those that were named, in any order */
static struct cbn_text_list found;  /* files, in the order of the search */
static size_t looked_at;            /* how many of them */
static struct cbn_linker *searched; /* those that are of use, in the same order */
static struct cbn_linker **searched_end = &searched;
static struct cbn_text_list attempts; /* of the search, a line each */
static bool was_searched;

static void linker_free(struct cbn_linker *linker)
{
    if (linker) {
        cbn_nvjitlink_close(&linker->nvjitlink);
        free(linker->path);
        free(linker);
    }
}

/* Opens the library. The message of a failure names it. */
static cubinet_status open_library(const char *path, struct cbn_nvjitlink *out_nvjitlink)
{
    const struct cbn_library_search search = {
        .what = "nvJitLink",
        .path = path,
        .stays = true,
    };
    return cbn_nvjitlink_open(&search, out_nvjitlink);
}

static cubinet_status read_build(struct cbn_linker *linker)
{
    if (!cbn_library_build_read(linker->path, &linker->build)) {
        if (errno == ENOMEM) {
            return cbn_error_memory();
        }
        return cbn_error(CUBINET_ERROR_TOOLKIT, "%s: %s", linker->path,
                         errno == ENOEXEC ? "it is not a shared library" : strerror(errno));
    }
    return CUBINET_OK;
}

/* A name without a folder is for the dynamic loader to find, and a library whose names do not tell its
 * release has to be asked: both are opened. */
static cubinet_status fill(struct cbn_linker *linker, const char *path)
{
    bool is_name = !strchr(path, '/');
    cubinet_status status = CUBINET_OK;
    if (is_name) {
        status = open_library(path, &linker->nvjitlink);
        linker->is_open = !status;
    }
    if (!status) {
        linker->path = strdup(is_name ? linker->nvjitlink.library.path : path);
        status = linker->path ? read_build(linker) : cbn_error_memory();
    }
    if (!status && !linker->is_open && linker->build.release == 0) {
        status = open_library(linker->path, &linker->nvjitlink);
        linker->is_open = !status;
    }
    if (!status && linker->is_open) {
        linker->build.release = (uint32_t)linker->nvjitlink.version;
    }
    return status;
}

/* A linker of a file, not in any list yet. */
static cubinet_status look_at(const char *path, struct cbn_linker **out_linker)
{
    struct cbn_linker *linker = calloc(1, sizeof(*linker));
    cubinet_status status = linker ? fill(linker, path) : cbn_error_memory();
    if (status) {
        linker_free(linker);
        return status;
    }
    *out_linker = linker;
    return CUBINET_OK;
}

static bool fits(const struct cbn_linker *linker, const struct cbn_linker_need *need)
{
    uint32_t release = linker->build.release;
    bool is_new_enough = !need->floor || (release / 1000 == need->floor / 1000 && release >= need->floor);
    bool is_loadable = !need->driver || release / 1000 <= need->driver / 1000;
    return is_new_enough && is_loadable && cbn_release_targets(release, need->compute);
}

/* The list's element of that path; NULL if there is none. */
static struct cbn_linker *find_path(struct cbn_linker *list, const char *path)
{
    while (list && strcmp(list->path, path) != 0) {
        list = list->next;
    }
    return list;
}

/* With the lock held. */
static cubinet_status find_named(const char *path, const char *from, struct cbn_linker **out_linker)
{
    struct cbn_linker *linker = find_path(by_path, path);
    if (!linker) {
        cubinet_status status = look_at(path, &linker);
        if (status) {
            return cbn_error_context(status, "%s, which %s names as nvJitLink, cannot be used", path, from);
        }
        linker->next = by_path;
        by_path = linker;
    }
    *out_linker = linker;
    return CUBINET_OK;
}

/* Looks at the next file that the search named; `*out_linker` is NULL if it is of no use. With the lock held.
 */
static cubinet_status look_at_next(struct cbn_linker **out_linker)
{
    const char *path = found.items[looked_at];
    struct cbn_linker *linker = NULL;
    cubinet_status status = look_at(path, &linker);
    if (status == CUBINET_ERROR_TOOLKIT) {
        cbn_text_list_add(&attempts, cubinet_error_message());
        status = CUBINET_OK;
    }
    if (status) {
        return status;
    }
    looked_at++;
    if (linker) {
        *searched_end = linker;
        searched_end = &linker->next;
    }
    *out_linker = linker;
    return CUBINET_OK;
}

static cubinet_status search(void)
{
    struct cbn_text_list paths = {0};
    struct cbn_text_list places = {0};
    cubinet_status status = cbn_linker_search(&paths, &places);
    if (status) {
        cbn_text_list_free(&paths);
        cbn_text_list_free(&places);
        return status;
    }
    found = paths;
    attempts = places;
    was_searched = true;
    return CUBINET_OK;
}

static cubinet_status none_found(void)
{
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    for (size_t i = 0; file && i < attempts.count; i++) {
        fprintf(file, "\n  %s", attempts.items[i]);
    }
    char *list = file ? cbn_text_stream_close(&stream) : NULL;
    if (!list) {
        return cbn_error_memory();
    }
    cbn_error(CUBINET_ERROR_TOOLKIT,
              "nvJitLink, which links LTO-IR, is not on this machine; a CUDA toolkit or the package "
              "nvidia-nvjitlink has it, and CUBINET_NVJITLINK names one; tried:%s",
              list);
    free(list);
    return CUBINET_ERROR_TOOLKIT;
}

/* The first of the search that fits, or else the first. Files are looked at only until one fits. With the
 * lock held. */
static cubinet_status choose(const struct cbn_linker_need *need, struct cbn_linker **out_linker,
                             bool *out_fits)
{
    cubinet_status status = CUBINET_OK;
    struct cbn_linker *linker = searched;
    while (linker && !fits(linker, need)) {
        linker = linker->next;
    }
    while (!linker && looked_at < found.count && !status) {
        status = look_at_next(&linker);
        linker = linker && fits(linker, need) ? linker : NULL;
    }
    *out_fits = linker != NULL;
    *out_linker = linker ? linker : searched;
    return status;
}

/* With the lock held. */
static cubinet_status find(const struct cbn_linker_need *need, struct cbn_linker **out_linker, bool *out_fits)
{
    const char *environment = secure_getenv("CUBINET_NVJITLINK");
    if (need->path || (environment && environment[0])) {
        cubinet_status status = find_named(need->path ? need->path : environment,
                                           need->path ? "the program" : "CUBINET_NVJITLINK", out_linker);
        if (!status) {
            *out_fits = fits(*out_linker, need);
        }
        return status;
    }
    cubinet_status status = was_searched ? CUBINET_OK : search();
    if (!status) {
        status = choose(need, out_linker, out_fits);
    }
    if (!status && !*out_linker) {
        status = none_found();
    }
    return status;
}

cubinet_status cbn_linker_find(const struct cbn_linker_need *need, const struct cbn_linker **out_linker,
                               bool *out_fits)
{
    struct cbn_linker *linker = NULL;
    bool does_fit = false;
    pthread_mutex_lock(&lock);
    cubinet_status status = find(need, &linker, &does_fit);
    pthread_mutex_unlock(&lock);
    if (!status) {
        *out_linker = linker;
        *out_fits = does_fit;
    }
    return status;
}

/* With the lock held. What is open has to be what was found, or a cache would have it under a wrong name. */
static cubinet_status open_found(struct cbn_linker *linker)
{
    struct cbn_nvjitlink nvjitlink;
    struct cbn_library_build now = {0};
    cubinet_status status = open_library(linker->path, &nvjitlink);
    if (status) {
        return status;
    }
    bool is_read = cbn_library_build_read(linker->path, &now);
    if (!is_read && errno == ENOMEM) {
        cbn_nvjitlink_close(&nvjitlink);
        return cbn_error_memory();
    }
    if ((uint32_t)nvjitlink.version != linker->build.release || !is_read ||
        memcmp(&now.identity, &linker->build.identity, sizeof(now.identity)) != 0) {
        cbn_nvjitlink_close(&nvjitlink);
        return cbn_error(CUBINET_ERROR_TOOLKIT,
                         "%s was replaced by another nvJitLink while this program runs: start it again",
                         linker->path);
    }
    linker->nvjitlink = nvjitlink;
    linker->is_open = true;
    return CUBINET_OK;
}

cubinet_status cbn_linker_open(const struct cbn_linker *linker, const struct cbn_nvjitlink **out_nvjitlink)
{
    /* Programs see linkers that never change; whether one is open is not part of that. */
    struct cbn_linker *opened = (struct cbn_linker *)linker;
    pthread_mutex_lock(&lock);
    cubinet_status status = opened->is_open ? CUBINET_OK : open_found(opened);
    pthread_mutex_unlock(&lock);
    if (!status) {
        *out_nvjitlink = &opened->nvjitlink;
    }
    return status;
}

const char *cbn_linker_path(const struct cbn_linker *linker)
{
    return linker->path;
}

uint32_t cbn_linker_release(const struct cbn_linker *linker)
{
    return linker->build.release;
}

struct cbn_sha256 cbn_linker_identity(const struct cbn_linker *linker)
{
    return linker->build.identity;
}
