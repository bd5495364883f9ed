/* SPDX-License-Identifier: Apache-2.0 */
/* The records are those of PKWARE's APPNOTE.TXT, 4.3. */
#include "archive/zip_writer.h"

#include "base/buffer.h"
#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    VERSION_STORED = 10, /* of zip: 1.0 */
    VERSION_ZIP64 = 45,
    MADE_BY_UNIX = 3 << 8,
    NAMES_ARE_UTF8 = 1 << 11,
    EXTRA_ZIP64 = 1,
    EXTRA_HEAD = 4,
    COMMON_SIZE = 26, /* what the header before an entry and its row in the directory share */
    LOCAL_SIZE = 4 + COMMON_SIZE,
    ROW_TAIL_SIZE = 14,
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    IN_END64 = 0xffff, /* a count that stands in the 64-bit record */
};

static const uint32_t local_signature = 0x04034b50;
static const uint32_t row_signature = 0x02014b50;
static const uint32_t end_signature = 0x06054b50;
static const uint32_t end64_signature = 0x06064b50;
static const uint32_t locator_signature = 0x07064b50;
static const uint32_t in_zip64 = UINT32_MAX; /* a size or offset that stands in the extra field */
static const uint32_t regular_file = 0100644U << 16;

struct zip_writer {
    FILE *stream;
    uint64_t written;
    uint32_t dos_time;
    struct buffer directory;
    uint64_t entries;
};

/* What is written of one entry twice. */
struct entry {
    const char *name;
    size_t name_size;
    uint64_t size;
    uint64_t local; /* offset of its header */
    uint32_t crc;
};

cubinet_status zip_time(time_t *out_time)
{
    /* The range of zip's times. */
    static const long long first = 315532800;
    static const long long last = 4354819198;
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

/* Zip's times are local times without a zone. Those of UTC are written, wherever that is. */
static uint32_t dos_time(time_t time)
{
    struct tm utc;
    gmtime_r(&time, &utc);
    unsigned date =
        (unsigned)(utc.tm_year - 80) << 9 | (unsigned)(utc.tm_mon + 1) << 5 | (unsigned)utc.tm_mday;
    unsigned clock = (unsigned)utc.tm_hour << 11 | (unsigned)utc.tm_min << 5 | (unsigned)utc.tm_sec / 2;
    return date << 16 | clock;
}

cubinet_status zip_writer_open(FILE *stream, time_t time, struct zip_writer **out_writer)
{
    struct zip_writer *writer = calloc(1, sizeof(*writer));
    if (!writer) {
        return cbn_error_memory();
    }
    writer->stream = stream;
    writer->dos_time = dos_time(time);
    *out_writer = writer;
    return CUBINET_OK;
}

static cubinet_status put(struct zip_writer *writer, const void *bytes, size_t size)
{
    if (writer->stream && size > 0 && fwrite(bytes, 1, size, writer->stream) != size) {
        return cbn_error(CUBINET_ERROR_IO, "%s", strerror(errno));
    }
    writer->written += size;
    return CUBINET_OK;
}

static uint32_t narrow(uint64_t value)
{
    return value < in_zip64 ? (uint32_t)value : in_zip64;
}

static bool is_ascii(const struct entry *entry)
{
    for (size_t i = 0; i < entry->name_size; i++) {
        if ((unsigned char)entry->name[i] > 127) {
            return false;
        }
    }
    return true;
}

/* The members from the version that is needed to the length of the extra field. */
static void put_common(const struct zip_writer *writer, const struct entry *entry, size_t extra_size,
                       unsigned char out[COMMON_SIZE])
{
    cbn_put16(out, extra_size ? VERSION_ZIP64 : VERSION_STORED);
    cbn_put16(out + 2, is_ascii(entry) ? 0 : NAMES_ARE_UTF8);
    cbn_put16(out + 4, 0); /* stored */
    cbn_put32(out + 6, writer->dos_time);
    cbn_put32(out + 10, entry->crc);
    cbn_put32(out + 14, narrow(entry->size));
    cbn_put32(out + 18, narrow(entry->size));
    cbn_put16(out + 22, (uint16_t)entry->name_size);
    cbn_put16(out + 24, (uint16_t)extra_size);
}

/* The extra field with the numbers that 32 bits don't hold, in the order that zip wants; its size. */
static size_t put_zip64(const struct entry *entry, bool with_offset, unsigned char out[EXTRA_HEAD + 24])
{
    size_t size = EXTRA_HEAD;
    if (entry->size >= in_zip64) {
        cbn_put64(out + size, entry->size);
        cbn_put64(out + size + 8, entry->size);
        size += 16;
    }
    if (with_offset && entry->local >= in_zip64) {
        cbn_put64(out + size, entry->local);
        size += 8;
    }
    if (size == EXTRA_HEAD) {
        return 0;
    }
    cbn_put16(out, EXTRA_ZIP64);
    cbn_put16(out + 2, (uint16_t)(size - EXTRA_HEAD));
    return size;
}

static cubinet_status put_local(struct zip_writer *writer, const struct entry *entry)
{
    unsigned char extra[EXTRA_HEAD + 24];
    unsigned char header[LOCAL_SIZE];
    size_t extra_size = put_zip64(entry, false, extra);
    cbn_put32(header, local_signature);
    put_common(writer, entry, extra_size, header + 4);
    cubinet_status status = put(writer, header, sizeof(header));
    if (!status) {
        status = put(writer, entry->name, entry->name_size);
    }
    return status ? status : put(writer, extra, extra_size);
}

static void add_row(struct zip_writer *writer, const struct entry *entry)
{
    unsigned char extra[EXTRA_HEAD + 24];
    unsigned char row[6 + COMMON_SIZE + ROW_TAIL_SIZE] = {0};
    size_t extra_size = put_zip64(entry, true, extra);
    cbn_put32(row, row_signature);
    cbn_put16(row + 4, MADE_BY_UNIX | (extra_size ? VERSION_ZIP64 : VERSION_STORED));
    put_common(writer, entry, extra_size, row + 6);
    unsigned char *tail = row + 6 + COMMON_SIZE; /* comment's length, disk, internal attributes: 0 */
    cbn_put32(tail + 6, regular_file);
    cbn_put32(tail + 10, narrow(entry->local));
    buffer_append(&writer->directory, row, sizeof(row));
    buffer_append(&writer->directory, entry->name, entry->name_size);
    buffer_append(&writer->directory, extra, extra_size);
    writer->entries++;
}

static uint32_t checksum(const struct byte_span *parts, size_t count)
{
    unsigned long crc = crc32_z(0, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        crc = crc32_z(crc, parts[i].data, parts[i].size);
    }
    return (uint32_t)crc;
}

static uint64_t total_size(const struct byte_span *parts, size_t count)
{
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += parts[i].size;
    }
    return size;
}

