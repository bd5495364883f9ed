/* SPDX-License-Identifier: Apache-2.0 */
/* The root of an archive's index: docs/reference/format.md, "Header" and "Table sets". */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/digest.h"
#include "loader/core/archive/opened.h"
#include "loader/core/support/error.h"

#include <cubinet/version.h>

#include <stdlib.h>
#include <string.h>

enum { STRINGS, INFO, MODULES, PAGES, SEALS, SIGNATURES, PROPERTIES, ROOT_TABLES };

static const struct cbn_table_kind root_tables[ROOT_TABLES] = {
    [STRINGS] = {CBN_TABLE_STRINGS, 1},
    [INFO] = {CBN_TABLE_ARCHIVE, CBN_ARCHIVE_SIZE},
    [MODULES] = {CBN_TABLE_MODULES, CBN_MODULE_SIZE},
    [PAGES] = {CBN_TABLE_PAGES, CBN_PAGE_SIZE},
    [SEALS] = {CBN_TABLE_SEALS, CBN_SEAL_SIZE},
    [SIGNATURES] = {CBN_TABLE_SIGNATURES, CBN_SIGNATURE_SIZE},
    [PROPERTIES] = {CBN_TABLE_PROPERTIES, CBN_PROPERTY_SIZE},
};

static cubinet_status check_version(const struct cubinet_archive *archive, const unsigned char *header)
{
    uint32_t major = archive->format_major;
    uint32_t minor = archive->format_minor;
    uint32_t reader_major = cbn_get16(header + CBN_HEADER_READER_MAJOR);
    uint32_t reader_minor = cbn_get16(header + CBN_HEADER_READER_MINOR);
    if (reader_major > CBN_FORMAT_MAJOR ||
        (reader_major == CBN_FORMAT_MAJOR && reader_minor > CBN_FORMAT_MINOR)) {
        return cbn_error(
            CUBINET_ERROR_NEWER_FORMAT,
            "%s needs a reader of format %u.%u or later; this is cubinet %s, which reads up to %d.%d: update "
            "Cubinet to one whose `cubinet --version` says archive format %u.%u or later, or make the "
            "archive again with cubinet %s",
            archive->name, reader_major, reader_minor, cubinet_version(), CBN_FORMAT_MAJOR, CBN_FORMAT_MINOR,
            reader_major, reader_minor, cubinet_version());
    }
    if (major < 1 || (major << 16 | minor) < (reader_major << 16 | reader_minor)) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "%s is damaged: it is in format %u.%u, but asks for a reader of format %u.%u",
                         archive->name, major, minor, reader_major, reader_minor);
    }
    return CUBINET_OK;
}

static cubinet_status check_sizes(const struct cubinet_archive *archive, const unsigned char *header)
{
    const struct cbn_storage *storage = &archive->storage;
    uint64_t promised = cbn_get64(header + CBN_HEADER_ARCHIVE_SIZE);
    if (promised != storage->size) {
        return cbn_error(
            CUBINET_ERROR_DAMAGED, "%s is %s: its index promises %llu bytes, %s has %zu", archive->name,
            promised > storage->size ? "truncated" : "too long", (unsigned long long)promised,
            cbn_storage_is_file(storage) || storage->kept ? "the file" : "the memory", storage->size);
    }
    if (archive->index_size > storage->size - archive->index_start ||
        archive->root_size > archive->index_size || archive->root_size < CBN_HEADER_SIZE) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "%s is damaged: the sizes in its header contradict each other", archive->name);
    }
    return CUBINET_OK;
}

static cubinet_status check_digest(const struct cubinet_archive *archive)
{
    const unsigned char *header = archive->root;
    struct cbn_digest digest = cbn_digest_two(header, CBN_HEADER_ROOT_DIGEST, header + CBN_HEADER_SIZE,
                                              archive->root_size - CBN_HEADER_SIZE);
    if (memcmp(digest.bytes, header + CBN_HEADER_ROOT_DIGEST, CBN_DIGEST_SIZE) != 0) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "%s is damaged: its index does not have the digest it promises", archive->name);
    }
    return CUBINET_OK;
}

