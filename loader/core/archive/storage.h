/* SPDX-License-Identifier: Apache-2.0 */
/* Where an archive's bytes are: in memory, or in a file.
 *
 * Little is read from a file with pread(), which takes less time than Linux takes to map its pages, and gives
 * a copy that nobody alters. What is large is used straight from a mapping of the file, which is made when it
 * is needed first. Any number of threads may read from one storage. */
#ifndef CBN_STORAGE_H
#define CBN_STORAGE_H

#include <cubinet/status.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cbn_storage {
    _Atomic(const unsigned char *) bytes; /* NULL: in a file, and not mapped */
    size_t size;
    size_t start;  /* of the bytes in the file */
    int file;      /* which is open; -1: none */
    void *mapping; /* of a file from its start, where no file is open; NULL: none */
    size_t mapping_size;
    unsigned char *kept; /* all bytes of a file that was small, which is not open any more; NULL: none */
    /* Of memory that somebody lends for as long as the storage is used, otherwise NULL. */
    void *owner;
    void (*let_go)(void *owner);
};

/* Bytes that were taken from a storage. */
struct cbn_taken {
    const unsigned char *bytes;
    unsigned char *owned; /* a copy that they are, which the caller frees; NULL: they are the storage's */
};

/* Up to this many bytes are copied from a file rather than mapped (docs/internals/benchmarks.md, "Opening").
 */
enum { CBN_COPIED_MAX = 128 << 10 };

/* Memory of the caller's. */
struct cbn_storage cbn_storage_of_memory(const void *bytes, size_t size);

/* Opens a regular file that is not empty. CUBINET_ERROR_IO, CUBINET_ERROR_NOT_ARCHIVE of an empty one. */
cubinet_status cbn_storage_open(const char *path, struct cbn_storage *out_storage);

/* Closes the file, if one is open. What is mapped of it stays as it is, and nothing else can be read any
 * more: that is CUBINET_ERROR_IO. No other thread may be reading. */
void cbn_storage_close_file(struct cbn_storage *storage);

/* Goes on without a descriptor: the file is mapped now, and closed. */
cubinet_status cbn_storage_leave_file(struct cbn_storage *storage);

/* Goes on with a copy of all the bytes, from malloc(), without the file. No other thread may be reading. */
void cbn_storage_keep(struct cbn_storage *storage, unsigned char *copy);

/* Whether the bytes are a file's, which others may write to. */
bool cbn_storage_is_file(const struct cbn_storage *storage);

/* Whether the bytes are in memory that is its caller's. */
bool cbn_storage_is_callers(const struct cbn_storage *storage);

/* Copies bytes that lie in the storage. CUBINET_ERROR_IO */
cubinet_status cbn_storage_read(const struct cbn_storage *storage, uint64_t offset, size_t size, void *out);

/* All of the bytes, which stay where they are until the storage is closed. CUBINET_ERROR_IO */
cubinet_status cbn_storage_map(const struct cbn_storage *storage, const unsigned char **out_bytes);

/* Bytes that lie in the storage, as they are used best: as a copy if there are few of them in a file, or if
 * it has to be one. CUBINET_ERROR_IO, CUBINET_ERROR_OUT_OF_MEMORY */
cubinet_status cbn_storage_take(const struct cbn_storage *storage, uint64_t offset, size_t size, bool as_copy,
                                struct cbn_taken *out_taken);

void cbn_storage_close(struct cbn_storage *storage);

#endif
