/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/index_writer.h"

#include "archive/index_modules.h"
#include "archive/table_writer.h"
#include "loader/core/archive/format.h"
#include "loader/core/archive/tables.h"
#include "loader/core/archive/trust.h"
#include "loader/core/support/error.h"

#include <cubinet/version.h>

#include <string.h>

/* What a reader must understand to read what is written here: pages, or compressed blocks and images with a
 * base, or neither. Images of parts, if it has to read a module that has some to read others. */
enum {
    OLDEST_READER_MAJOR = 1,
    OLDEST_READER_MINOR = 0,
    OLDEST_READER_MINOR_COMPRESSED = 2,
    OLDEST_READER_MINOR_PAGED = 3,
    OLDEST_READER_MINOR_PARTS = 5
};

static void add_archive(struct table_set *root, struct buffer *strings, const struct draft *draft)
{
    size_t size = draft->abi ? CBN_ARCHIVE_SIZE_WITH_ABI : CBN_ARCHIVE_SIZE;
    struct buffer *rows = table_set_add(root, CBN_TABLE_ARCHIVE, (uint16_t)size);
    unsigned char row[CBN_ARCHIVE_SIZE_WITH_ABI];
    cbn_put32(row + CBN_ARCHIVE_VERSION, table_string(strings, draft->archive_version));
    cbn_put32(row + CBN_ARCHIVE_PRODUCER, table_string(strings, "cubinet " CUBINET_VERSION_STRING));
    cbn_put32(row + CBN_ARCHIVE_ABI, table_string(strings, draft->abi));
    buffer_append(rows, row, size);
}

/* Room for the signatures. */
static void add_signatures(const struct index_writer *writer, struct table_set *root)
{
    if (writer->options->key_count == 0) {
        return;
    }
    struct buffer *rows = table_set_add(root, CBN_TABLE_SIGNATURES, CBN_SIGNATURE_SIZE);
    for (size_t i = 0; i < writer->options->key_count; i++) {
        unsigned char row[CBN_SIGNATURE_SIZE] = {0};
        memcpy(row + CBN_SIGNATURE_KEY, writer->options->keys[i].id, CBN_KEY_ID_SIZE);
        buffer_append(rows, row, sizeof(row));
    }
}

/* A property without a value is none. */
static void add_properties(struct table_set *root, struct buffer *strings, const struct property_list *list)
{
    struct buffer *rows = table_set_add(root, CBN_TABLE_PROPERTIES, CBN_PROPERTY_SIZE);
    for (size_t i = 0; i < list->count; i++) {
        unsigned char row[CBN_PROPERTY_SIZE];
        if (list->items[i].value[0] != '\0') {
            cbn_put32(row + CBN_PROPERTY_KEY, table_string(strings, list->items[i].key));
            cbn_put32(row + CBN_PROPERTY_VALUE, table_string(strings, list->items[i].value));
            buffer_append(rows, row, sizeof(row));
        }
    }
}

static bool has_parts(const struct draft *draft)
{
    for (size_t i = 0; i < draft->module_count; i++) {
        if (draft_has_parts(&draft->modules[i])) {
            return true;
        }
    }
    return false;
}

static bool has_tunings(const struct draft *draft)
{
    for (size_t i = 0; i < draft->module_count; i++) {
        if (draft->modules[i].tunings.count > 0) {
            return true;
        }
    }
    return false;
}

static uint16_t format_minor(const struct draft *draft)
{
    if (has_tunings(draft)) {
        return CBN_FORMAT_MINOR;
    }
    return has_parts(draft) ? CBN_FORMAT_MINOR_PARTS : CBN_FORMAT_MINOR_WHOLE;
}

static uint16_t oldest_reader_minor(const struct index_writer *writer)
{
    if (index_needs_parts(writer)) {
        return OLDEST_READER_MINOR_PARTS;
    }
    if (index_has_pages(writer)) {
        return OLDEST_READER_MINOR_PAGED;
    }
    return writer->options->zstd_level ? OLDEST_READER_MINOR_COMPRESSED : OLDEST_READER_MINOR;
}

