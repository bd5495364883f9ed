/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/index_modules.h"

#include "loader/core/archive/digest.h"
#include "loader/core/archive/format.h"
#include "loader/core/support/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Up to that many modules are listed in the root, where readers of format 1.2 find them. A page has no
 * fewer. */
enum { ROOT_MODULES = 64 };

/* A row lists one part: a block or a page. */
enum {
    PART_NAME = CBN_MODULE_NAME,
    PART_OFFSET = CBN_MODULE_BLOCK_OFFSET,
    PART_SIZE = CBN_MODULE_BLOCK_SIZE,
    PART_NUMBER = CBN_MODULE_BLOCK_RAW_SIZE, /* of a block its raw size, of a page how many modules */
    PART_DIGEST = CBN_MODULE_DIGEST,
    PART_ROW = CBN_MODULE_SIZE
};
_Static_assert((int)PART_NAME == (int)CBN_PAGE_NAME && (int)PART_OFFSET == (int)CBN_PAGE_OFFSET &&
                   (int)PART_SIZE == (int)CBN_PAGE_BYTES && (int)PART_NUMBER == (int)CBN_PAGE_MODULES &&
                   (int)PART_DIGEST == (int)CBN_PAGE_DIGEST && (int)PART_ROW == (int)CBN_PAGE_SIZE,
               "modules and pages are listed alike");

bool index_has_pages(const struct index_writer *writer)
{
    return writer->draft->module_count > ROOT_MODULES;
}

/* As many modules in a page as there are pages, or twice as many: opening reads the list of pages, and the
 * first use of a module one page. */
static size_t page_modules(size_t modules)
{
    size_t count = ROOT_MODULES;
    while (count * count < modules) {
        count *= 2;
    }
    return count;
}

/* Of the modules that are listed together. */
static size_t list_length(const struct index_writer *writer)
{
    size_t count = writer->draft->module_count;
    return index_has_pages(writer) ? page_modules(count) : count;
}

bool index_needs_parts(const struct index_writer *writer)
{
    size_t step = list_length(writer);
    for (size_t i = 0; writer->options->zstd_level && i + 1 < writer->draft->module_count; i += step) {
        if (draft_has_parts(&writer->draft->modules[i])) {
            return true;
        }
    }
    return false;
}

static cubinet_status check_size(size_t size)
{
    if (size > UINT32_MAX) {
        return cbn_error(CUBINET_ERROR_LIMIT, "the index would have %zu bytes; it can have at most %u", size,
                         UINT32_MAX);
    }
    return CUBINET_OK;
}

static struct index_list list_start(const struct index_writer *writer, struct table_set *set,
                                    struct buffer *strings, uint16_t table)
{
    struct index_list list = {.strings = strings, .rows = table_set_add(set, table, PART_ROW)};
    if (writer->options->key_count > 0) {
        list.seals = table_set_add(set, CBN_TABLE_SEALS, CBN_SEAL_SIZE);
    }
    return list;
}

void index_list_free(struct index_list *list)
{
    buffer_free(&list->parts);
    buffer_free(&list->first_block);
}

/* Lists a part that lies among the others, from `start` on. */
static void list_part(struct index_list *list, const char *name, size_t start, size_t size, uint32_t number)
{
    const char *bytes = list->parts.data + start;
    struct cbn_digest digest = cbn_digest(bytes, size);
    unsigned char row[PART_ROW] = {0};
    cbn_put32(row + PART_NAME, table_string(list->strings, name));
    cbn_put32(row + PART_OFFSET, (uint32_t)start);
    cbn_put32(row + PART_SIZE, (uint32_t)size);
    cbn_put32(row + PART_NUMBER, number);
    memcpy(row + PART_DIGEST, digest.bytes, sizeof(digest.bytes));
    buffer_append(list->rows, row, sizeof(row));
    if (list->seals) {
        unsigned char seal[CBN_SEAL_SIZE];
        signing_seal(bytes, size, seal);
        buffer_append(list->seals, seal, sizeof(seal));
    }
}

cubinet_status index_list_place(const struct index_list *list, size_t tables_size)
{
    size_t by = (size_t)cbn_align(tables_size);
    cubinet_status status = check_size(by + list->parts.size);
    for (size_t at = 0; !status && at < list->rows->size; at += PART_ROW) {
        unsigned char *offset = (unsigned char *)list->rows->data + at + PART_OFFSET;
        cbn_put32(offset, cbn_get32(offset) + (uint32_t)by);
    }
    return status;
}

/* Whether a reader decompresses a block from a frame of that size, after those before it. */
static bool is_taken(const struct index_list *list, size_t raw_size, size_t frame_size)
{
    return raw_size <= cbn_block_limit((uint32_t)frame_size) &&
           list->raw_size + raw_size <= cbn_index_limit(list->before + list->parts.size + frame_size);
}

