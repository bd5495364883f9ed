/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing archives, and what they say of themselves. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/elf_file.h"
#include "loader/core/archive/elf_inside.h"
#include "loader/core/archive/opened.h"
#include "loader/core/select/requirement.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What an archive is opened from. */
struct opening {
    struct cbn_storage storage;    /* which the archive takes over */
    const char *path;              /* NULL: memory of the caller's */
    const struct cbn_trust *trust; /* to open it with in place of keys that are given; NULL: none */
    const char *name;              /* of an archive that the program at that path was built with; NULL: any */
    /* The first bytes that are there: all, or of a file CBN_START_SIZE at most. */
    unsigned char *read; /* room for those of a file, not on the stack of a thread that may have little */
    const unsigned char *start;
    size_t start_size;
};

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

/* Takes over the storage, also on failure. */
static cubinet_status open_storage(struct opening *opening, const cubinet_archive_options *options,
                                   cubinet_archive **out_archive)
{
    struct cubinet_archive *archive = cbn_archive_create(&opening->storage, opening->path);
    if (!archive) {
        cbn_storage_close(&opening->storage);
        return cbn_error_memory();
    }
    cubinet_status status = take_options(archive, options);
    if (!status && opening->trust) {
        archive->trust = cbn_trust_copy(opening->trust);
        status = archive->trust ? CUBINET_OK : cbn_error_memory();
    }
    if (!status) {
        status = cbn_root_read(archive, opening->start, opening->start_size);
    }
    if (!status) {
        status = check_required(archive, options);
    }
    if (status) {
        cbn_archive_release(archive);
        return status;
    }
    *out_archive = archive;
    return CUBINET_OK;
}

static cubinet_status read_start(struct opening *opening)
{
    size_t size = opening->storage.size;
    opening->start = opening->read;
    opening->start_size = size < CBN_START_SIZE ? size : CBN_START_SIZE;
    cubinet_status status = cbn_storage_read(&opening->storage, 0, opening->start_size, opening->read);
    return status ? cbn_error_context(status, "'%s'", opening->path) : CUBINET_OK;
}

static cubinet_status explain_nothing_found(const struct opening *opening, const struct cbn_inside *inside)
{
    if (inside->count > 1 && !opening->name) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "'%s' has %zu archives inside: %s. Name one, as in '%s#NAME'", opening->path,
                         inside->count, inside->names, opening->path);
    }
    if (inside->count > 0 && opening->name) {
        return cbn_error(CUBINET_ERROR_NOT_ARCHIVE,
                         "'%s': the program or library has no archive '%s' inside; it has %s", opening->path,
                         opening->name, inside->names);
    }
    return cbn_error(CUBINET_ERROR_NOT_ARCHIVE,
                     "'%s' is a program or library without an archive inside: it has no section '%s', "
                     "and nothing is appended to it",
                     opening->path, CBN_ARCHIVE_SECTION);
}

/* Goes on with the archive inside a program or library. */
static cubinet_status look_inside(struct opening *opening)
{
    struct cbn_inside inside;
    struct cbn_storage *storage = &opening->storage;
    cubinet_status status = cbn_elf_inside(storage, opening->name, &inside);
    if (status) {
        return cbn_error_context(status, "'%s'", opening->path);
    }
    if (inside.archive.size == 0) {
        return explain_nothing_found(opening, &inside);
    }
    storage->start = inside.archive.offset;
    storage->size = inside.archive.size;
    return read_start(opening);
}

/* Reads how a file starts, and finds the archive in it. An archive that has been read whole by then is not
 * read again. With keys that are trusted the file stays open, for what is used of it to be a copy. The
 * storage is the caller's on failure. */
static cubinet_status start_file(struct opening *opening, bool keeps_file,
                                 const cubinet_archive_options *options)
{
    cubinet_status status = read_start(opening);
    if (!status && opening->name && !cbn_is_elf(opening->start, opening->start_size)) {
        return cbn_error(CUBINET_ERROR_NOT_ARCHIVE, "'%s': there is no program or library before the '#'",
                         opening->path);
    }
    if (!status && cbn_is_elf(opening->start, opening->start_size)) {
        status = look_inside(opening);
        keeps_file = opening->trust != NULL;
    }
    if (!status && opening->start_size == opening->storage.size) {
        cbn_storage_keep(&opening->storage, opening->read);
        opening->read = NULL;
        return CUBINET_OK;
    }
    if (status || keeps_file || options->public_keys) {
        return status;
    }
    status = cbn_storage_leave_file(&opening->storage);
    return status ? cbn_error_context(status, "'%s'", opening->path) : CUBINET_OK;
}

/* Opens the file at opening->path. If there is none, and the path has a '#', what is before that is a program
 * and what follows it an archive inside. */
