/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/dynlib.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text_stream.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a library that was opened by its soname was found. */
static char *library_path(void *handle, const char *name)
{
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0]) {
        return strdup(map->l_name);
    }
    return strdup(name);
}

/* Opens one; on failure writes a line on it to `attempts`. */
static bool try_open(const char *name, bool stays, FILE *attempts, struct cbn_library *out_library)
{
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | (stays ? RTLD_NODELETE : 0));
    if (!handle) {
        const char *reason = dlerror();
        size_t length = strlen(name);
        if (reason && strncmp(reason, name, length) == 0 && strncmp(reason + length, ": ", 2) == 0) {
            reason += length + 2;
        }
        fprintf(attempts, "\n  %s: %s", name, reason ? reason : "cannot be opened");
        return false;
    }
    out_library->handle = handle;
    out_library->path = library_path(handle, name);
    return true;
}

/* Opens the first of the names that works; the thread's message is set only when none does. */
static cubinet_status try_all(const char *const *names, bool stays, FILE *attempts,
                              struct cbn_library *out_library)
{
    struct cbn_library library = {0};
    for (const char *const *name = names; *name; name++) {
        if (!try_open(*name, stays, attempts, &library)) {
            continue;
        }
        if (!library.path) {
            cbn_library_close(&library);
            return cbn_error_memory();
        }
        *out_library = library;
        return CUBINET_OK;
    }
    return CUBINET_ERROR_NOT_FOUND;
}

cubinet_status cbn_library_open(const struct cbn_library_search *search, cubinet_status failure,
                                struct cbn_library *out_library)
{
    const char *environment = search->environment ? secure_getenv(search->environment) : NULL;
    bool from_environment = !search->path && environment && environment[0];
    const char *only[] = {from_environment ? environment : search->path, NULL};
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    if (!file) {
        return cbn_error_memory();
    }
    cubinet_status status = try_all(only[0] ? only : search->names, search->stays, file, out_library);
    char *attempts = cbn_text_stream_close(&stream);
    if (status == CUBINET_ERROR_NOT_FOUND && !attempts) {
        status = cbn_error_memory();
    } else if (status == CUBINET_ERROR_NOT_FOUND) {
        status = cbn_error(failure, "%s cannot be opened%s%s%s%s; tried:%s", search->what,
                           from_environment ? " (set by " : "", from_environment ? search->environment : "",
                           from_environment ? ")" : "", search->advice ? search->advice : "", attempts);
    }
    free(attempts);
    return status;
}

void cbn_library_close(struct cbn_library *library)
{
    if (library->handle) {
        dlclose(library->handle);
    }
    free(library->path);
    *library = (struct cbn_library){0};
}

static cubinet_status missing(const struct cbn_library *library, const struct cbn_symbol *symbol,
                              cubinet_status failure)
{
    if (symbol->since == 0) {
        return cbn_error(failure, "%s has no function %s", library->path, symbol->name);
    }
    return cbn_error(failure, "%s has no function %s, which CUDA has had since %d.%d: it is too old",
                     library->path, symbol->name, symbol->since / 1000, symbol->since % 1000 / 10);
}

cubinet_status cbn_library_resolve(const struct cbn_library *library, const struct cbn_symbol *symbols,
                                   size_t count, void *table, cubinet_status failure)
{
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library->handle, symbols[i].name);
        if (!function && symbols[i].required) {
            return missing(library, &symbols[i], failure);
        }
        memcpy((char *)table + symbols[i].offset, &function, sizeof(function));
    }
    return CUBINET_OK;
}
