/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing archives, and what they say of themselves. */
#include "cbn_archive.h"
#include "elf_inside.h"
#include "error.h"
#include "opened.h"
#include "requirement.h"
#include "sized.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bytes of an archive, wherever they come from. */
struct source {
    const void *bytes;
    size_t size;
    struct cbn_mapping mapping; /* of a file, which the bytes are all or part of */
    const char *path;           /* NULL: memory of the caller's */
    /* Of sound bytes in memory, otherwise NULL. */
    void *owner;
    void (*let_go)(void *owner);
};

static const char memory_name[] = "the archive in memory";

cubinet_status cbn_archive_refuse(const cubinet_archive *archive, cubinet_status status)
{
    switch (status) {
    case CUBINET_ERROR_DAMAGED:
        return cbn_error_context(status, "%s is damaged", archive->name);
    case CUBINET_ERROR_NEWER_FORMAT:
        return cbn_error_context(status, "%s needs a newer version of Cubinet", archive->name);
    default:
        return status;
    }
}

static void unmap(const struct cbn_mapping *mapping)
{
    if (mapping->start) {
        munmap(mapping->start, mapping->size);
    }
}

static void give_back(const struct source *source)
{
    unmap(&source->mapping);
    if (source->let_go) {
        source->let_go(source->owner);
    }
}

static struct cubinet_archive *create(const struct source *source)
{
    size_t name_size = source->path ? strlen(source->path) + sizeof("''") : sizeof(memory_name);
    struct cubinet_archive *archive = calloc(1, sizeof(*archive) + name_size);
    if (!archive) {
        return NULL;
    }
    atomic_init(&archive->references, 1);
    archive->mapping = source->mapping;
    archive->is_mapped = source->mapping.start != NULL;
    archive->is_sound = source->let_go != NULL;
    archive->bytes = source->bytes;
    archive->size = source->size;
    archive->owner = source->owner;
    archive->let_go = source->let_go;
    if (source->path) {
        snprintf(archive->name, name_size, "'%s'", source->path);
    } else {
        memcpy(archive->name, memory_name, sizeof(memory_name));
    }
    return archive;
}

/* What the program takes, before anything of the archive is believed. */
static cubinet_status take_options(struct cubinet_archive *archive, const cubinet_archive_options *options)
{
    archive->max_image_size = options->max_image_size;
    if (options->public_key_count > 0 && !options->public_keys) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "public_keys is NULL, and public_key_count is not 0");
    }
    return options->public_keys
               ? cbn_trust_create(options->public_keys, options->public_key_count, &archive->trust)
               : CUBINET_OK;
}

/* Archives of 1.1 and before have none. */
static const char *abi_of(const cubinet_archive *archive)
{
    return archive->info.stride >= CBN_ARCHIVE_SIZE_WITH_ABI
               ? cbn_string_at(&archive->strings, archive->info.rows + CBN_ARCHIVE_ABI)
               : "";
}

static cubinet_status check_abi(const struct cubinet_archive *archive, const char *required)
{
    const char *abi = abi_of(archive);
    if (strcmp(abi, required) == 0) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_OTHER_VERSION,
                     abi[0] ? "%s has the ABI tag '%s', and this program requires '%s'"
                            : "%s has no ABI tag%s, and this program requires '%s'",
                     archive->name, abi, required);
}

/* What the program requires of what the archive says of itself. */
static cubinet_status check_required(const struct cubinet_archive *archive,
                                     const cubinet_archive_options *options)
{
    const unsigned char *row = archive->info.rows;
    cubinet_status status = CUBINET_OK;
    if (options->require_version) {
        status = cbn_requirement_check(options->require_version, archive->name,
                                       cbn_string_at(&archive->strings, row + CBN_ARCHIVE_VERSION));
    }
    if (!status && options->require_abi) {
        status = check_abi(archive, options->require_abi);
    }
    return status;
}

/* Opens what lies in `source`, and takes over its bytes, also on failure. */
static cubinet_status open_source(const struct source *source, const cubinet_archive_options *given,
                                  cubinet_archive **out_archive)
{
    struct cubinet_archive *archive = create(source);
    if (!archive) {
        give_back(source);
        return cbn_error_memory();
    }
    cubinet_archive_options options;
    cubinet_status status = cbn_sized_read(given, "cubinet_archive_options", &options, sizeof(options));
    if (!status) {
        status = take_options(archive, &options);
    }
    if (!status) {
        status = cbn_root_read(archive);
    }
    if (!status) {
        status = check_required(archive, &options);
    }
    if (status) {
        cbn_archive_release(archive);
        return status;
    }
    *out_archive = archive;
    return CUBINET_OK;
}

static cubinet_status io_error(const char *path, int error)
{
    return cbn_error(CUBINET_ERROR_IO, "'%s' cannot be opened: %s", path, strerror(error));
}

