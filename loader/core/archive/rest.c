/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/rest.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cbn_archive_is_sliced(const cubinet_archive *archive)
{
    return cbn_archive_property(archive, CBN_PROPERTY_USED) != NULL;
}

/* Whether a JSON string, after its quote, is the text; `*end` is where it ends. */
static bool is_string(const char *json, const char *text, const char **end)
{
    bool is_equal = true;
    for (; *json && *json != '"'; json++) {
        json += json[0] == '\\' && json[1] ? 1 : 0;
        is_equal = is_equal && *text == *json;
        text += *text ? 1 : 0;
    }
    *end = json;
    return is_equal && *text == '\0';
}

bool cbn_archive_left_out(const cubinet_archive *archive, const char *module)
{
    const char *list = cbn_archive_property(archive, CBN_PROPERTY_LEFT_OUT);
    while (list && (list = strchr(list, '"'))) {
        if (is_string(list + 1, module, &list)) {
            return true;
        }
        list += *list ? 1 : 0;
    }
    return false;
}

cubinet_status cbn_archive_was_left_out(const cubinet_archive *archive, const char *what, const char *name)
{
    const char *rest = cbn_archive_property(archive, CBN_PROPERTY_REST);
    const char *file = rest ? strchr(rest, ' ') : NULL;
    const char *date = cbn_archive_property(archive, CBN_PROPERTY_USED);
    return cbn_error(CUBINET_ERROR_NOT_FOUND,
                     "%s '%s' was left out of %s: it was not used in the record of %s; %s%s%s", what, name,
                     archive->name, date ? date : "an unknown date",
                     file ? "the rest, '"
                          : "use the whole archive, slice it with a record of a run that uses "
                            "it, or ship the rest too (`cubinet slice --rest`)",
                     file ? file + 1 : "", file ? "', does not have it either" : "");
}

/* Whether the archive is the one of what was left out of the other. A rest that names one itself could lead
 * in a circle. */
static bool is_rest(const cubinet_archive *rest, const char *identity, size_t size)
{
    const char *of = cbn_archive_property(rest, CBN_PROPERTY_REST_OF);
    return of && strlen(of) == size && memcmp(of, identity, size) == 0 &&
           !cbn_archive_property(rest, CBN_PROPERTY_REST);
}

void cbn_archive_offer_rest(cubinet_archive *archive, const cubinet_archive *rest)
{
    const char *named = cbn_archive_property(archive, CBN_PROPERTY_REST);
    if (named && !atomic_load(&archive->rest) && is_rest(rest, named, strcspn(named, " "))) {
        atomic_store(&archive->rest, cbn_archive_retain(rest));
    }
}

/* The path of a file in the folder of the archive, which the caller frees, or NULL: an archive in memory has
 * none, and a name that is not just a name is not followed. */
static cubinet_status path_beside(const cubinet_archive *archive, const char *file, char **out_path)
{
    char *path = cbn_archive_path(archive);
    cubinet_status status = path ? CUBINET_OK : cbn_error_memory();
    *out_path = NULL;
    if (path && *path && *file && !strchr(file, '/')) {
        char *slash = strrchr(path, '/');
        int folder = slash ? (int)(slash + 1 - path) : 0;
        if (asprintf(out_path, "%.*s%s", folder, path, file) < 0) {
            *out_path = NULL;
            status = cbn_error_memory();
        }
    }
    free(path);
    return status;
}

static cubinet_status open_rest(const cubinet_archive *archive, const char *named, cubinet_archive **out_rest)
{
    size_t size = strcspn(named, " ");
    const char *file = named[size] ? named + size + 1 : "";
    char *path = NULL;
    cubinet_status status = path_beside(archive, file, &path);
    if (status) {
        return status;
    }
    if (!path) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND,
                         "what was left out of %s is in '%s', which only a catalog can find", archive->name,
                         file);
    }
    cubinet_archive *rest = NULL;
    status = cbn_archive_open_like(archive, path, &rest);
    if (status) {
        status = cbn_error_context(status, "what was left out of %s is in '%s'", archive->name, file);
    } else if (!is_rest(rest, named, size)) {
        cubinet_archive_close(rest);
        status =
            cbn_error(CUBINET_ERROR_OTHER_VERSION,
                      "'%s' is not what was left out of %s: another slice wrote it", path, archive->name);
    } else {
        *out_rest = rest;
    }
    free(path);
    return status;
}

cubinet_status cbn_archive_rest(const cubinet_archive *archive, const cubinet_archive **out_rest)
{
    /* Programs see archives that never change: a rest that is opened late is not part of that. */
    _Atomic(struct cubinet_archive *) *place = &((cubinet_archive *)archive)->rest;
    struct cubinet_archive *rest = atomic_load_explicit(place, memory_order_acquire);
    const char *named = rest ? NULL : cbn_archive_property(archive, CBN_PROPERTY_REST);
    if (named) {
        cubinet_archive *fresh = NULL;
        cubinet_status status = open_rest(archive, named, &fresh);
        if (status) {
            return status;
        }
        if (atomic_compare_exchange_strong_explicit(place, &rest, fresh, memory_order_acq_rel,
                                                    memory_order_acquire)) {
            rest = fresh;
        } else {
            cubinet_archive_close(fresh);
        }
    }
    *out_rest = rest;
    return CUBINET_OK;
}