static cubinet_status open_path(struct opening *opening)
{
    const char *mark = strrchr(opening->path, '#');
    if (!mark || access(opening->path, F_OK) == 0) {
        return cbn_storage_open(opening->path, &opening->storage);
    }
    char *program = strndup(opening->path, (size_t)(mark - opening->path));
    if (!program) {
        return cbn_error_memory();
    }
    bool is_there = access(program, F_OK) == 0;
    opening->name = is_there ? mark + 1 : NULL;
    cubinet_status status = cbn_storage_open(is_there ? program : opening->path, &opening->storage);
    free(program);
    return status;
}

/* With room for the start. The storage and the room are taken over, the latter perhaps by the archive. */
static cubinet_status open_started(struct opening *opening, bool keeps_file,
                                   const cubinet_archive_options *options, cubinet_archive **out_archive)
{
    cubinet_status status = start_file(opening, keeps_file, options);
    if (status) {
        cbn_storage_close(&opening->storage);
    } else {
        status = open_storage(opening, options, out_archive);
    }
    free(opening->read);
    return status;
}

static cubinet_status open_file(const char *path, bool keeps_file, const cubinet_archive_options *given,
                                const struct cbn_trust *trust, cubinet_archive **out_archive)
{
    struct opening opening = {.path = path, .trust = trust};
    cubinet_archive_options options;
    if (!path || !out_archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the archive's path, or the place for it, is NULL");
    }
    cubinet_status status = cbn_sized_read(given, "cubinet_archive_options", &options, sizeof(options));
    if (!status) {
        status = open_path(&opening);
    }
    if (status) {
        return status;
    }
    opening.read = malloc(CBN_START_SIZE);
    if (!opening.read) {
        cbn_storage_close(&opening.storage);
        return cbn_error_memory();
    }
    return open_started(&opening, keeps_file, &options, out_archive);
}

cubinet_status cubinet_archive_open(const char *path, const cubinet_archive_options *options,
                                    cubinet_archive **out_archive)
{
    return open_file(path, true, options, NULL, out_archive);
}

cubinet_status cbn_archive_open_mapped(const char *path, const cubinet_archive_options *options,
                                       cubinet_archive **out_archive)
{
    return open_file(path, false, options, NULL, out_archive);
}

cubinet_status cbn_archive_open_like(const cubinet_archive *other, const char *path,
                                     cubinet_archive **out_archive)
{
    const cubinet_archive_options options = {.size = sizeof(options),
                                             .max_image_size = other->max_image_size};
    return open_file(path, true, &options, other->trust, out_archive);
}

static cubinet_status open_bytes(struct cbn_storage storage, const cubinet_archive_options *given,
                                 cubinet_archive **out_archive)
{
    struct opening opening = {.storage = storage, .start = storage.bytes, .start_size = storage.size};
    cubinet_archive_options options;
    cubinet_status status = cbn_sized_read(given, "cubinet_archive_options", &options, sizeof(options));
    if (status) {
        cbn_storage_close(&storage);
        return status;
    }
    return open_storage(&opening, &options, out_archive);
}

cubinet_status cubinet_archive_open_memory(const void *data, size_t size,
                                           const cubinet_archive_options *options,
                                           cubinet_archive **out_archive)
{
    if (!data || !out_archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the archive, or the place for it, is NULL");
    }
    return open_bytes(cbn_storage_of_memory(data, size), options, out_archive);
}

cubinet_status cbn_archive_open_sound(const void *data, size_t size, void *owner, void (*let_go)(void *owner),
                                      cubinet_archive **out_archive)
{
    struct cbn_storage storage = cbn_storage_of_memory(data, size);
    storage.owner = owner;
    storage.let_go = let_go;
    return open_bytes(storage, NULL, out_archive);
}

/* Others may know the archive still, but only holders read from it. */
void cubinet_archive_close(cubinet_archive *archive)
{
    if (archive) {
        cbn_archive_leave(archive);
        cbn_archive_release(archive);
    }
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
        .archive_size = archive->storage.size,
        .index_size = archive->index_size,
        .abi = abi_of(archive),
        .signature_count = archive->signatures.count,
        .flags = archive->trust ? CUBINET_ARCHIVE_TRUSTED : 0,
        .property_count = archive->properties.count,
    };
    return cbn_sized_write(out_info, "cubinet_archive_info", &info, sizeof(info));
}

uint32_t cubinet_archive_get_module_count(const cubinet_archive *archive)
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
        return cbn_error(CUBINET_ERROR_NOT_FOUND,
                         "%s has %u signatures, numbered from 0: there is no number %u", archive->name,
                         (unsigned)archive->signatures.count, (unsigned)signature);
    }
    memcpy(out_key_id, cbn_row(&archive->signatures, signature) + CBN_SIGNATURE_KEY, CBN_KEY_ID_SIZE);
    return CUBINET_OK;
}