static cubinet_status check_info(const struct cbn_table *info, const struct cbn_table *strings)
{
    bool has_abi = info->stride >= CBN_ARCHIVE_SIZE_WITH_ABI;
    uint64_t room = UINT64_MAX; /* one row can't share much */
    if (info->count != 1 || !cbn_take_name(strings, cbn_get32(info->rows + CBN_ARCHIVE_VERSION), &room) ||
        !cbn_take_name(strings, cbn_get32(info->rows + CBN_ARCHIVE_PRODUCER), &room) ||
        (has_abi && !cbn_take_name(strings, cbn_get32(info->rows + CBN_ARCHIVE_ABI), &room))) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "what it says of itself is malformed");
    }
    return CUBINET_OK;
}

static cubinet_status page_error(uint32_t page, const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "%s of page number %u", what, (unsigned)page);
}

/* Whether a page's row says as many modules as it may, and as there is room for in the page: whoever walks
 * along all modules must not be kept busy by a number. */
static bool counts_modules(const struct cubinet_archive *archive, uint32_t page)
{
    const unsigned char *row = cbn_row(&archive->page_table, page);
    uint32_t count = cbn_get32(row + CBN_PAGE_MODULES);
    bool is_last = page + 1 == archive->page_count;
    if (count > cbn_get32(row + CBN_PAGE_BYTES) / CBN_MODULE_SIZE) {
        return false;
    }
    return is_last ? count > 0 && count <= archive->page_modules : count == archive->page_modules;
}

/* A page lists dozens of modules or more, so this is a short list, and nothing but the root is touched. */
static cubinet_status check_pages(const struct cubinet_archive *archive)
{
    const char *previous = "";
    uint64_t end = archive->root_size;
    uint64_t name_room = cbn_string_room(archive->root_size);
    for (uint32_t i = 0; i < archive->page_count; i++) {
        const unsigned char *row = cbn_row(&archive->page_table, i);
        const char *name =
            cbn_take_module_name(&archive->strings, cbn_get32(row + CBN_PAGE_NAME), &name_room);
        if (!name || strcmp(previous, name) >= 0) {
            return page_error(i, "missing, malformed or misplaced name");
        }
        if (!counts_modules(archive, i)) {
            return page_error(i, "wrong number of modules");
        }
        uint32_t offset = cbn_get32(row + CBN_PAGE_OFFSET);
        uint32_t size = cbn_get32(row + CBN_PAGE_BYTES);
        bool is_there = i == 0 ? offset == cbn_align(end) : offset == cbn_align(offset) && offset >= end;
        if (!is_there || size > archive->index_size || offset > archive->index_size - size) {
            return page_error(i, "misplaced bytes");
        }
        previous = name;
        end = (uint64_t)offset + size;
    }
    return CUBINET_OK;
}

/* No digest covers the gap between the root and the first page. */
static cubinet_status check_gap(const struct cubinet_archive *archive)
{
    uint32_t end = cbn_get32(cbn_row(&archive->page_table, 0) + CBN_PAGE_OFFSET);
    for (uint32_t i = archive->root_size; i < end; i++) {
        if (archive->root[i]) {
            return cbn_error(CUBINET_ERROR_DAMAGED, "unused bytes before its first page are set");
        }
    }
    return CUBINET_OK;
}

static cubinet_status take_pages(struct cubinet_archive *archive)
{
    archive->page_count = archive->page_table.count;
    archive->page_modules = cbn_get32(archive->page_table.rows + CBN_PAGE_MODULES);
    cubinet_status status = check_pages(archive);
    if (status) {
        return status;
    }
    /* No overflow: pages do not overlap, and each has room for the rows of its modules. */
    const unsigned char *last = cbn_row(&archive->page_table, archive->page_count - 1);
    archive->module_count =
        archive->page_modules * (archive->page_count - 1) + cbn_get32(last + CBN_PAGE_MODULES);
    return check_gap(archive);
}

static cubinet_status make_pages(struct cubinet_archive *archive)
{
    archive->pages = calloc(archive->page_count, sizeof(*archive->pages));
    return archive->pages ? CUBINET_OK : cbn_error_memory();
}

/* Modules that the root lists itself are checked now, like all of it. */
static cubinet_status read_only_page(struct cubinet_archive *archive, const struct cbn_table *modules)
{
    const struct cbn_page_place place = {
        .size = archive->root_size, .end = archive->index_size, .is_last = true};
    struct cbn_page *page = NULL;
    cubinet_status status = cbn_page_create_root(&archive->strings, modules, &archive->seals, place, &page);
    if (status) {
        return status;
    }
    archive->page_count = 1;
    archive->page_modules = modules->count;
    archive->module_count = modules->count;
    status = make_pages(archive);
    if (status) {
        cbn_page_free(page);
        return status;
    }
    atomic_init(&archive->pages[0], page);
    return CUBINET_OK;
}

