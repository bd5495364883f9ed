/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/opened.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"

#include <cubinet/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char memory_name[] = "the archive in memory";

struct cubinet_archive *cbn_archive_create(const struct cbn_storage *storage, const char *path)
{
    size_t name_size = path ? strlen(path) + sizeof("''") : sizeof(memory_name);
    struct cubinet_archive *archive = calloc(1, sizeof(*archive) + name_size);
    if (!archive) {
        return NULL;
    }
    atomic_init(&archive->references, 1);
    pthread_mutex_init(&archive->holding, NULL); /* with glibc, it does not fail */
    archive->storage = *storage;
    archive->is_sound = storage->let_go != NULL;
    if (path) {
        snprintf(archive->name, name_size, "'%s'", path);
    } else {
        memcpy(archive->name, memory_name, sizeof(memory_name));
    }
    return archive;
}

cubinet_archive *cbn_archive_retain(const cubinet_archive *archive)
{
    /* Programs see archives that never change; how many use one is not part of that. */
    cubinet_archive *counted = (cubinet_archive *)archive;
    atomic_fetch_add_explicit(&counted->references, 1, memory_order_relaxed);
    return counted;
}

void cbn_archive_release(cubinet_archive *archive)
{
    if (!archive || atomic_fetch_sub_explicit(&archive->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (uint32_t i = 0; archive->pages && i < archive->page_count; i++) {
        cbn_page_free(atomic_load_explicit(&archive->pages[i], memory_order_relaxed));
    }
    cbn_archive_release(archive->rest);
    free(archive->pages);
    free(archive->owned_root);
    cbn_trust_free(archive->trust);
    cbn_unpack_spare_free(&archive->spare);
    cbn_storage_close(&archive->storage);
    pthread_mutex_destroy(&archive->holding);
    free(archive);
}

const char *cbn_archive_name(const cubinet_archive *archive)
{
    return archive->name;
}

char *cbn_archive_path(const cubinet_archive *archive)
{
    size_t size = strlen(archive->name);
    bool is_path = archive->name[0] == '\'';
    return is_path ? strndup(archive->name + 1, size - 2) : strdup("");
}

const char *cbn_archive_identity_text(const cubinet_archive *archive, char text[CBN_IDENTITY_TEXT_SIZE])
{
    for (size_t i = 0; i < CBN_DIGEST_SIZE; i++) {
        snprintf(text + 2 * i, 3, "%02x", archive->root[CBN_HEADER_ROOT_DIGEST + i]);
    }
    return text;
}

const void *cbn_archive_trusted_keys(const cubinet_archive *archive, size_t *out_size)
{
    return archive->trust ? cbn_trust_keys(archive->trust, out_size) : NULL;
}

bool cbn_archive_is_trusted(const cubinet_archive *archive)
{
    return archive->trust != NULL;
}

cubinet_status cbn_archive_refuse(const cubinet_archive *archive, cubinet_status status)
{
    switch (status) {
    case CUBINET_ERROR_DAMAGED:
        return cbn_error_context(status, "%s is damaged", archive->name);
    case CUBINET_ERROR_NEWER_FORMAT:
        return cbn_error_context(
            status, "%s needs a Cubinet newer than %s; update it, or make the archive again with this one",
            archive->name, cubinet_version());
    case CUBINET_ERROR_IO:
        return cbn_error_context(status, "%s", archive->name);
    default:
        return status;
    }
}
