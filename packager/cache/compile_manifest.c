/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/compile_manifest.h"

#include "base/packed_bytes.h"
#include "loader/core/archive/format.h"

#include <stdlib.h>
#include <string.h>

/* The head, a row for each input, for each set its size and the numbers of its inputs, the paths. */
enum {
    MANIFEST_VERSION = 2,

    HEAD_VERSION = 0,
    HEAD_ITEMS = 4,
    HEAD_SETS = 8,
    HEAD_PATHS = 12, /* bytes */
    HEAD_SIZE = 16,

    ROW_KIND = 0,
    ROW_PATH = 4, /* from the start of the paths */
    ROW_DIGEST = 8,
    ROW_SIZE = ROW_DIGEST + CBN_SHA256_SIZE,

    MOST_SETS = 32,
    MOST_BYTES = 1 << 22, /* of rows and paths: sets beyond it are dropped, but for the newest */
    MOST_UNPACKED = 1 << 25,
};

/* Bytes that are read from their start on. */
struct reader {
    const unsigned char *at;
    size_t left;
};

static const unsigned char *take(struct reader *reader, uint64_t size)
{
    if (size > reader->left) {
        return NULL;
    }
    const unsigned char *bytes = reader->at;
    reader->at += size;
    reader->left -= (size_t)size;
    return bytes;
}

static bool is_kind(uint32_t kind)
{
    return kind == INPUT_FILE || kind == INPUT_TOOLKIT || kind == INPUT_FOLDER || kind == INPUT_MISSING;
}

/* `sets_of` has for each item how many sets were read when the last one was that has it. */
static bool read_set(struct reader *reader, size_t item_count, size_t number, uint32_t *sets_of,
                     struct manifest_set *set)
{
    const unsigned char *count = take(reader, 4);
    const unsigned char *numbers = count ? take(reader, (uint64_t)4 * cbn_get32(count)) : NULL;
    set->items = numbers ? calloc((size_t)cbn_get32(count) + 1, sizeof(*set->items)) : NULL;
    if (!set->items || cbn_get32(count) == 0) {
        return false;
    }
    set->count = cbn_get32(count);
    for (size_t i = 0; i < set->count; i++) {
        set->items[i] = cbn_get32(numbers + 4 * i);
        if (set->items[i] >= item_count || sets_of[set->items[i]] == number) {
            return false;
        }
        sets_of[set->items[i]] = (uint32_t)number;
    }
    return true;
}

static bool read_sets(struct reader *reader, size_t item_count, size_t count,
                      struct compile_manifest *manifest)
{
    uint32_t *sets_of = calloc(item_count + 1, sizeof(*sets_of));
    manifest->sets = count <= MOST_SETS ? calloc(count + 1, sizeof(*manifest->sets)) : NULL;
    bool is_ok = sets_of && manifest->sets;
    while (is_ok && manifest->set_count < count) {
        struct manifest_set *set = &manifest->sets[manifest->set_count++];
        is_ok = read_set(reader, item_count, manifest->set_count, sets_of, set);
    }
    free(sets_of);
    return is_ok;
}

/* Reads a row, whose path starts where that of the row before ended, and moves on to the next path. None has
 * a line's end, which no depfile can have. */
static bool read_item(const unsigned char *row, const char *paths, size_t paths_size, size_t *next,
                      struct input *item)
{
    uint32_t kind = cbn_get32(row + ROW_KIND);
    if (!is_kind(kind) || cbn_get32(row + ROW_PATH) != *next || *next >= paths_size ||
        strchr(paths + *next, '\n')) {
        return false;
    }
    item->kind = (enum input_kind)kind;
    memcpy(item->digest.bytes, row + ROW_DIGEST, CBN_SHA256_SIZE);
    item->path = strdup(paths + *next);
    *next += strlen(paths + *next) + 1;
    return item->path != NULL;
}