static cubinet_status read_modules(struct cubinet_archive *archive, const struct cbn_table *modules)
{
    if (archive->page_table.count == 0) {
        return read_only_page(archive, modules);
    }
    if (modules->count > 0) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it lists modules both in its root and in pages");
    }
    cubinet_status status = take_pages(archive);
    return status ? status : make_pages(archive);
}

/* A signature says nothing without what it covers. */
static cubinet_status check_signed(const struct cubinet_archive *archive)
{
    if (archive->signatures.count > CBN_SIGNATURES_MAX) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it has %u signatures, and %d at most are read",
                         (unsigned)archive->signatures.count, (int)CBN_SIGNATURES_MAX);
    }
    uint32_t parts = archive->page_table.count > 0 ? archive->page_count : archive->module_count;
    if (archive->signatures.count > 0 && archive->seals.count != parts) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "it is signed, but its modules are not covered");
    }
    return CUBINET_OK;
}

static cubinet_status check_properties(const struct cubinet_archive *archive)
{
    const char *previous = "";
    uint64_t room = cbn_string_room(archive->root_size);
    for (uint32_t i = 0; i < archive->properties.count; i++) {
        const unsigned char *row = cbn_row(&archive->properties, i);
        const char *key = cbn_take_name(&archive->strings, cbn_get32(row + CBN_PROPERTY_KEY), &room);
        if (!key || strcmp(previous, key) >= 0 ||
            !cbn_take_name(&archive->strings, cbn_get32(row + CBN_PROPERTY_VALUE), &room)) {
            return cbn_error(CUBINET_ERROR_DAMAGED, "property number %u is malformed or misplaced",
                             (unsigned)i);
        }
        previous = key;
    }
    return CUBINET_OK;
}

static cubinet_status read_tables(struct cubinet_archive *archive)
{
    struct cbn_table tables[ROOT_TABLES];
    cubinet_status status =
        cbn_tables_read(archive->root, archive->root_size, CBN_HEADER_SIZE, root_tables, ROOT_TABLES, tables);
    if (status) {
        return status;
    }
    archive->strings = tables[STRINGS];
    archive->info = tables[INFO];
    archive->page_table = tables[PAGES];
    archive->seals = tables[SEALS];
    archive->signatures = tables[SIGNATURES];
    archive->properties = tables[PROPERTIES];
    status = check_info(&archive->info, &archive->strings);
    if (!status) {
        status = read_modules(archive, &tables[MODULES]);
    }
    if (!status) {
        status = check_properties(archive);
    }
    return status ? status : check_signed(archive);
}

/* The archive's first bytes: all, or as many as were read at once. */
struct start {
    const unsigned char *bytes;
    size_t size;
};

/* What every zip file starts with: the local header of its first entry. */
static const unsigned char zip_start[] = {'P', 'K', 3, 4};

static bool is_printable(const unsigned char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] < ' ' || text[i] > '~') {
            return false;
        }
    }
    return true;
}

/* A zip file that starts with another entry than the index. */
static cubinet_status other_zip(const struct cubinet_archive *archive, const unsigned char *name,
                                size_t name_size)
{
    if (name_size > 100 || !is_printable(name, name_size)) {
        return cbn_error(CUBINET_ERROR_NOT_ARCHIVE, "%s is a zip file, but not a Cubinet archive",
                         archive->name);
    }
    return cbn_error(CUBINET_ERROR_NOT_ARCHIVE,
                     "%s is a zip file, but not a Cubinet archive: it starts with '%.*s', not with '%s'",
                     archive->name, (int)name_size, (const char *)name, CBN_INDEX_ENTRY);
}

static cubinet_status ends_early(const struct cubinet_archive *archive)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "%s is truncated: it ends before its index, after %zu bytes",
                     archive->name, archive->storage.size);
}

