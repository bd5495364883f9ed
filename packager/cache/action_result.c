/* SPDX-License-Identifier: Apache-2.0 */
/* The few messages that are needed, in protobuf's wire format: fields in any order, each a number with the
 * wire type in its lowest three bits, and a value; numbers are in groups of seven bits, the lowest first. */
#include "cache/action_result.h"

#include "loader/core/support/sha256.h"

#include <cubinet/version.h>

#include <stdio.h>
#include <string.h>

/* Fields of build.bazel.remote.execution.v2. */
enum {
    RESULT_OUTPUT_FILES = 2,
    RESULT_EXIT_CODE = 4,
    RESULT_EXECUTION_METADATA = 9,
    FILE_PATH = 1,
    FILE_DIGEST = 2,
    DIGEST_HASH = 1,
    DIGEST_SIZE_BYTES = 2,
    METADATA_WORKER = 1,
};

enum wire_type { WIRE_NUMBER = 0, WIRE_8_BYTES = 1, WIRE_BYTES = 2, WIRE_4_BYTES = 5 };

enum { WIRE_TYPE_BITS = 3, FIELD_MOST = (1 << 29) - 1, SHA256_DIGITS = SHA256_TEXT_SIZE - 1 };

static const char broken[] = "it is not an ActionResult";

void remote_digest_make(const void *bytes, size_t size, struct remote_digest *out_digest)
{
    struct cbn_sha256 hash = cbn_sha256(bytes, size);
    for (size_t i = 0; i < sizeof(hash.bytes); i++) {
        snprintf(out_digest->hash + 2 * i, 3, "%02x", hash.bytes[i]);
    }
    out_digest->size = size;
}

bool remote_digest_matches(const struct remote_digest *digest, const void *bytes, size_t size)
{
    if (digest->size != size) {
        return false;
    }
    struct remote_digest found;
    remote_digest_make(bytes, size, &found);
    return strcmp(found.hash, digest->hash) == 0;
}

static void put_number(struct buffer *buffer, uint64_t number)
{
    unsigned char bytes[10];
    size_t count = 0;
    for (; number > 0x7f; number >>= 7) {
        bytes[count++] = (unsigned char)(number | 0x80);
    }
    bytes[count++] = (unsigned char)number;
    buffer_append(buffer, bytes, count);
}

static void put_bytes(struct buffer *buffer, unsigned field, const void *bytes, size_t size)
{
    put_number(buffer, field << WIRE_TYPE_BITS | WIRE_BYTES);
    put_number(buffer, size);
    buffer_append(buffer, bytes, size);
}

static void put_text(struct buffer *buffer, unsigned field, const char *text)
{
    put_bytes(buffer, field, text, strlen(text));
}

/* Appends a message that was built apart, and frees it. */
static void put_message(struct buffer *buffer, unsigned field, struct buffer *message)
{
    buffer->failed |= message->failed;
    put_bytes(buffer, field, message->data, message->size);
    buffer_free(message);
}

void action_result_write(const char *path, const struct remote_digest *digest, struct buffer *result)
{
    struct buffer digest_message = {0};
    struct buffer file = {0};
    struct buffer metadata = {0};
    put_text(&digest_message, DIGEST_HASH, digest->hash);
    put_number(&digest_message, DIGEST_SIZE_BYTES << WIRE_TYPE_BITS | WIRE_NUMBER);
    put_number(&digest_message, digest->size);
    put_text(&file, FILE_PATH, path);
    put_message(&file, FILE_DIGEST, &digest_message);
    put_message(result, RESULT_OUTPUT_FILES, &file);
    put_text(&metadata, METADATA_WORKER, "cubinet " CUBINET_VERSION_STRING);
    put_message(result, RESULT_EXECUTION_METADATA, &metadata);
}

/* The rest of a message. */
struct reader {
    const unsigned char *next;
    const unsigned char *end;
    bool is_broken;
};

struct field {
    uint64_t number;
    enum wire_type type;
    uint64_t value;      /* of WIRE_NUMBER */
    struct reader bytes; /* of WIRE_BYTES */
};

static size_t left(const struct reader *reader)
{
    return (size_t)(reader->end - reader->next);
}

