/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/hidden_headers.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Files within files beyond that many are not followed. */
enum { DEEPEST = 256 };

struct open_file {
    const FILE *stream;
    char *path;
    bool is_toolkits;
    bool is_wrapper; /* of one of the toolkit's */
};

static struct {
    pthread_mutex_t lock;
    bool is_on;
    struct hidden_headers headers;
    struct open_file open[DEEPEST];
    size_t depth;
    char *suspended[DEEPEST]; /* paths of those that are closed while others within them are read */
    size_t suspended_count;
} hidden = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void forget_files(void)
{
    while (hidden.depth > 0) {
        free(hidden.open[--hidden.depth].path);
    }
    while (hidden.suspended_count > 0) {
        free(hidden.suspended[--hidden.suspended_count]);
    }
}

void hidden_headers_start(const struct hidden_headers *headers)
{
    pthread_mutex_lock(&hidden.lock);
    hidden.is_on = true;
    hidden.headers = *headers;
    forget_files();
    pthread_mutex_unlock(&hidden.lock);
}

void hidden_headers_stop(void)
{
    pthread_mutex_lock(&hidden.lock);
    hidden.is_on = false;
    forget_files();
    pthread_mutex_unlock(&hidden.lock);
}

bool hidden_headers_are_on(void)
{
    pthread_mutex_lock(&hidden.lock);
    bool is_on = hidden.is_on;
    pthread_mutex_unlock(&hidden.lock);
    return is_on;
}

/* What follows a folder and a slash in a path; NULL if the path is not in the folder. */
static const char *name_in(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && path[size] == '/' ? path + size + 1 : NULL;
}

/* The same for one of the folders that are shipped. */
static const char *name_in_shipped(const char *path, const char *folder)
{
    const char *name = name_in(path, hidden.headers.shipped);
    return name ? name_in(name, folder) : NULL;
}

/* The name by which a header of the toolkit's own is included; NULL if the path is of none. */
static const char *name_in_toolkit(const char *path)
{
    for (size_t i = 0; i < hidden.headers.include_count; i++) {
        const char *name = name_in(path, hidden.headers.includes[i]);
        if (name && !name_in(path, hidden.headers.shipped)) {
            return name;
        }
    }
    return NULL;
}

