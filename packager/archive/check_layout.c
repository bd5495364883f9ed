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
    const cubinet_image_info *info;
    size_t number;
};

static const char *target_text(const struct filed *filed, char name[CUBINET_TARGET_NAME_SIZE])
{
    return cubinet_target_name(filed->info->target, name);
}

/* A module's compressed images come before the others where they share an entry. */
static void list_module(const cubinet_archive *archive, const struct listing_module *module,
                        struct filed *list, size_t *count)
{
    bool is_packed = cbn_archive_block_is_packed(archive, module->number);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < module->image_count; i++) {
            bool is_first = is_packed && module->images[i].encoding != CUBINET_ENCODING_RAW;
            if (is_first == (pass == 0)) {
                list[*count] = (struct filed){module, &module->images[i], *count};
                ++*count;
            }
        }
    }
}

static struct filed *list_images(const cubinet_archive *archive, const struct listing *listing,
                                 size_t *out_count)
{
    size_t count = 0;
    for (uint32_t i = 0; i < listing->module_count; i++) {
        count += listing->modules[i].image_count;
    }
    struct filed *list = calloc(count + 1, sizeof(*list));
    count = 0;
    for (uint32_t i = 0; list && i < listing->module_count; i++) {
        list_module(archive, &listing->modules[i], list, &count);
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
        uint64_t offset = list[i].info->offset;
        char name[CUBINET_TARGET_NAME_SIZE];
        if (offset >= end) {
            places[place_count++] = offset;
            end = offset + list[i].info->stored_size;
        } else if (!bsearch(&offset, places, place_count, sizeof(*places), compare_offset)) {
            problems_add(problems, "module '%s', %s: it does not lie in the order of modules and images",
                         list[i].module->name, target_text(&list[i], name));
            return; /* every one behind would be out of order, too */
        }
    }
}

/* Equal bytes of one kind side by side, in the order of filing. */
static int compare_bytes(const void *a, const void *b)
{
    const struct filed *left = a;
    const struct filed *right = b;
    int order = memcmp(left->info->digest, right->info->digest, sizeof(left->info->digest));
    if (order == 0 && left->info->target.kind != right->info->target.kind) {
        order = left->info->target.kind < right->info->target.kind ? -1 : 1;
    }
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

static void check_equal(struct filed *list, size_t count, struct problems *problems)
{
    qsort(list, count, sizeof(*list), compare_bytes);
    for (size_t i = 1; i < count; i++) {
        const cubinet_image_info *first = list[i - 1].info;
        const cubinet_image_info *second = list[i].info;
        char name[CUBINET_TARGET_NAME_SIZE];
        char other[CUBINET_TARGET_NAME_SIZE];
        if (memcmp(first->digest, second->digest, sizeof(first->digest)) == 0 &&
            first->target.kind == second->target.kind && first->stored_size == second->stored_size &&
            first->offset != second->offset) {
            problems_add(problems,
                         "module '%s', %s: its bytes are stored a second time, after %s of module '%s'",
                         list[i].module->name, target_text(&list[i], name), target_text(&list[i - 1], other),
                         list[i - 1].module->name);
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
    if (start != end || directory.next != directory.end || directory.end != directory.behind ||
        directory.has_tail) {
        problems_add(problems, "there are bytes beside the zip directory that zip does not require");
    }
}
