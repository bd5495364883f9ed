/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that are signed with a key that is trusted, but not well: the signature does not reach every
 * module, or every image, because whoever signed used another tool. What it does not cover could be
 * anybody's. */
#include "archive/archive_writer.h"
#include "archive/index_writer.h"
#include "base/file.h"
#include "loader/core/archive/format.h"
#include "seal.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct forgery {
    unsigned char *bytes;
    size_t size;
    unsigned char *index;
    struct signing_key key;
};

/* An archive of so many modules of two images. */
static struct forgery forge(uint8_t modules)
{
    struct forgery forgery = {0};
    struct draft draft = {0};
    for (uint8_t i = 0; i < modules; i++) {
        char name[16];
        snprintf(name, sizeof(name), "module%02d", i);
        for (int number = 80; number <= 90; number += 10) {
            const cubinet_target target = {.kind = CUBINET_IMAGE_CUBIN, .number = number};
            unsigned char *data = (unsigned char *)strdup("code");
            assert_int_equal(
                draft_add_image(draft_module(&draft, name), target, data, 4, NULL, "a test", NULL),
                CUBINET_OK);
        }
    }
    char path[] = "/tmp/cubinet-forgery-XXXXXX";
    char *text = NULL;
    close(mkstemp(path));
    assert_int_equal(signing_key_read(SIGNATURE_KEYS "/plain.key", &forgery.key), CUBINET_OK);
    const struct archive_writer_options options = {.keys = &forgery.key, .key_count = 1};
    assert_int_equal(archive_write_file(&draft, &options, path), CUBINET_OK);
    assert_int_equal(file_read(path, &text, &forgery.size), CUBINET_OK);
    unlink(path);
    draft_free(&draft);
    forgery.bytes = (unsigned char *)text;
    forgery.index = memmem(text, forgery.size, CBN_MAGIC, CBN_MAGIC_SIZE);
    assert_non_null(forgery.index);
    return forgery;
}

/* A table of a set whose directory starts so far into it. */
static unsigned char *entry_of(unsigned char *set, size_t directory, unsigned int table)
{
    unsigned char *entry = set + directory + CBN_DIRECTORY_SIZE;
    while (cbn_get16(entry + CBN_ENTRY_ID) != table) {
        entry += CBN_DIRECTORY_ENTRY_SIZE;
    }
    return entry;
}

static unsigned char *first_row(unsigned char *set, size_t directory, unsigned int table)
{
    return set + cbn_get32(entry_of(set, directory, table) + CBN_ENTRY_OFFSET);
}

/* What of an archive is altered. */
struct part {
    unsigned char *set;
    size_t directory;
};

static struct part root_of(const struct forgery *forgery)
{
    return (struct part){forgery->index, CBN_HEADER_SIZE};
}

static struct part page_of(const struct forgery *forgery)
{
    unsigned char *row = first_row(forgery->index, CBN_HEADER_SIZE, CBN_TABLE_PAGES);
    return (struct part){forgery->index + cbn_get32(row + CBN_PAGE_OFFSET), 0};
}

/* The first module's. */
static struct part block_of(const struct part *list)
{
    unsigned char *row = first_row(list->set, list->directory, CBN_TABLE_MODULES);
    return (struct part){list->set + cbn_get32(row + CBN_MODULE_BLOCK_OFFSET), 0};
}

/* Leaves a table out: readers pass over tables of that number. */
static void leave_out(const struct part *part, unsigned int table)
{
    cbn_put16(entry_of(part->set, part->directory, table) + CBN_ENTRY_ID, (uint16_t)(table - 1));
}

/* A table's last row. */
static void leave_out_row(const struct part *part, unsigned int table)
{
    unsigned char *entry = entry_of(part->set, part->directory, table);
    cbn_put32(entry + CBN_ENTRY_COUNT, cbn_get32(entry + CBN_ENTRY_COUNT) - 1);
}

/* Signs what the forgery is now. */
static void sign(const struct forgery *forgery)
{
    size_t root_size = cbn_get32(forgery->index + CBN_HEADER_ROOT_SIZE);
    seal(forgery->bytes, forgery->size);
    assert_int_equal(index_sign(forgery->index, root_size, &forgery->key, 1), CUBINET_OK);
    seal(forgery->bytes, forgery->size);
}

/* Makes the list's digest of the first module's block right. */
static void cover_block(const struct forgery *forgery, const struct part *list)
{
    unsigned char *row = first_row(list->set, list->directory, CBN_TABLE_MODULES);
    unsigned char *block = list->set + cbn_get32(row + CBN_MODULE_BLOCK_OFFSET);
    seal(forgery->bytes, forgery->size);
    signing_seal(block, cbn_get32(row + CBN_MODULE_BLOCK_SIZE),
                 first_row(list->set, list->directory, CBN_TABLE_SEALS));
}

static void cover_page(const struct forgery *forgery)
{
    unsigned char *row = first_row(forgery->index, CBN_HEADER_SIZE, CBN_TABLE_PAGES);
    seal(forgery->bytes, forgery->size);
    signing_seal(page_of(forgery).set, cbn_get32(row + CBN_PAGE_BYTES),
                 first_row(forgery->index, CBN_HEADER_SIZE, CBN_TABLE_SEALS));
}

