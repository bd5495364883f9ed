/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/archive/storage.h"

#include "loader/core/support/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct cbn_storage cbn_storage_of_memory(const void *bytes, size_t size)
{
    return (struct cbn_storage){.bytes = bytes, .size = size, .file = -1};
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
        return cbn_error(CUBINET_ERROR_IO, "'%s' cannot be opened: it is not a regular file", path);
    }
    if (about->st_size == 0) {
        return cbn_error(CUBINET_ERROR_NOT_ARCHIVE, "'%s' is not a Cubinet archive: it is empty", path);
    }
    if ((uintmax_t)about->st_size > SIZE_MAX) {
        return io_error(path, EFBIG);
    }
    return CUBINET_OK;
}

cubinet_status cbn_storage_open(const char *path, struct cbn_storage *out_storage)
{
    /* Not waiting for somebody to write into a FIFO: it is refused below. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return io_error(path, errno);
    }
    struct stat about;
    cubinet_status status = fstat(file, &about) ? io_error(path, errno) : check_file(path, &about);
    if (status) {
        close(file);
        return status;
    }
    *out_storage = (struct cbn_storage){.size = (size_t)about.st_size, .file = file};
    return CUBINET_OK;
}

bool cbn_storage_is_file(const struct cbn_storage *storage)
{
    return storage->file >= 0 || storage->mapping;
}

bool cbn_storage_is_callers(const struct cbn_storage *storage)
{
    return !cbn_storage_is_file(storage) && !storage->kept && !storage->let_go;
}

/* Of the file, as far as it is used. */
static size_t file_size(const struct cbn_storage *storage)
{
    return storage->start + storage->size;
}

static cubinet_status got_shorter(const struct cbn_storage *storage, const struct stat *about)
{
    return cbn_error(CUBINET_ERROR_IO, "its file has %lld bytes, and had %zu when it was opened",
                     (long long)about->st_size, file_size(storage));
}

static cubinet_status is_closed(void)
{
    return cbn_error(CUBINET_ERROR_IO, "its file was closed");
}

/* Of a file that got shorter the pages that are no more would end the program. */
static cubinet_status check_length(const struct cbn_storage *storage)
{
    struct stat about;
    if (fstat(storage->file, &about)) {
        return cbn_error(CUBINET_ERROR_IO, "its file cannot be looked at: %s", strerror(errno));
    }
    return about.st_size < (off_t)file_size(storage) ? got_shorter(storage, &about) : CUBINET_OK;
}

/* Threads that need it first at the same time all map the file; one keeps the mapping. */
static cubinet_status map(const struct cbn_storage *storage, const unsigned char **out_bytes)
{
    cubinet_status status = check_length(storage);
    if (status) {
        return status;
    }
    unsigned char *mapping = mmap(NULL, file_size(storage), PROT_READ, MAP_PRIVATE, storage->file, 0);
    if (mapping == MAP_FAILED) {
        return cbn_error(CUBINET_ERROR_IO, "its file cannot be mapped: %s", strerror(errno));
    }
    const unsigned char *fresh = mapping + storage->start;
    const unsigned char *kept = NULL;
    /* What a storage holds stays the same; being mapped meanwhile does not change it. */
    struct cbn_storage *known = (struct cbn_storage *)storage;
    if (atomic_compare_exchange_strong_explicit(&known->bytes, &kept, fresh, memory_order_acq_rel,
                                                memory_order_acquire)) {
        kept = fresh;
    } else {
        munmap(mapping, file_size(storage));
    }
    *out_bytes = kept;
    return CUBINET_OK;
}

cubinet_status cbn_storage_map(const struct cbn_storage *storage, const unsigned char **out_bytes)
{
    const unsigned char *bytes = atomic_load_explicit(&storage->bytes, memory_order_acquire);
    if (bytes) {
        *out_bytes = bytes;
        return CUBINET_OK;
    }
    return storage->file >= 0 ? map(storage, out_bytes) : is_closed();
}

void cbn_storage_close_file(struct cbn_storage *storage)
{
    if (storage->file >= 0) {
        const unsigned char *mapped = atomic_load_explicit(&storage->bytes, memory_order_acquire);
        storage->mapping = mapped ? (void *)(mapped - storage->start) : NULL;
        storage->mapping_size = file_size(storage);
        close(storage->file);
        storage->file = -1;
    }
}

cubinet_status cbn_storage_leave_file(struct cbn_storage *storage)
{
    const unsigned char *bytes = NULL;
    cubinet_status status = cbn_storage_map(storage, &bytes);
    if (!status) {
        cbn_storage_close_file(storage);
    }
    return status;
}

void cbn_storage_keep(struct cbn_storage *storage, unsigned char *copy)
{
    close(storage->file);
    storage->file = -1;
    storage->kept = copy;
    atomic_store_explicit(&storage->bytes, copy, memory_order_relaxed);
}

static cubinet_status ends_early(const struct cbn_storage *storage)
{
    cubinet_status status = check_length(storage);
    return status ? status : cbn_error(CUBINET_ERROR_IO, "its file got shorter while it was read");
}

static cubinet_status read_file(const struct cbn_storage *storage, uint64_t offset, size_t size,
                                unsigned char *out)
{
    offset += storage->start;
    while (size > 0) {
        ssize_t count = pread(storage->file, out, size, (off_t)offset);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return cbn_error(CUBINET_ERROR_IO, "its file cannot be read: %s", strerror(errno));
        }
        if (count == 0) {
            return ends_early(storage);
        }
        out += count;
        offset += (uint64_t)count;
        size -= (size_t)count;
    }
    return CUBINET_OK;
}

cubinet_status cbn_storage_read(const struct cbn_storage *storage, uint64_t offset, size_t size, void *out)
{
    if (storage->file >= 0) {
        return read_file(storage, offset, size, out);
    }
    const unsigned char *bytes = NULL;
    cubinet_status status = cbn_storage_map(storage, &bytes);
    if (!status) {
        memcpy(out, bytes + offset, size);
    }
    return status;
}

static cubinet_status take_copy(const struct cbn_storage *storage, uint64_t offset, size_t size,
                                struct cbn_taken *out_taken)
{
    unsigned char *copy = malloc(size > 0 ? size : 1);
    if (!copy) {
        return cbn_error_memory();
    }
    cubinet_status status = cbn_storage_read(storage, offset, size, copy);
    if (status) {
        free(copy);
        return status;
    }
    *out_taken = (struct cbn_taken){.bytes = copy, .owned = copy};
    return CUBINET_OK;
}

cubinet_status cbn_storage_take(const struct cbn_storage *storage, uint64_t offset, size_t size, bool as_copy,
                                struct cbn_taken *out_taken)
{
    if (as_copy || (storage->file >= 0 && size <= CBN_COPIED_MAX)) {
        return take_copy(storage, offset, size, out_taken);
    }
    const unsigned char *bytes = NULL;
    cubinet_status status = cbn_storage_map(storage, &bytes);
    if (!status) {
        *out_taken = (struct cbn_taken){.bytes = bytes + offset};
    }
    return status;
}

void cbn_storage_close(struct cbn_storage *storage)
{
    cbn_storage_close_file(storage);
    if (storage->mapping) {
        munmap(storage->mapping, storage->mapping_size);
    }
    free(storage->kept);
    if (storage->let_go) {
        storage->let_go(storage->owner);
    }
}
