/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/hidden_headers.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* Files within files beyond that many are not followed. */
enum { DEEPEST = 256 };

struct open_file {
    const FILE *stream;
    bool is_toolkits;
};

static struct {
    pthread_mutex_t lock;
    bool is_on;
    struct hidden_headers headers;
    struct open_file open[DEEPEST];
    size_t depth;
} hidden = {.lock = PTHREAD_MUTEX_INITIALIZER};

void hidden_headers_start(const struct hidden_headers *headers)
{
    pthread_mutex_lock(&hidden.lock);
    hidden.is_on = true;
    hidden.headers = *headers;
    hidden.depth = 0;
    pthread_mutex_unlock(&hidden.lock);
}

void hidden_headers_stop(void)
{
    pthread_mutex_lock(&hidden.lock);
    hidden.is_on = false;
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

static bool toolkit_asks(void)
{
    return hidden.depth > 0 && hidden.open[hidden.depth - 1].is_toolkits;
}

static bool hides(const char *path)
{
    const char *before_toolkits = name_in_shipped(path, "cuda");
    if (before_toolkits) {
        return !toolkit_has(before_toolkits);
    }
    if (toolkit_asks()) {
        return false;
    }
    const char *toolkits = name_in_toolkit(path);
    return toolkits ? hidden.headers.is_hosts(toolkits) : name_in_shipped(path, "toolkit_only") != NULL;
}

bool hidden_headers_hides(const char *path)
{
    pthread_mutex_lock(&hidden.lock);
    bool is_hidden = hidden.is_on && hides(path);
    pthread_mutex_unlock(&hidden.lock);
    return is_hidden;
}

void hidden_headers_opened(const char *path, const FILE *stream)
{
    pthread_mutex_lock(&hidden.lock);
    if (hidden.is_on && hidden.depth < DEEPEST) {
        bool is_toolkits =
            name_in_toolkit(path) || name_in_shipped(path, "cuda") || name_in_shipped(path, "toolkit_only");
        hidden.open[hidden.depth++] = (struct open_file){stream, is_toolkits};
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