/* What was read before something was wrong is freed by the caller. */
static bool read_parts(struct reader *reader, struct compile_manifest *manifest)
{
    const unsigned char *head = take(reader, HEAD_SIZE);
    if (!head || cbn_get32(head + HEAD_VERSION) != MANIFEST_VERSION) {
        return false;
    }
    size_t items = cbn_get32(head + HEAD_ITEMS);
    size_t sets = cbn_get32(head + HEAD_SETS);
    size_t paths_size = cbn_get32(head + HEAD_PATHS);
    const unsigned char *rows = take(reader, (uint64_t)ROW_SIZE * items);
    bool is_ok = rows && read_sets(reader, items, sets, manifest);
    const char *paths = is_ok ? (const char *)take(reader, paths_size) : NULL;
    if (!paths || reader->left > 0 || (paths_size > 0 && paths[paths_size - 1] != '\0')) {
        return false;
    }
    manifest->items = calloc(items + 1, sizeof(*manifest->items));
    is_ok = manifest->items != NULL;
    size_t next = 0;
    while (is_ok && manifest->item_count < items) {
        size_t i = manifest->item_count++;
        is_ok = read_item(rows + ROW_SIZE * i, paths, paths_size, &next, &manifest->items[i]);
    }
    return is_ok;
}

bool compile_manifest_read(const void *packed, size_t size, struct compile_manifest *out_manifest)
{
    char *bytes = NULL;
    size_t unpacked = 0;
    struct compile_manifest manifest = {0};
    if (!packed_bytes_read(packed, size, MOST_UNPACKED, &bytes, &unpacked)) {
        return false;
    }
    struct reader reader = {(const unsigned char *)bytes, unpacked};
    bool is_read = read_parts(&reader, &manifest);
    free(bytes);
    if (!is_read) {
        compile_manifest_free(&manifest);
        return false;
    }
    *out_manifest = manifest;
    return true;
}

/* A manifest that is being written. */
struct writer {
    struct buffer rows;
    struct buffer paths;
    struct buffer sets;
    uint32_t items;
    uint32_t set_count;
};

static void put32(struct buffer *buffer, uint32_t value)
{
    unsigned char bytes[4];
    cbn_put32(bytes, value);
    buffer_append(buffer, bytes, sizeof(bytes));
}

static bool same_input(const struct input *a, const struct input *b)
{
    return a->kind == b->kind && cbn_sha256_equal(&a->digest, &b->digest) && strcmp(a->path, b->path) == 0;
}

static uint32_t add_row(struct writer *writer, const struct input *input)
{
    put32(&writer->rows, input->kind);
    put32(&writer->rows, (uint32_t)writer->paths.size);
    buffer_append(&writer->rows, input->digest.bytes, CBN_SHA256_SIZE);
    buffer_append(&writer->paths, input->path, strlen(input->path) + 1);
    return writer->items++;
}

static void add_newest(struct writer *writer, const struct inputs *newest)
{
    put32(&writer->sets, (uint32_t)newest->count);
    for (size_t i = 0; i < newest->count; i++) {
        put32(&writer->sets, add_row(writer, &newest->items[i]));
    }
    writer->set_count++;
}

static bool same_set(const struct compile_manifest *manifest, const struct manifest_set *set,
                     const struct inputs *inputs)
{
    bool same = set->count == inputs->count;
    for (size_t i = 0; same && i < set->count; i++) {
        same = same_input(&manifest->items[set->items[i]], &inputs->items[i]);
    }
    return same;
}

/* The order that inputs have after the first, which is the source. */
static int compare_order(const struct input *a, const struct input *b)
{
    int a_missing = a->kind == INPUT_MISSING;
    int b_missing = b->kind == INPUT_MISSING;
    return a_missing == b_missing ? strcmp(a->path, b->path) : a_missing - b_missing;
}

/* Looks for an input in the newest set, where its number is that of its row, from `*at` on, and moves that on
 * to where the next one may be: every set is in one order. False if it is not there. */
