/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_layout.h"

#include "archive/zip_directory.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* An image in the order in which images are filed. */
struct filed {
    const struct listing_module *module;
    uint32_t image;
    uint32_t part;
    bool with_parts; /* its module has images of parts */
    cubinet_part_info info;
    size_t number;
};

static const char *text_of(const struct filed *filed, char text[LISTING_PART_TEXT_SIZE])
{
    return listing_part_text(filed->module, filed->image, filed->part, text);
}

/* A module's compressed images come before the others where they share an entry. */
static cubinet_status list_module(const cubinet_archive *archive, const struct listing_module *module,
                                  struct filed *list, size_t *count)
{
    bool is_packed = cbn_archive_block_is_packed(archive, module->number);
    bool with_parts = listing_part_count(module) > module->image_count;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0, part = 0; i < module->image_count;) {
            struct filed filed = {module, i, part, with_parts, {.size = sizeof(filed.info)}, *count};
            cubinet_status status = cubinet_archive_get_part(archive, module->number, i, part, &filed.info);
            if (status) {
                return status;
            }
            bool is_first = is_packed && filed.info.encoding != CUBINET_ENCODING_RAW;
            if (is_first == (pass == 0)) {
                list[(*count)++] = filed;
            }
            bool is_last = ++part == module->images[i].part_count;
            i += is_last;
            part = is_last ? 0 : part;
        }
    }
    return CUBINET_OK;
}

static struct filed *list_images(const cubinet_archive *archive, const struct listing *listing,
                                 size_t *out_count)
{
    size_t count = 0;
    for (uint32_t i = 0; i < listing->module_count; i++) {
        count += listing_part_count(&listing->modules[i]);
    }
    struct filed *list = calloc(count + 1, sizeof(*list));
    count = 0;
    for (uint32_t i = 0; list && i < listing->module_count; i++) {
        if (list_module(archive, &listing->modules[i], list, &count)) {
            free(list);
            return NULL;
        }
    }
    *out_count = count;
    return list;
}

static int compare_offset(const void *offset, const void *place)
{
    uint64_t wanted = *(const uint64_t *)offset;
    uint64_t there = *(const uint64_t *)place;
    return (wanted > there) - (wanted < there);
}

/* What is not new to the file has to be where an image before has put it. */
static void check_order(const struct filed *list, size_t count, uint64_t *places, struct problems *problems)
{
    uint64_t end = 0;
    size_t place_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = list[i].info.offset;
        char text[LISTING_PART_TEXT_SIZE];
        if (offset >= end) {
            places[place_count++] = offset;
            end = offset + list[i].info.stored_size;
        } else if (!bsearch(&offset, places, place_count, sizeof(*places), compare_offset)) {
            problems_add(problems, "%s: it does not lie in the order of modules and images",
                         text_of(&list[i], text));
            return; /* every one after would be out of order, too */
        }
    }
}

static cubinet_image_kind kind_of(const struct filed *filed)
{
    return filed->module->images[filed->image].target.kind;
}

/* Equal bytes that are stored once side by side, in the order of filing: of one kind, in modules that have
 * all or none of them images of parts. */
static int compare_equal(const struct filed *left, const struct filed *right)
{
    int order = memcmp(left->info.digest, right->info.digest, sizeof(left->info.digest));
    if (order == 0 && kind_of(left) != kind_of(right)) {
        order = kind_of(left) < kind_of(right) ? -1 : 1;
    }
    return order ? order : left->with_parts - right->with_parts;
}

static int compare_bytes(const void *a, const void *b)
{
    const struct filed *left = a;
    const struct filed *right = b;
    int order = compare_equal(left, right);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

static void check_equal(struct filed *list, size_t count, struct problems *problems)
{
    qsort(list, count, sizeof(*list), compare_bytes);
    for (size_t i = 1; i < count; i++) {
        const struct filed *first = &list[i - 1];
        const struct filed *second = &list[i];
        char text[LISTING_PART_TEXT_SIZE];
        char other[LISTING_PART_TEXT_SIZE];
        if (compare_equal(first, second) == 0 && first->info.stored_size == second->info.stored_size &&
            first->info.offset != second->info.offset) {
            problems_add(problems, "%s: its bytes are stored a second time, after those of %s",
                         text_of(second, text), text_of(first, other));
        }
    }
}

void check_filing(const cubinet_archive *archive, const struct listing *listing, struct problems *problems)
{
    size_t count;
    struct filed *list = list_images(archive, listing, &count);
    uint64_t *places = calloc(count + 1, sizeof(*places));
    if (list && places) {
        check_order(list, count, places, problems);
        if (listing->archive.format_minor >= 2) {
            check_equal(list, count, problems);
        }
    } else {
        problems->lines.failed = true;
    }
    free(places);
    free(list);
}

static void check_record(const struct zip_entry *entry, const struct zip_entry *first, uint64_t end,
                         struct problems *problems)
{
    int size = (int)entry->name_size;
    if (entry->local != end) {
        problems_add(problems, "zip entry '%.*s': there are bytes before it, from %llu on", size, entry->name,
                     (unsigned long long)end);
    }
    if (!entry->is_repeated) {
        problems_add(problems,
                     "zip entry '%.*s': the header before it and the zip directory say different things",
                     size, entry->name);
    }
    if (entry->has_more) {
        problems_add(problems, "zip entry '%.*s' has a comment or an extra field, which archives do without",
                     size, entry->name);
    }
    if (entry->time != first->time) {
        problems_add(problems, "zip entry '%.*s' has another time than '%.*s'", size, entry->name,
                     (int)first->name_size, first->name);
    }
}

void check_zip_records(const unsigned char *bytes, size_t size, struct problems *problems)
{
    struct zip_directory directory;
    struct zip_entry first = {0};
    struct zip_entry entry;
    uint64_t end = 0;
    if (zip_directory_open(bytes, size, &directory)) {
        return;
    }
    uint64_t start = directory.next;
    while (directory.left > 0 && !zip_directory_next(&directory, &entry)) {
        first = first.name ? first : entry;
        check_record(&entry, &first, end, problems);
        end = entry.data + entry.stored_size;
    }
    if (start != end || directory.next != directory.end || directory.end != directory.end_records ||
        directory.has_tail) {
        problems_add(problems, "there are bytes beside the zip directory that zip does not require");
    }
}