/* The status of reading the first image, of a program that trusts the key or none. */
static cubinet_status read_first(const struct forgery *forgery, bool is_trusting)
{
    char *key = NULL;
    size_t size = 0;
    char image[16];
    cubinet_archive *archive = NULL;
    assert_int_equal(file_read(SIGNATURE_KEYS "/plain.pub", &key, &size), CUBINET_OK);
    const char *const keys[] = {key};
    const cubinet_archive_options options = {
        .size = sizeof(options), .public_keys = is_trusting ? keys : NULL, .public_key_count = is_trusting};
    cubinet_status status = cubinet_archive_open_memory(forgery->bytes, forgery->size, &options, &archive);
    status = status ? status : cubinet_archive_read_image(archive, 0, 0, image, sizeof(image));
    cubinet_archive_close(archive);
    free(key);
    return status;
}

static void expect(struct forgery *forgery, bool is_trusting, cubinet_status status, const char *message)
{
    assert_int_equal(read_first(forgery, is_trusting), status);
    if (status) {
        assert_non_null(strstr(cubinet_error_message(), message));
    }
    free(forgery->bytes);
}

enum { PAGED = 66 }; /* modules, which are listed in pages */

static void forgeries_are_signed(void **state)
{
    (void)state;
    struct forgery forgery = forge(1);
    const struct part root = root_of(&forgery);
    cover_block(&forgery, &root);
    sign(&forgery);
    expect(&forgery, true, CUBINET_OK, NULL);

    forgery = forge(PAGED);
    const struct part page = page_of(&forgery);
    cover_block(&forgery, &page);
    cover_page(&forgery);
    sign(&forgery);
    expect(&forgery, true, CUBINET_OK, NULL);
}

static void a_signature_covers_all_modules(void **state)
{
    (void)state;
    static const uint8_t modules[] = {1, 2, PAGED};
    for (size_t i = 0; i < COUNT(modules); i++) {
        struct forgery forgery = forge(modules[i]);
        const struct part root = root_of(&forgery);
        leave_out(&root, CBN_TABLE_SEALS);
        sign(&forgery);
        expect(&forgery, true, CUBINET_ERROR_DAMAGED, "it is signed, but its modules are not covered");
        forgery = forge(modules[i]);
        const struct part other = root_of(&forgery);
        leave_out_row(&other, CBN_TABLE_SEALS);
        sign(&forgery);
        expect(&forgery, false, CUBINET_ERROR_DAMAGED, "it is signed, but its modules are not covered");
    }
}

static void a_signature_covers_all_modules_of_a_page(void **state)
{
    (void)state;
    struct forgery forgery = forge(PAGED);
    struct part page = page_of(&forgery);
    leave_out(&page, CBN_TABLE_SEALS);
    cover_page(&forgery);
    sign(&forgery);
    assert_int_equal(read_first(&forgery, false), CUBINET_OK);
    expect(&forgery, true, CUBINET_ERROR_NOT_TRUSTED, "the signature does not cover its modules");

    forgery = forge(PAGED);
    page = page_of(&forgery);
    leave_out_row(&page, CBN_TABLE_SEALS);
    cover_page(&forgery);
    sign(&forgery);
    expect(&forgery, false, CUBINET_ERROR_DAMAGED, "digests of them for a signature");
}

static void a_signature_covers_all_images(void **state)
{
    (void)state;
    struct forgery forgery = forge(1);
    struct part root = root_of(&forgery);
    struct part block = block_of(&root);
    leave_out(&block, CBN_TABLE_IMAGE_SEALS);
    cover_block(&forgery, &root);
    sign(&forgery);
    assert_int_equal(read_first(&forgery, false), CUBINET_OK);
    expect(&forgery, true, CUBINET_ERROR_NOT_TRUSTED, "the signature does not cover its images");

    forgery = forge(1);
    root = root_of(&forgery);
    block = block_of(&root);
    leave_out_row(&block, CBN_TABLE_IMAGE_SEALS);
    cover_block(&forgery, &root);
    sign(&forgery);
    expect(&forgery, false, CUBINET_ERROR_DAMAGED, "it has 2 images, and 1 digests of images");
}

/* The rows of the digests before the signatures become signatures, too. */
static void there_are_not_too_many_signatures(void **state)
{
    (void)state;
    enum { MORE = CBN_SIGNATURES_MAX };
    struct forgery forgery = forge(64);
    unsigned char *seals = entry_of(forgery.index, CBN_HEADER_SIZE, CBN_TABLE_SEALS);
    unsigned char *signatures = entry_of(forgery.index, CBN_HEADER_SIZE, CBN_TABLE_SIGNATURES);
    cbn_put32(seals + CBN_ENTRY_COUNT, 0);
    cbn_put32(signatures + CBN_ENTRY_OFFSET,
              cbn_get32(signatures + CBN_ENTRY_OFFSET) - MORE * CBN_SIGNATURE_SIZE);
    cbn_put32(signatures + CBN_ENTRY_COUNT, 1 + MORE);
    seal(forgery.bytes, forgery.size);
    expect(&forgery, true, CUBINET_ERROR_DAMAGED, "it has 17 signatures, and 16 at most are read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forgeries_are_signed),
        cmocka_unit_test(a_signature_covers_all_modules),
        cmocka_unit_test(a_signature_covers_all_modules_of_a_page),
        cmocka_unit_test(a_signature_covers_all_images),
        cmocka_unit_test(there_are_not_too_many_signatures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
