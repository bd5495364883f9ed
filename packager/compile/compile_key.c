/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_key.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <cubinet/version.h>

#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Every field has its length before it, so that two lists of fields never read the same. */
static void add_bytes(struct buffer *key, const void *bytes, size_t size)
{
    uint64_t length = size;
    buffer_append(key, &length, sizeof(length));
    buffer_append(key, bytes, size);
}

static void add_text(struct buffer *key, const char *text)
{
    add_bytes(key, text ? text : "", text ? strlen(text) : 0);
}

/* A file by its path, size and time. One that is not there has none. */
static void add_file(struct buffer *key, const char *path)
{
    struct stat about = {0};
    if (!path || stat(path, &about) != 0) {
        memset(&about, 0, sizeof(about));
    }
    int64_t numbers[] = {about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec, (int64_t)about.st_ino};
    add_text(key, path);
    add_bytes(key, numbers, sizeof(numbers));
}

/* NVRTC's folder as well: its builtins are a library of their own beside it. */
static void add_library(struct buffer *key, const char *path)
{
    add_file(key, path);
    char *copy = path ? strdup(path) : NULL;
    add_file(key, copy ? dirname(copy) : NULL);
    free(copy);
}

cubinet_status compile_key(int argc, char *const *argv, const char *working_folder,
                           const struct toolkit *toolkit, struct cbn_sha256 *out_key)
{
    struct buffer key = {0};
    add_text(&key, CUBINET_VERSION_STRING);
    add_file(&key, "/proc/self/exe");
    for (int i = 0; i < argc; i++) {
        add_text(&key, argv[i]);
    }
    add_text(&key, working_folder);
    add_text(&key, getenv("SOURCE_DATE_EPOCH"));
    add_library(&key, toolkit->nvrtc);
    add_library(&key, toolkit->nvjitlink);
    add_file(&key, toolkit->device_runtime);
    add_file(&key, toolkit->ptxas);
    add_file(&key, toolkit->tileiras);
    add_file(&key, toolkit->tile_ptxas);
    add_file(&key, toolkit->tile_nvvm);
    for (size_t i = 0; i < toolkit->include_count; i++) {
        add_file(&key, toolkit->includes[i]);
    }
    if (key.failed) {
        buffer_free(&key);
        return cbn_error_memory();
    }
    *out_key = cbn_sha256(key.data, key.size);
    buffer_free(&key);
    return CUBINET_OK;
}
