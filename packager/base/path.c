/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

#include <stdio.h>
#include <string.h>

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

size_t path_stem_size(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? (size_t)(dot - name) : strlen(name);
}

char *path_stem(const char *path)
{
    const char *name = path_name(path);
    return strndup(name, path_stem_size(name));
}

char *path_with_suffix(const char *path, const char *suffix)
{
    const char *name = path_name(path);
    size_t size = (size_t)(name - path) + path_stem_size(name);
    char *text = NULL;
    return asprintf(&text, "%.*s%s", (int)size, path, suffix) < 0 ? NULL : text;
}

bool path_is_versioned(const char *name)
{
    static const char mark[] = ".so.";
    const char *found = strstr(name, mark);
    const char *version = found ? found + sizeof(mark) - 1 : "";
    return version[0] != '\0' && version[strspn(version, "0123456789.")] == '\0';
}