/* A block that is the same as many others, but for little, may take too few bytes to be believed. */
static cubinet_status pack_block(const struct index_writer *writer, const struct index_list *list,
                                 struct byte_span raw, void **out_frame, size_t *out_size)
{
    struct byte_span base = {list->first_block.data, list->first_block.size};
    cubinet_status status =
        frame_packer_pack(writer->packer, raw, base, writer->options->zstd_level, out_frame, out_size);
    if (!status && !is_taken(list, raw.size, *out_size)) {
        free(*out_frame);
        status = frame_packer_store(raw, out_frame, out_size);
    }
    return status;
}

/* Puts a block after those before it, compressed if blocks are. */
static cubinet_status append_block(const struct index_writer *writer, struct index_list *list,
                                   const struct buffer *block)
{
    if (writer->options->zstd_level == 0) {
        buffer_append(&list->parts, block->data, block->size);
        return CUBINET_OK;
    }
    struct byte_span raw = {block->data, block->size};
    void *frame;
    size_t size;
    cubinet_status status = pack_block(writer, list, raw, &frame, &size);
    if (status) {
        return status;
    }
    list->raw_size += raw.size;
    buffer_append(&list->parts, frame, size);
    free(frame);
    if (list->first_block.size == 0) {
        buffer_append(&list->first_block, block->data, block->size);
    }
    return list->first_block.failed ? cbn_error_memory() : CUBINET_OK;
}

static cubinet_status add_module(const struct index_writer *writer, struct index_list *list,
                                 const struct draft_module *module, const struct stored_image *stored)
{
    struct buffer block = {0};
    table_align(&list->parts, 0);
    size_t start = list->parts.size;
    cubinet_status status = index_block_make(writer, module, stored, &block);
    if (!status) {
        status = check_size(block.size);
    }
    if (!status) {
        status = append_block(writer, list, &block);
    }
    if (!status) {
        status = list->parts.failed ? cbn_error_memory() : check_size(list->parts.size);
    }
    if (!status) {
        uint32_t raw_size = writer->options->zstd_level ? (uint32_t)block.size : 0;
        list_part(list, module->name, start, list->parts.size - start, raw_size);
    }
    buffer_free(&block);
    return status;
}

/* Modules of the draft that are listed together. */
struct run {
    size_t first;
    size_t end;
};

/* `io_stored` is the first image of the run, and then the first after it. */
static cubinet_status add_modules(const struct index_writer *writer, struct run run,
                                  const struct stored_image **io_stored, struct index_list *list)
{
    for (size_t i = run.first; i < run.end; i++) {
        const struct draft_module *module = &writer->draft->modules[i];
        cubinet_status status = add_module(writer, list, module, *io_stored);
        if (status) {
            return status;
        }
        *io_stored += module->image_count;
    }
    return list->rows->failed ? cbn_error_memory() : CUBINET_OK;
}

/* Appends a page and after it its modules' blocks, and lists it. */
static cubinet_status join_page(struct index_list *pages, const struct table_set *set,
                                const struct index_list *modules, const char *first, uint32_t count)
{
    size_t size = table_set_size(set, 0);
    cubinet_status status = index_list_place(modules, size);
    if (status) {
        return status;
    }
    struct buffer *out = &pages->parts;
    table_align(out, 0);
    size_t start = out->size;
    table_set_append(set, out, start);
    table_align(out, 0);
    buffer_append(out, modules->parts.data, modules->parts.size);
    if (out->failed) {
        return cbn_error_memory();
    }
    list_part(pages, first, start, size, count);
    return check_size(out->size);
}

static cubinet_status add_page(const struct index_writer *writer, struct run run,
                               const struct stored_image **io_stored, struct index_list *pages)
{
    struct table_set set = {0};
    struct buffer *strings = table_set_add_strings(&set);
    struct index_list modules = list_start(writer, &set, strings, CBN_TABLE_MODULES);
    modules.before = pages->parts.size;
    modules.raw_size = pages->raw_size;
    cubinet_status status = add_modules(writer, run, io_stored, &modules);
    if (!status) {
        status = join_page(pages, &set, &modules, writer->draft->modules[run.first].name,
                           (uint32_t)(run.end - run.first));
    }
    pages->raw_size = modules.raw_size;
    index_list_free(&modules);
    table_set_free(&set);
    return status;
}

cubinet_status index_modules_add(const struct index_writer *writer, struct table_set *root,
                                 struct buffer *strings, struct index_list *out_list)
{
    const struct stored_image *stored = writer->stored;
    size_t count = writer->draft->module_count;
    if (!index_has_pages(writer)) {
        *out_list = list_start(writer, root, strings, CBN_TABLE_MODULES);
        return add_modules(writer, (struct run){0, count}, &stored, out_list);
    }
    *out_list = list_start(writer, root, strings, CBN_TABLE_PAGES);
    size_t step = list_length(writer);
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < count; i += step) {
        struct run run = {i, count - i < step ? count : i + step};
        status = add_page(writer, run, &stored, out_list);
    }
    return status;
}