cubinet_status zip_writer_add(struct zip_writer *writer, const char *name, const struct byte_span *parts,
                              size_t part_count, uint64_t *out_offset)
{
    struct entry entry = {
        .name = name,
        .name_size = strlen(name),
        .size = total_size(parts, part_count),
        .local = writer->written,
        .crc = writer->stream ? checksum(parts, part_count) : 0,
    };
    cubinet_status status = put_local(writer, &entry);
    uint64_t offset = writer->written;
    for (size_t i = 0; !status && i < part_count; i++) {
        status = put(writer, parts[i].data, parts[i].size);
    }
    if (!status) {
        add_row(writer, &entry);
        *out_offset = offset;
    }
    return status;
}

/* The end record with 64-bit numbers, and what finds it. */
static cubinet_status put_end64(struct zip_writer *writer, uint64_t directory)
{
    unsigned char end[END64_SIZE + LOCATOR_SIZE] = {0};
    cbn_put32(end, end64_signature);
    cbn_put64(end + 4, END64_SIZE - 12);
    cbn_put16(end + 12, MADE_BY_UNIX | VERSION_ZIP64);
    cbn_put16(end + 14, VERSION_ZIP64);
    cbn_put64(end + 24, writer->entries);
    cbn_put64(end + 32, writer->entries);
    cbn_put64(end + 40, writer->directory.size);
    cbn_put64(end + 48, directory);
    unsigned char *locator = end + END64_SIZE;
    cbn_put32(locator, locator_signature);
    cbn_put64(locator + 8, writer->written);
    cbn_put32(locator + 16, 1); /* disk */
    return put(writer, end, sizeof(end));
}

static cubinet_status put_end(struct zip_writer *writer, uint64_t directory)
{
    uint16_t entries = writer->entries < IN_END64 ? (uint16_t)writer->entries : (uint16_t)IN_END64;
    unsigned char end[END_SIZE] = {0};
    cbn_put32(end, end_signature);
    cbn_put16(end + 8, entries);
    cbn_put16(end + 10, entries);
    cbn_put32(end + 12, narrow(writer->directory.size));
    cbn_put32(end + 16, narrow(directory));
    return put(writer, end, sizeof(end));
}

cubinet_status zip_writer_finish(struct zip_writer *writer, uint64_t *out_size)
{
    if (writer->directory.failed) {
        return cbn_error_memory();
    }
    uint64_t directory = writer->written;
    bool is_large =
        writer->entries >= IN_END64 || directory >= in_zip64 || writer->directory.size >= in_zip64;
    cubinet_status status = put(writer, writer->directory.data, writer->directory.size);
    if (!status && is_large) {
        status = put_end64(writer, directory);
    }
    if (!status) {
        status = put_end(writer, directory);
    }
    if (!status) {
        *out_size = writer->written;
    }
    return status;
}

void zip_writer_free(struct zip_writer *writer)
{
    if (writer) {
        buffer_free(&writer->directory);
        free(writer);
    }
}
