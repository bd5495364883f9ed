/* SPDX-License-Identifier: Apache-2.0 */
#include "zip_writer.h"

#include "error.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct zip_writer {
    struct archive *archive;
    struct archive_entry *entry; /* reused: entries differ in name and size only */
    FILE *stream;
    int error; /* errno of the first write that failed; nothing is written after it */
    uint64_t written;
    time_t time;
};

cubinet_status zip_time(time_t *out_time)
{
    /* The range of zip's own times, and of the 32 bits that its other times have. */
    static const long long first = 315532800;
    static const long long last = UINT32_MAX;
    const char *text = getenv("SOURCE_DATE_EPOCH");
    if (!text || !*text) {
        *out_time = (time_t)first;
        return CUBINET_OK;
    }
    char *end;
    errno = 0;
    long long seconds = strtoll(text, &end, 10);
    if (*end || errno || seconds < 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "SOURCE_DATE_EPOCH is '%s'; it must be a number of seconds since 1970", text);
    }
    *out_time = (time_t)(seconds < first ? first : seconds > last ? last : seconds);
    return CUBINET_OK;
}

/* Zip's times are local times. Nothing else in this program has to do with time zones. */
static void use_utc(void)
{
    setenv("TZ", "UTC0", 1);
    tzset();
}

/* A failure is kept from libarchive, which leaks memory when it is told, and comes out in check(). */
static la_ssize_t write_bytes(struct archive *archive, void *user, const void *bytes, size_t size)
{
    (void)archive;
    struct zip_writer *writer = user;
    if (writer->stream && !writer->error && fwrite(bytes, 1, size, writer->stream) != size) {
        writer->error = errno;
    }
    writer->written += size;
    return (la_ssize_t)size;
}

/* After a call of libarchive. */
static cubinet_status check(const struct zip_writer *writer, bool succeeded)
{
    if (writer->error) {
        return cbn_error(CUBINET_ERROR_IO, "%s", strerror(writer->error));
    }
    if (!succeeded) {
        const char *message = archive_error_string(writer->archive);
        return cbn_error(CUBINET_ERROR_IO, "%s", message ? message : "libarchive refused without a reason");
    }
    return CUBINET_OK;
}

static cubinet_status start(struct zip_writer *writer)
{
    struct archive *archive = writer->archive;
    /* No blocks: what libarchive wrote has passed write_bytes(), so that offsets can be counted there. */
    return check(writer, archive_write_set_format_zip(archive) == ARCHIVE_OK &&
                             archive_write_zip_set_compression_store(archive) == ARCHIVE_OK &&
                             archive_write_set_bytes_per_block(archive, 0) == ARCHIVE_OK &&
                             archive_write_open(archive, writer, NULL, write_bytes, NULL) == ARCHIVE_OK);
}

cubinet_status zip_writer_open(FILE *stream, time_t time, struct zip_writer **out_writer)
{
    struct zip_writer *writer = calloc(1, sizeof(*writer));
    if (!writer) {
        return cbn_error_memory();
    }
    use_utc();
    writer->stream = stream;
    writer->time = time;
    writer->archive = archive_write_new();
    writer->entry = archive_entry_new();
    cubinet_status status = writer->archive && writer->entry ? start(writer) : cbn_error_memory();
    if (status) {
        zip_writer_free(writer);
        return status;
    }
    *out_writer = writer;
    return CUBINET_OK;
}

static bool write_data(struct archive *archive, const char *bytes, size_t size)
{
    while (size > 0) {
        la_ssize_t taken = archive_write_data(archive, bytes, size);
        if (taken <= 0) {
            return false;
        }
        bytes += taken;
        size -= (size_t)taken;
    }
    return archive_write_finish_entry(archive) == ARCHIVE_OK;
}

cubinet_status zip_writer_add(struct zip_writer *writer, const char *name, const void *data, size_t size,
                              uint64_t *out_offset)
{
    struct archive_entry *entry = archive_entry_clear(writer->entry);
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, writer->time, 0);
    archive_entry_set_size(entry, (la_int64_t)size);
    cubinet_status status = check(writer, archive_write_header(writer->archive, entry) == ARCHIVE_OK);
    uint64_t offset = writer->written;
    if (status == CUBINET_OK) {
        status = check(writer, write_data(writer->archive, data, size));
    }
    if (status == CUBINET_OK && out_offset) {
        *out_offset = offset;
    }
    return status;
}

cubinet_status zip_writer_finish(struct zip_writer *writer, uint64_t *out_size)
{
    cubinet_status status = check(writer, archive_write_close(writer->archive) == ARCHIVE_OK);
    if (status == CUBINET_OK) {
        *out_size = writer->written;
    }
    return status;
}

void zip_writer_free(struct zip_writer *writer)
{
    if (!writer) {
        return;
    }
    writer->stream = NULL; /* an unfinished file gets no zip directory */
    archive_write_free(writer->archive);
    archive_entry_free(writer->entry);
    free(writer);
}