static bool toolkit_has(const char *name)
{
    for (size_t i = 0; i < hidden.headers.include_count; i++) {
        char path[PATH_MAX];
        const char *folder = hidden.headers.includes[i];
        int size = snprintf(path, sizeof(path), "%s/%s", folder, name);
        if (size > 0 && (size_t)size < sizeof(path) && name_in_toolkit(path) && access(path, F_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a path is of the headers in host_only/, to which the others that are shipped refer by where they
 * lie. */
static bool is_host_only(const char *path)
{
    const char *name = name_in(path, hidden.headers.shipped);
    return name && (name_in(name, "host_only") || strstr(name, "/../host_only/"));
}

/* The folder of these if it is searched; NULL otherwise. */
static const char *host_only_folder(void)
{
    for (size_t i = 0; i < hidden.headers.include_count; i++) {
        const char *name = name_in(hidden.headers.includes[i], hidden.headers.shipped);
        if (name && strcmp(name, "host_only") == 0) {
            return hidden.headers.includes[i];
        }
    }
    return NULL;
}

/* Whether the toolkit's own headers find one in host_only/ too: there is one for them of that name. */
static bool is_for_toolkit(const char *path)
{
    char other[PATH_MAX];
    const char *name = name_in_shipped(path, "host_only");
    int size = name ? snprintf(other, sizeof(other), "%s/toolkit_only/%s", hidden.headers.shipped, name) : 0;
    return size > 0 && (size_t)size < sizeof(other) && access(other, F_OK) == 0;
}

/* Whether one of the toolkit's headers gives way to one in host_only/, or to an error. */
static bool is_hosts(const char *name)
{
    char path[PATH_MAX];
    const char *folder = host_only_folder();
    int size = folder ? snprintf(path, sizeof(path), "%s/%s", folder, name) : 0;
    bool gives_way = size > 0 && (size_t)size < sizeof(path) && access(path, F_OK) == 0;
    return gives_way || hidden.headers.is_hosts(name);
}

/* The file that asks; NULL if it is not known. */
static const struct open_file *asking(void)
{
    return hidden.depth > 0 ? &hidden.open[hidden.depth - 1] : NULL;
}

static bool hides(const char *path)
{
    const char *before_toolkits = name_in_shipped(path, "cuda");
    if (before_toolkits) {
        return !toolkit_has(before_toolkits);
    }
    const struct open_file *asks = asking();
    if (is_host_only(path)) {
        bool is_toolkit = asks && asks->is_toolkits && !asks->is_wrapper;
        return !host_only_folder() || (is_toolkit && !is_for_toolkit(path));
    }
    if (asks && asks->is_toolkits) {
        return false;
    }
    const char *toolkits = name_in_toolkit(path);
    return toolkits ? is_hosts(toolkits) : name_in_shipped(path, "toolkit_only") != NULL;
}

bool hidden_headers_hides(const char *path)
{
    pthread_mutex_lock(&hidden.lock);
    bool is_hidden = hidden.is_on && hides(path);
    pthread_mutex_unlock(&hidden.lock);
    return is_hidden;
}

static size_t find_suspended(const char *path)
{
    size_t i = 0;
    while (i < hidden.suspended_count && strcmp(hidden.suspended[i], path) != 0) {
        i++;
    }
    return i;
}

/* By the time that a file is opened again it can't be told who asked for it. And what was included by a name
 * before, NVRTC opens at once: the host's types are then declared already. */
static bool is_known(const char *path)
{
    bool is_types = is_host_only(path) && host_only_folder();
    return is_types || find_suspended(path) < hidden.suspended_count;
}

bool hidden_headers_hides_opening(const char *path)
{
    pthread_mutex_lock(&hidden.lock);
    bool is_hidden = hidden.is_on && !is_known(path) && hides(path);
    pthread_mutex_unlock(&hidden.lock);
    return is_hidden;
}

static void resume(const char *path)
{
    size_t i = find_suspended(path);
    if (i < hidden.suspended_count) {
        free(hidden.suspended[i]);
        hidden.suspended[i] = hidden.suspended[--hidden.suspended_count];
    }
}

void hidden_headers_opened(const char *path, const FILE *stream)
{
    pthread_mutex_lock(&hidden.lock);
    char *copy = hidden.is_on && hidden.depth < DEEPEST ? strdup(path) : NULL;
    if (copy) {
        bool is_wrapper = name_in_shipped(path, "cuda") != NULL;
        bool is_toolkits = is_wrapper || name_in_toolkit(path) || name_in_shipped(path, "toolkit_only");
        resume(path);
        hidden.open[hidden.depth++] = (struct open_file){stream, copy, is_toolkits, is_wrapper};
    }
    pthread_mutex_unlock(&hidden.lock);
}

/* NVRTC closes a file that is deep within others while it reads what that includes: one that is open still
 * was opened after it. */
static void close_file(size_t index)
{
    char *path = hidden.open[index].path;
    hidden.depth--;
    if (index < hidden.depth && hidden.suspended_count < DEEPEST) {
        hidden.suspended[hidden.suspended_count++] = path;
    } else {
        free(path);
    }
    memmove(&hidden.open[index], &hidden.open[index + 1], (hidden.depth - index) * sizeof(hidden.open[0]));
}

void hidden_headers_closed(const FILE *stream)
{
    pthread_mutex_lock(&hidden.lock);
    for (size_t i = hidden.depth; i > 0; i--) {
        if (hidden.open[i - 1].stream == stream) {
            close_file(i - 1);
            break;
        }
    }
    pthread_mutex_unlock(&hidden.lock);
}
