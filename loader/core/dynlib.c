/* SPDX-License-Identifier: Apache-2.0 */
#include "dynlib.h"

#include "error.h"

#include <dlfcn.h>
#include <link.h>
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

/* Opens one; on failure adds a line on it to the thread's message. */
static bool try_open(const char *name, bool stays, cubinet_status failure, struct cbn_library *out_library)
{
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | (stays ? RTLD_NODELETE : 0));
    if (!handle) {
        const char *reason = dlerror();
        size_t length = strlen(name);
        if (reason && strncmp(reason, name, length) == 0 && strncmp(reason + length, ": ", 2) == 0) {
            reason += length + 2;
        }
        cbn_error(failure, "%s\n  %s: %s", cubinet_error_message(), name,
                  reason ? reason : "cannot be opened");
        return false;
    }
    out_library->handle = handle;
    out_library->path = library_path(handle, name);
    return true;
}

cubinet_status cbn_library_open(const struct cbn_library_search *search, cubinet_status failure,
                                struct cbn_library *out_library)
{
    const char *environment = search->environment ? secure_getenv(search->environment) : NULL;
    const char *only[] = {NULL, NULL};
    const char *from = "";
    if (search->path) {
        only[0] = search->path;
    } else if (environment && environment[0]) {
        only[0] = environment;
        from = search->environment;
    }
    cbn_error(failure, "%s cannot be opened%s%s%s%s; tried:", search->what, from[0] ? " (set by " : "", from,
              from[0] ? ")" : "", search->advice ? search->advice : "");
    struct cbn_library library = {0};
    for (const char *const *name = only[0] ? only : search->names; *name; name++) {
        if (!try_open(*name, search->stays, failure, &library)) {
            continue;
        }
        if (!library.path) {
            cbn_library_close(&library);
            return cbn_error_memory();
        }
        *out_library = library;
        return CUBINET_OK;
    }
    return failure;
}

void cbn_library_close(struct cbn_library *library)
{
    if (library->handle) {
        dlclose(library->handle);
    }
    free(library->path);
    *library = (struct cbn_library){0};
}

cubinet_status cbn_library_resolve(const struct cbn_library *library, const struct cbn_symbol *symbols,
                                   size_t count, void *table, cubinet_status failure)
{
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library->handle, symbols[i].name);
        if (!function && symbols[i].required) {
            return cbn_error(failure, "%s has no function %s, which CUDA has had since %d.%d: it is too old",
                             library->path, symbols[i].name, symbols[i].since / 1000,
                             symbols[i].since % 1000 / 10);
        }
        memcpy((char *)table + symbols[i].offset, &function, sizeof(function));
    }
    return CUBINET_OK;
}