static uint64_t get_number(struct reader *reader)
{
    uint64_t number = 0;
    for (unsigned shift = 0; reader->next < reader->end && shift < 64; shift += 7) {
        unsigned char byte = *reader->next++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return number;
        }
    }
    reader->is_broken = true;
    return 0;
}

/* Steps over bytes, which may be more than there are. */
static struct reader get_bytes(struct reader *reader, uint64_t size)
{
    if (size > left(reader)) {
        reader->is_broken = true;
        return (struct reader){.is_broken = true};
    }
    struct reader bytes = {.next = reader->next, .end = reader->next + size};
    reader->next += size;
    return bytes;
}

/* False at the end, and where the message is broken. */
static bool get_field(struct reader *reader, struct field *out_field)
{
    if (left(reader) == 0) {
        return false;
    }
    uint64_t tag = get_number(reader);
    *out_field = (struct field){.number = tag >> WIRE_TYPE_BITS, .type = tag & 7};
    switch (tag & 7) {
    case WIRE_NUMBER:
        out_field->value = get_number(reader);
        break;
    case WIRE_8_BYTES:
        get_bytes(reader, 8);
        break;
    case WIRE_BYTES:
        out_field->bytes = get_bytes(reader, get_number(reader));
        break;
    case WIRE_4_BYTES:
        get_bytes(reader, 4);
        break;
    default: /* groups, which these messages have never had */
        reader->is_broken = true;
    }
    reader->is_broken |= out_field->number == 0 || out_field->number > FIELD_MOST;
    return !reader->is_broken;
}

static bool is_field(const struct field *field, uint64_t number, enum wire_type type)
{
    return field->number == number && field->type == type;
}

static bool is_text(const struct reader *bytes, const char *text)
{
    return left(bytes) == strlen(text) && memcmp(bytes->next, text, left(bytes)) == 0;
}

/* False if it is not the digest of a file that has contents. */
static bool read_digest(struct reader message, struct remote_digest *out_digest)
{
    struct remote_digest digest = {0};
    struct field field;
    while (get_field(&message, &field)) {
        if (is_field(&field, DIGEST_HASH, WIRE_BYTES)) {
            if (left(&field.bytes) != SHA256_DIGITS) {
                return false;
            }
            memcpy(digest.hash, field.bytes.next, SHA256_DIGITS);
        } else if (is_field(&field, DIGEST_SIZE_BYTES, WIRE_NUMBER)) {
            digest.size = field.value;
        }
    }
    *out_digest = digest;
    return !message.is_broken && digest.size > 0 && digest.size <= INT64_MAX &&
           strspn(digest.hash, "0123456789abcdef") == SHA256_DIGITS;
}

/* Reads an OutputFile. `*out_digest` is set if it is the one at `path`, whose digest must be sound then. */
static bool read_file(struct reader message, const char *path, struct remote_digest *out_digest)
{
    struct reader digest = {0};
    struct field field;
    bool is_wanted = false;
    while (get_field(&message, &field)) {
        if (is_field(&field, FILE_PATH, WIRE_BYTES)) {
            is_wanted = is_text(&field.bytes, path);
        } else if (is_field(&field, FILE_DIGEST, WIRE_BYTES)) {
            digest = field.bytes;
        }
    }
    return !message.is_broken && (!is_wanted || read_digest(digest, out_digest));
}

const char *action_result_read(const void *bytes, size_t size, const char *path,
                               struct remote_digest *out_digest)
{
    struct reader message = {.next = bytes, .end = (const unsigned char *)bytes + size};
    struct remote_digest digest = {0};
    uint64_t exit_code = 0;
    struct field field;
    while (get_field(&message, &field)) {
        if (is_field(&field, RESULT_EXIT_CODE, WIRE_NUMBER)) {
            exit_code = field.value;
        } else if (is_field(&field, RESULT_OUTPUT_FILES, WIRE_BYTES) &&
                   !read_file(field.bytes, path, &digest)) {
            return broken;
        }
    }
    if (message.is_broken) {
        return broken;
    }
    if (exit_code != 0) {
        return "it is of an action that failed";
    }
    if (digest.size == 0) {
        return "it does not name the file that was asked for";
    }
    *out_digest = digest;
    return NULL;
}