static bool find_in_newest(const struct inputs *newest, size_t *at, const struct input *input,
                           uint32_t *out_number)
{
    if (newest->count > 0 && same_input(&newest->items[0], input)) {
        *out_number = 0;
        return true;
    }
    *at = *at ? *at : 1;
    while (*at < newest->count && compare_order(&newest->items[*at], input) < 0) {
        (*at)++;
    }
    bool is_found = *at < newest->count && same_input(&newest->items[*at], input);
    *out_number = is_found ? (uint32_t)*at : 0;
    return is_found;
}

/* Adds a set of an old manifest. `numbers` has for each of its inputs the number that it has here by now, or
 * UINT32_MAX. */
static void add_old(struct writer *writer, const struct compile_manifest *old, const struct manifest_set *set,
                    const struct inputs *newest, uint32_t *numbers)
{
    size_t next = 0;
    put32(&writer->sets, (uint32_t)set->count);
    for (size_t i = 0; i < set->count; i++) {
        uint32_t item = set->items[i];
        if (numbers[item] == UINT32_MAX) {
            bool is_in_newest = find_in_newest(newest, &next, &old->items[item], &numbers[item]);
            numbers[item] = is_in_newest ? numbers[item] : add_row(writer, &old->items[item]);
        }
        put32(&writer->sets, numbers[item]);
    }
    writer->set_count++;
}

static void add_all_old(struct writer *writer, const struct compile_manifest *old,
                        const struct inputs *newest)
{
    uint32_t *numbers = malloc((old->item_count + 1) * sizeof(*numbers));
    if (!numbers) {
        writer->sets.failed = true;
        return;
    }
    memset(numbers, 0xff, old->item_count * sizeof(*numbers));
    for (size_t i = 0; i < old->set_count && writer->set_count < MOST_SETS; i++) {
        bool has_room = writer->rows.size + writer->paths.size + writer->sets.size < MOST_BYTES;
        if (has_room && !same_set(old, &old->sets[i], newest)) {
            add_old(writer, old, &old->sets[i], newest, numbers);
        }
    }
    free(numbers);
}

void compile_manifest_write(const struct compile_manifest *old, const struct inputs *newest,
                            struct buffer *out)
{
    struct writer writer = {0};
    add_newest(&writer, newest);
    if (old) {
        add_all_old(&writer, old, newest);
    }
    struct buffer bytes = {0};
    put32(&bytes, MANIFEST_VERSION);
    put32(&bytes, writer.items);
    put32(&bytes, writer.set_count);
    put32(&bytes, (uint32_t)writer.paths.size);
    buffer_append(&bytes, writer.rows.data, writer.rows.size);
    buffer_append(&bytes, writer.sets.data, writer.sets.size);
    buffer_append(&bytes, writer.paths.data, writer.paths.size);
    out->failed |= bytes.failed || writer.rows.failed || writer.sets.failed || writer.paths.failed;
    if (!out->failed) {
        packed_bytes_add(out, bytes.data, bytes.size);
    }
    buffer_free(&bytes);
    buffer_free(&writer.rows);
    buffer_free(&writer.sets);
    buffer_free(&writer.paths);
}

bool compile_manifest_inputs(const struct compile_manifest *manifest, const struct manifest_set *set,
                             struct inputs *out_inputs)
{
    struct inputs inputs = {.certain = true};
    for (size_t i = 0; i < set->count; i++) {
        const struct input *item = &manifest->items[set->items[i]];
        struct input *input = inputs_add(&inputs, item->kind, item->path);
        if (!input) {
            inputs_free(&inputs);
            return false;
        }
        input->digest = item->digest;
        input->size = item->size;
        input->time = item->time;
    }
    *out_inputs = inputs;
    return true;
}

void compile_manifest_free(struct compile_manifest *manifest)
{
    for (size_t i = 0; i < manifest->item_count; i++) {
        free(manifest->items[i].path);
    }
    for (size_t i = 0; i < manifest->set_count; i++) {
        free(manifest->sets[i].items);
    }
    free(manifest->items);
    free(manifest->sets);
    *manifest = (struct compile_manifest){0};
}
