/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_settings.h"

#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_DISK_LIMIT   ((uint64_t)1 << 30)
#define DEFAULT_MEMORY_LIMIT ((uint64_t)64 << 20)
enum { DEFAULT_WAIT_LIMIT_MS = 10 * 60 * 1000, MOST_WAIT_SECONDS = 1000000 };

/* "" is how a variable or an option says: none. */
static const char *none_if_empty(const char *path)
{
    return path && path[0] ? path : NULL;
}

/* A slash at the end would have a symbolic link followed. */
static bool copy_path(const char *path, const char *below, char **out_copy)
{
    if (path && asprintf(out_copy, "%s%s", path, below) < 0) {
        *out_copy = NULL;
        return false;
    }
    if (path) {
        size_t length = strlen(*out_copy);
        while (length > 1 && (*out_copy)[length - 1] == '/') {
            (*out_copy)[--length] = '\0';
        }
    }
    return true;
}

static bool find_directory(const char *option, char **out_copy)
{
    const char *named = option ? option : secure_getenv("CUBINET_CACHE_DIR");
    if (named) {
        return copy_path(none_if_empty(named), "", out_copy);
    }
    /* A relative path is to be ignored, says the XDG Base Directory Specification. */
    const char *base = secure_getenv("XDG_CACHE_HOME");
    return copy_path(base && base[0] == '/' ? base : NULL, "/cubinet", out_copy);
}

static bool find_shared(const char *option, char **out_copy)
{
    const char *named = option ? option : secure_getenv("CUBINET_CACHE_SHARED_DIR");
    return copy_path(none_if_empty(named), "", out_copy);
}

bool cbn_cache_parse_size(const char *text, uint64_t *out_bytes)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long bytes = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    if (bytes == 0 || errno) {
        return false;
    }
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        bool binary = end[1] == 'i';
        for (const char *power = units; power <= unit; power++) {
            if (__builtin_mul_overflow(bytes, binary ? 1024 : 1000, &bytes)) {
                return false;
            }
        }
        end += binary ? 2 : 1;
    }
    if (*end) {
        return false;
    }
    *out_bytes = bytes;
    return true;
}

static bool parse_seconds(const char *text, uint32_t *out_ms)
{
    char *end;
    unsigned long seconds = isdigit((unsigned char)text[0]) ? strtoul(text, &end, 10) : 0;
    if (seconds == 0 || seconds > MOST_WAIT_SECONDS || *end) {
        return false;
    }
    *out_ms = (uint32_t)seconds * 1000;
    return true;
}

/* What the environment says, if that is not a number of seconds. */
static const char *find_wait(uint32_t *out_ms)
{
    const char *named = none_if_empty(secure_getenv("CUBINET_CACHE_WAIT"));
    *out_ms = DEFAULT_WAIT_LIMIT_MS;
    return named && !parse_seconds(named, out_ms) ? named : NULL;
}

uint32_t cbn_cache_default_wait_ms(void)
{
    uint32_t wait_ms;
    find_wait(&wait_ms);
    return wait_ms;
}

static void find_limit(uint64_t option, struct cbn_cache_settings *settings)
{
    const char *named = option ? NULL : none_if_empty(secure_getenv("CUBINET_CACHE_LIMIT"));
    settings->disk_limit = option ? option : DEFAULT_DISK_LIMIT;
    if (named && !cbn_cache_parse_size(named, &settings->disk_limit)) {
        settings->bad_limit = named;
    }
}

cubinet_status cbn_cache_settings_read(const cubinet_cache_options *options,
                                       struct cbn_cache_settings *out_settings)
{
    cubinet_status status = cbn_flags_check("cubinet_cache_options", options->flags,
                                            CUBINET_CACHE_REQUIRE_DIRECTORY | CUBINET_CACHE_NO_CREATE, 0);
    if (status) {
        return status;
    }
    struct cbn_cache_settings settings = {
        .memory_limit = options->memory_limit_bytes ? options->memory_limit_bytes : DEFAULT_MEMORY_LIMIT,
        .wait_limit_ms = options->wait_limit_ms,
    };
    if (settings.wait_limit_ms == 0) {
        settings.bad_wait = find_wait(&settings.wait_limit_ms);
    }
    find_limit(options->disk_limit_bytes, &settings);
    if (!find_directory(options->directory, &settings.directory) ||
        !find_shared(options->shared_directory, &settings.shared_directory)) {
        cbn_cache_settings_free(&settings);
        return cbn_error_memory();
    }
    *out_settings = settings;
    return CUBINET_OK;
}

void cbn_cache_settings_free(struct cbn_cache_settings *settings)
{
    free(settings->directory);
    free(settings->shared_directory);
    settings->directory = NULL;
    settings->shared_directory = NULL;
}
