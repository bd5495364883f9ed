/* SPDX-License-Identifier: Apache-2.0 */
#include "file.h"

#include "atomic_file.h"
#include "buffer.h"
#include "error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cubinet_status fail(const char *path)
{
    return cbn_error(CUBINET_ERROR_IO, "cannot read '%s': %s", path, strerror(errno));
}

cubinet_status file_read(const char *path, char **out_data, size_t *out_size)
{
    FILE *file = fopen(path, "rbe");
    if (!file) {
        return fail(path);
    }
    struct buffer buffer = {0};
    char chunk[16384];
    size_t got;
    while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0) {
        buffer_append(&buffer, chunk, got);
    }
    if (ferror(file)) {
        cubinet_status status = fail(path);
        fclose(file);
        buffer_free(&buffer);
        return status;
    }
    fclose(file);
    size_t size = buffer.size;
    char *data = buffer_take(&buffer);
    if (!data) {
        return cbn_error_memory();
    }
    *out_data = data;
    *out_size = size;
    return CUBINET_OK;
}

cubinet_status file_sha256(const char *path, struct cbn_sha256 *out_digest)
{
    FILE *file = fopen(path, "rbe");
    if (!file) {
        return fail(path);
    }
    struct cbn_sha256_state state;
    char chunk[16384];
    size_t got;
    cbn_sha256_start(&state);
    while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0) {
        cbn_sha256_add(&state, chunk, got);
    }
    cubinet_status status = ferror(file) ? fail(path) : CUBINET_OK;
    fclose(file);
    if (status == CUBINET_OK) {
        *out_digest = cbn_sha256_finish(&state);
    }
    return status;
}

cubinet_status file_replace_how(const char *path, const void *data, size_t size, unsigned how)
{
    struct atomic_file file;
    cubinet_status status = atomic_file_open(path, &file);
    if (status != CUBINET_OK) {
        return status;
    }
    if (fwrite(data, 1, size, file.stream) != size) {
        status = atomic_file_error(path);
        atomic_file_discard(&file);
        return status;
    }
    return atomic_file_commit(&file, how);
}

cubinet_status file_replace(const char *path, const void *data, size_t size)
{
    return file_replace_how(path, data, size, 0);
}

cubinet_status file_replace_if_different(const char *path, const void *data, size_t size)
{
    return file_replace_how(path, data, size, ATOMIC_FILE_KEEP_IF_EQUAL);
}
