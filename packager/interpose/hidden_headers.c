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
    bool is_toolkits;
    bool is_wrapper; /* of one of the toolkit's */
};

static struct {
    pthread_mutex_t lock;
    bool is_on;
    struct hidden_headers headers;
    struct open_file open[DEEPEST];
    size_t depth;
    char *found[DEEPEST]; /* paths of those that only some files find, and one found */
    size_t found_count;
} hidden = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void forget_found(void)
{
    while (hidden.found_count > 0) {
        free(hidden.found[--hidden.found_count]);
    }
}

void hidden_headers_start(const struct hidden_headers *headers)
{
    pthread_mutex_lock(&hidden.lock);
    hidden.is_on = true;
    hidden.headers = *headers;
    hidden.depth = 0;
    forget_found();
    pthread_mutex_unlock(&hidden.lock);
}

void hidden_headers_stop(void)
{
    pthread_mutex_lock(&hidden.lock);
    hidden.is_on = false;
    forget_found();
    pthread_mutex_unlock(&hidden.lock);
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
        return !host_only_folder() || (asks && asks->is_toolkits && !asks->is_wrapper);
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

static bool was_found(const char *path)
{
    for (size_t i = 0; i < hidden.found_count; i++) {
        if (strcmp(hidden.found[i], path) == 0) {
            return true;
        }
    }
    return false;
}

/* What is deep within others NVRTC closes while it reads what that includes, and opens it again without a
 * look at it before. By then it can't be told who asks. */
bool hidden_headers_hides_opening(const char *path)
{
    pthread_mutex_lock(&hidden.lock);
    bool is_hidden = hidden.is_on && hides(path) && !was_found(path);
    pthread_mutex_unlock(&hidden.lock);
    return is_hidden;
}

static void note_found(const char *path)
{
    const char *toolkits = name_in_toolkit(path);
    bool is_for_some = toolkits ? is_hosts(toolkits) : name_in(path, hidden.headers.shipped) != NULL;
    if (is_for_some && hidden.found_count < DEEPEST && !was_found(path)) {
        char *copy = strdup(path);
        hidden.found[hidden.found_count] = copy;
        hidden.found_count += copy != NULL;
    }
}

void hidden_headers_opened(const char *path, const FILE *stream)
{
    pthread_mutex_lock(&hidden.lock);
    if (hidden.is_on) {
        note_found(path);
    }
    if (hidden.is_on && hidden.depth < DEEPEST) {
        bool is_wrapper = name_in_shipped(path, "cuda") != NULL;
        bool is_toolkits = is_wrapper || name_in_toolkit(path) || name_in_shipped(path, "toolkit_only");
        hidden.open[hidden.depth++] = (struct open_file){stream, is_toolkits, is_wrapper};
    }
    pthread_mutex_unlock(&hidden.lock);
}

void hidden_headers_closed(const FILE *stream)
{
    pthread_mutex_lock(&hidden.lock);
    for (size_t i = hidden.depth; i > 0; i--) {
        if (hidden.open[i - 1].stream == stream) {
            memmove(&hidden.open[i - 1], &hidden.open[i], (hidden.depth - i) * sizeof(hidden.open[0]));
            hidden.depth--;
            break;
        }
    }
    pthread_mutex_unlock(&hidden.lock);
}