/* Finds the index by the first entry's local header, which is in the start if the archive has it. */
static cubinet_status find_index(struct cubinet_archive *archive, const unsigned char *start)
{
    size_t size = archive->storage.size;
    if (size < sizeof(zip_start) || memcmp(start, zip_start, sizeof(zip_start)) != 0) {
        return cbn_error(CUBINET_ERROR_NOT_ARCHIVE, "%s is not a Cubinet archive: it is not a zip file",
                         archive->name);
    }
    if (size < CBN_ZIP_NAME) {
        return ends_early(archive);
    }
    size_t name_size = cbn_get16(start + CBN_ZIP_NAME_SIZE);
    size_t offset = CBN_ZIP_NAME + name_size + cbn_get16(start + CBN_ZIP_EXTRA_SIZE);
    if (size - CBN_ZIP_NAME < name_size) {
        return ends_early(archive);
    }
    if (name_size != strlen(CBN_INDEX_ENTRY) || memcmp(start + CBN_ZIP_NAME, CBN_INDEX_ENTRY, name_size)) {
        return other_zip(archive, start + CBN_ZIP_NAME, name_size);
    }
    if (cbn_get16(start + CBN_ZIP_METHOD) != 0) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "%s is damaged: a zip tool has rewritten it and compressed its index; write it with "
                         "`cubinet pack`",
                         archive->name);
    }
    if (size < offset || size - offset < CBN_HEADER_SIZE) {
        return ends_early(archive);
    }
    archive->index_start = offset;
    return CUBINET_OK;
}

/* Copies bytes of the index from `from` on. What is in the start is not read again. */
static cubinet_status copy_index(const struct cubinet_archive *archive, const struct start *start,
                                 size_t from, size_t size, unsigned char *out)
{
    size_t begin = (size_t)archive->index_start + from;
    size_t there = start->size > begin ? start->size - begin : 0;
    there = there < size ? there : size;
    if (there > 0) {
        memcpy(out, start->bytes + begin, there);
    }
    return cbn_archive_refuse(archive,
                              cbn_storage_read(&archive->storage, begin + there, size - there, out + there));
}

static cubinet_status read_header(struct cubinet_archive *archive, const unsigned char *header)
{
    if (memcmp(header, CBN_MAGIC, CBN_MAGIC_SIZE) != 0) {
        return cbn_error(CUBINET_ERROR_NOT_ARCHIVE, "%s is not a Cubinet archive: its '%s' is something else",
                         archive->name, CBN_INDEX_ENTRY);
    }
    archive->format_major = cbn_get16(header + CBN_HEADER_FORMAT_MAJOR);
    archive->format_minor = cbn_get16(header + CBN_HEADER_FORMAT_MINOR);
    archive->index_size = cbn_get32(header + CBN_HEADER_INDEX_SIZE);
    archive->root_size = cbn_get32(header + CBN_HEADER_ROOT_SIZE);
    cubinet_status status = check_version(archive, header);
    return status ? status : check_sizes(archive, header);
}

/* A copy of the root and of what is unused after it: whoever may write to the archive's file must not be
 * able to alter what was checked. The header is the one that was checked already. */
static cubinet_status copy_root(struct cubinet_archive *archive, const struct start *start,
                                const unsigned char *header)
{
    uint64_t padded = cbn_align(archive->root_size);
    size_t size = padded < archive->index_size ? (size_t)padded : archive->index_size;
    archive->owned_root = malloc(size);
    if (!archive->owned_root) {
        return cbn_error_memory();
    }
    archive->root = archive->owned_root;
    memcpy(archive->owned_root, header, CBN_HEADER_SIZE);
    return copy_index(archive, start, CBN_HEADER_SIZE, size - CBN_HEADER_SIZE,
                      archive->owned_root + CBN_HEADER_SIZE);
}

/* Finds the root, and has it in memory. */
static cubinet_status take_root(struct cubinet_archive *archive, const struct start *start)
{
    unsigned char header[CBN_HEADER_SIZE];
    cubinet_status status = find_index(archive, start->bytes);
    if (!status) {
        status = copy_index(archive, start, 0, sizeof(header), header);
    }
    if (!status) {
        status = read_header(archive, header);
    }
    if (status) {
        return status;
    }
    if (cbn_storage_is_file(&archive->storage)) {
        return copy_root(archive, start, header);
    }
    archive->root = archive->storage.bytes + archive->index_start;
    return CUBINET_OK;
}

cubinet_status cbn_root_read(struct cubinet_archive *archive, const unsigned char *start, size_t start_size)
{
    const struct start first = {start, start_size};
    cubinet_status status = take_root(archive, &first);
    if (!status && !archive->is_sound) {
        status = check_digest(archive);
    }
    if (!status) {
        status = cbn_archive_refuse(archive, read_tables(archive));
    }
    if (!status && archive->trust) {
        status = cbn_trust_check_root(archive->trust, archive->name, archive->root, archive->root_size,
                                      &archive->signatures);
    }
    return status;
}