static cubinet_status check_file(const char *path, const struct stat *about)
{
    if (S_ISDIR(about->st_mode)) {
        return io_error(path, EISDIR);
    }
    if (!S_ISREG(about->st_mode)) {
        return cbn_error(CUBINET_ERROR_IO, "'%s' cannot be opened: it is no regular file", path);
    }
    if (about->st_size == 0) {
        return cbn_error(CUBINET_ERROR_NOT_ARCHIVE, "'%s' is not a Cubinet archive: it is empty", path);
    }
    if ((uintmax_t)about->st_size > SIZE_MAX) {
        return io_error(path, EFBIG);
    }
    return CUBINET_OK;
}

static cubinet_status map(const char *path, struct source *out_source)
{
    /* Not waiting for somebody to write into a FIFO: it is refused below. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return io_error(path, errno);
    }
    struct stat about;
    cubinet_status status = fstat(file, &about) ? io_error(path, errno) : check_file(path, &about);
    if (!status) {
        size_t size = (size_t)about.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes == MAP_FAILED) {
            status = io_error(path, errno);
        } else {
            *out_source =
                (struct source){.bytes = bytes, .size = size, .mapping = {bytes, size}, .path = path};
        }
    }
    close(file);
    return status;
}

/* Of a program or library, goes on with the archive inside. */
static cubinet_status look_inside(struct source *source)
{
    struct cbn_extent inside;
    if (!cbn_is_elf(source->bytes, source->size)) {
        return CUBINET_OK;
    }
    if (!cbn_elf_inside(source->bytes, source->size, &inside)) {
        return cbn_error(CUBINET_ERROR_NOT_ARCHIVE,
                         "'%s' is a program or library without an archive inside: it has no section '%s', "
                         "and nothing is appended to it",
                         source->path, CBN_ARCHIVE_SECTION);
    }
    source->bytes = (const unsigned char *)source->bytes + inside.offset;
    source->size = inside.size;
    return CUBINET_OK;
}

cubinet_status cubinet_archive_open(const char *path, const cubinet_archive_options *options,
                                    cubinet_archive **out_archive)
{
    if (!path || !out_archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the archive's path, or the place for it, is NULL");
    }
    struct source source = {0};
    cubinet_status status = map(path, &source);
    if (!status) {
        status = look_inside(&source);
    }
    if (status) {
        give_back(&source);
        return status;
    }
    return open_source(&source, options, out_archive);
}

cubinet_status cubinet_archive_open_memory(const void *data, size_t size,
                                           const cubinet_archive_options *options,
                                           cubinet_archive **out_archive)
{
    if (!data || !out_archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the archive, or the place for it, is NULL");
    }
    const struct source source = {.bytes = data, .size = size};
    return open_source(&source, options, out_archive);
}

cubinet_status cbn_archive_open_sound(const void *data, size_t size, void *owner, void (*let_go)(void *owner),
                                      cubinet_archive **out_archive)
{
    const struct source source = {.bytes = data, .size = size, .owner = owner, .let_go = let_go};
    return open_source(&source, NULL, out_archive);
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
    free(archive->pages);
    free(archive->held_root);
    cbn_trust_free(archive->trust);
    cbn_unpack_spare_free(&archive->spare);
    unmap(&archive->mapping);
    if (archive->let_go) {
        archive->let_go(archive->owner);
    }
    free(archive);
}

void cubinet_archive_close(cubinet_archive *archive)
{
    cbn_archive_release(archive);
}

const char *cbn_archive_name(const cubinet_archive *archive)
{
    return archive->name;
}

cubinet_status cubinet_archive_get_info(const cubinet_archive *archive, cubinet_archive_info *out_info)
{
    if (!archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the archive is NULL");
    }
    const unsigned char *row = archive->info.rows;
    cubinet_archive_info info = {
        .archive_version = cbn_string_at(&archive->strings, row + CBN_ARCHIVE_VERSION),
        .producer = cbn_string_at(&archive->strings, row + CBN_ARCHIVE_PRODUCER),
        .format_major = archive->format_major,
        .format_minor = archive->format_minor,
        .archive_size = archive->size,
        .index_size = archive->index_size,
        .module_count = archive->module_count,
        .abi = abi_of(archive),
        .signature_count = archive->signatures.count,
        .is_trusted = archive->trust != NULL,
        .property_count = archive->properties.count,
    };
    return cbn_sized_write(out_info, "cubinet_archive_info", &info, sizeof(info));
}

uint32_t cubinet_archive_module_count(const cubinet_archive *archive)
{
    return archive ? archive->module_count : 0;
}

cubinet_status cubinet_archive_get_signer(const cubinet_archive *archive, uint32_t signature,
                                          uint8_t out_key_id[8])
{
    if (!archive || !out_key_id) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the archive, or the place for the key, is NULL");
    }
    if (signature >= archive->signatures.count) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND, "%s has %u signatures; there is no number %u",
                         archive->name, (unsigned)archive->signatures.count, (unsigned)signature);
    }
    memcpy(out_key_id, cbn_row(&archive->signatures, signature) + CBN_SIGNATURE_KEY, CBN_KEY_ID_SIZE);
    return CUBINET_OK;
}
