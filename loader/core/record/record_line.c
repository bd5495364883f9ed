/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/record/record_line.h"

#include "loader/core/record/record_json.h"
#include "loader/core/support/text_stream.h"

#include <stdlib.h>
#include <string.h>

/* The members in the order of a line. The time is the last, so that everything before it tells uses apart. */
static const struct {
    const char *name;
    size_t offset;
} members[] = {
    {"use", offsetof(struct cbn_record_entry, use)},
    {"module", offsetof(struct cbn_record_entry, module)},
    {"kernel", offsetof(struct cbn_record_entry, kernel)},
    {"global", offsetof(struct cbn_record_entry, global)},
    {"image", offsetof(struct cbn_record_entry, image)},
    {"image_digest", offsetof(struct cbn_record_entry, image_digest)},
    {"archive", offsetof(struct cbn_record_entry, archive)},
    {"archive_digest", offsetof(struct cbn_record_entry, archive_digest)},
    {"archive_version", offsetof(struct cbn_record_entry, archive_version)},
    {"device", offsetof(struct cbn_record_entry, device)},
    {"compute", offsetof(struct cbn_record_entry, compute)},
    {"driver", offsetof(struct cbn_record_entry, driver)},
    {"time", offsetof(struct cbn_record_entry, time)},
};

static const char version_member[] = "cubinet_record";
static const char time_start[] = ",\"time\":";

enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

static const char **member_of(struct cbn_record_entry *entry, size_t member)
{
    return (const char **)((char *)entry + members[member].offset);
}

char *cbn_record_print(const struct cbn_record_entry *entry, size_t *out_size, size_t *out_key_size)
{
    struct cbn_record_entry copy = *entry;
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    if (!file) {
        return NULL;
    }
    fprintf(file, "{\"%s\":%d", version_member, CBN_RECORD_VERSION);
    for (size_t i = 0; i < MEMBERS; i++) {
        const char *value = *member_of(&copy, i);
        if (value) {
            fprintf(file, ",\"%s\":", members[i].name);
            cbn_json_print(file, value);
        }
    }
    fputs("}\n", file);
    char *line = cbn_text_stream_close(&stream);
    if (line) {
        *out_size = stream.size;
        *out_key_size = cbn_record_key_size(line, stream.size);
    }
    return line;
}

size_t cbn_record_key_size(const char *line, size_t size)
{
    const size_t start = sizeof(time_start) - 1;
    for (size_t end = size; end >= start; end--) {
        if (memcmp(line + end - start, time_start, start) == 0) {
            return end - start;
        }
    }
    return 0;
}

static void keep_member(const struct cbn_json_member *member, struct cbn_record_entry *entry)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        if (member->is_string && strcmp(members[i].name, member->name) == 0) {
            *member_of(entry, i) = member->value;
        }
    }
}

enum cbn_record_line cbn_record_scan(char *line, struct cbn_record_entry *out_entry)
{
    struct cbn_record_entry entry = {0};
    struct cbn_json_member member;
    long version = 0;
    int found = *line == '{' ? 1 : -1;
    while (found > 0 && (found = cbn_json_next(&line, &member)) > 0) {
        if (!member.is_string && strcmp(member.name, version_member) == 0) {
            version = strtol(member.value, NULL, 10);
        } else {
            keep_member(&member, &entry);
        }
    }
    if (version > CBN_RECORD_VERSION) {
        return CBN_LINE_NEWER;
    }
    if (found < 0 || version < 1 || !entry.use || !entry.module) {
        return CBN_LINE_DAMAGED;
    }
    *out_entry = entry;
    return CBN_LINE_ENTRY;
}