static void fill_header(const struct index_writer *writer, unsigned char *root, size_t root_size,
                        size_t index_size)
{
    memcpy(root, CBN_MAGIC, CBN_MAGIC_SIZE);
    cbn_put16(root + CBN_HEADER_FORMAT_MAJOR, CBN_FORMAT_MAJOR);
    cbn_put16(root + CBN_HEADER_FORMAT_MINOR, format_minor(writer->draft));
    cbn_put16(root + CBN_HEADER_READER_MAJOR, OLDEST_READER_MAJOR);
    cbn_put16(root + CBN_HEADER_READER_MINOR, oldest_reader_minor(writer));
    cbn_put64(root + CBN_HEADER_ARCHIVE_SIZE, writer->places->archive_size);
    cbn_put32(root + CBN_HEADER_INDEX_SIZE, (uint32_t)index_size);
    cbn_put32(root + CBN_HEADER_ROOT_SIZE, (uint32_t)root_size);
}

cubinet_status index_sign(unsigned char *root, size_t size, const struct signing_key *keys, size_t count)
{
    static const struct cbn_table_kind kinds[] = {{CBN_TABLE_STRINGS, 1},
                                                  {CBN_TABLE_ARCHIVE, CBN_ARCHIVE_SIZE},
                                                  {CBN_TABLE_MODULES, CBN_MODULE_SIZE},
                                                  {CBN_TABLE_PAGES, CBN_PAGE_SIZE},
                                                  {CBN_TABLE_SIGNATURES, CBN_SIGNATURE_SIZE}};
    enum { SIGNATURES = 4, KINDS = 5 };
    struct cbn_table tables[KINDS];
    unsigned char digest[CBN_SIGNED_DIGEST_SIZE];
    cubinet_status status = cbn_tables_read(root, (uint32_t)size, CBN_HEADER_SIZE, kinds, KINDS, tables);
    if (!status) {
        status = cbn_trust_hash_root(root, size, &tables[SIGNATURES], digest);
    }
    for (size_t i = 0; !status && i < count; i++) {
        /* The rows lie in `root`, which is ours to write. */
        unsigned char *row = (unsigned char *)cbn_row(&tables[SIGNATURES], (uint32_t)i);
        signing_key_sign(&keys[i], digest, sizeof(digest), row + CBN_SIGNATURE_VALUE);
    }
    return status;
}

/* Signs what is complete by now, and puts the digest over all of it. */
static cubinet_status seal_root(const struct index_writer *writer, unsigned char *root, size_t size)
{
    cubinet_status status = CUBINET_OK;
    if (writer->options->key_count > 0) {
        status = index_sign(root, size, writer->options->keys, writer->options->key_count);
    }
    struct cbn_digest digest =
        cbn_digest_two(root, CBN_HEADER_ROOT_DIGEST, root + CBN_HEADER_SIZE, size - CBN_HEADER_SIZE);
    memcpy(root + CBN_HEADER_ROOT_DIGEST, digest.bytes, CBN_DIGEST_SIZE);
    return status;
}

static cubinet_status join(const struct index_writer *writer, const struct table_set *root,
                           const struct index_list *list, struct buffer *out)
{
    static const unsigned char header[CBN_HEADER_SIZE];
    size_t root_size = CBN_HEADER_SIZE + table_set_size(root, CBN_HEADER_SIZE);
    cubinet_status status = index_list_place(list, root_size);
    if (status) {
        return status;
    }
    buffer_append(out, header, sizeof(header));
    table_set_append(root, out, 0);
    table_align(out, 0);
    buffer_append(out, list->parts.data, list->parts.size);
    if (out->failed) {
        return cbn_error_memory();
    }
    fill_header(writer, (unsigned char *)out->data, root_size, out->size);
    return seal_root(writer, (unsigned char *)out->data, root_size);
}

static cubinet_status write_index(const struct index_writer *writer, struct buffer *out)
{
    struct table_set root = {0};
    struct index_list list = {0};
    struct buffer *strings = table_set_add_strings(&root);
    add_archive(&root, strings, writer->draft);
    cubinet_status status = index_modules_add(writer, &root, strings, &list);
    if (!status) {
        add_signatures(writer, &root);
        add_properties(&root, strings, &writer->draft->properties);
        status = join(writer, &root, &list, out);
    }
    index_list_free(&list);
    table_set_free(&root);
    return status;
}

cubinet_status index_write(const struct draft *draft, const struct stored_image *stored,
                           const struct index_places *places, const struct index_options *options,
                           struct buffer *out_index)
{
    struct index_writer writer = {.draft = draft, .stored = stored, .places = places, .options = options};
    cubinet_status status = frame_packer_new(&writer.packer);
    if (!status) {
        status = write_index(&writer, out_index);
    }
    frame_packer_free(writer.packer);
    return status;
}
