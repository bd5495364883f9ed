/* SPDX-License-Identifier: Apache-2.0 */
/* Signed archives, opened by programs that trust a key: whole, altered, and altered by somebody who makes the
 * digests right again. */
#include "allocations.h"
#include "archive/archive_writer.h"
#include "base/file.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"
#include "loader/core/archive/sodium_table.h"
#include "memory_file.h"
#include "seal.h"
#include "unit.h"

#include <cubinet/archive.h>
#include <cubinet/catalog.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEYS SIGNATURE_KEYS "/"

struct bytes {
    unsigned char *data;
    size_t size;
};

static char *read_text(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(file_read(path, &text, &size), CUBINET_OK);
    return text;
}

static void add_image(struct draft_module *module, cubinet_image_kind kind, int number, const char *text)
{
    unsigned char *data = (unsigned char *)strdup(text);
    const cubinet_target target = {.kind = kind, .number = number};
    assert_non_null(data);
    assert_int_equal(draft_add_image(module, target, data, strlen(text), NULL, "a test", NULL), CUBINET_OK);
}

static struct signing_key read_key(const char *name)
{
    char path[1024];
    struct signing_key key;
    snprintf(path, sizeof(path), "%s%s.key", KEYS, name);
    assert_int_equal(signing_key_read(path, &key), CUBINET_OK);
    return key;
}

/* The draft as an archive that is signed with these keys. Frees it. */
static struct bytes sign_with(struct draft *draft, const struct signing_key *keys, size_t count,
                              int zstd_level)
{
    char path[] = "/tmp/cubinet-signature-XXXXXX";
    char *text = NULL;
    struct bytes bytes = {0};
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    const struct archive_writer_options options = {
        .keys = keys, .key_count = count, .zstd_level = zstd_level};
    assert_int_equal(archive_write_file(draft, &options, path), CUBINET_OK);
    assert_int_equal(file_read(path, &text, &bytes.size), CUBINET_OK);
    bytes.data = (unsigned char *)text;
    unlink(path);
    draft_free(draft);
    return bytes;
}

static struct bytes sign(struct draft *draft, const char *const *key_names, size_t count, int zstd_level)
{
    struct signing_key keys[CBN_SIGNATURES_MAX];
    for (size_t i = 0; i < count; i++) {
        keys[i] = read_key(key_names[i]);
    }
    return sign_with(draft, keys, count, zstd_level);
}

/* A property so long that a file is not read whole when it is opened. */
static void make_large(struct draft *draft)
{
    char property[10000] = "long=";
    memset(property + 5, 'v', sizeof(property) - 6);
    assert_int_equal(property_list_set(&draft->properties, property), CUBINET_OK);
}

/* An archive of two modules, signed with these keys. */
static struct bytes make_archive_of(bool is_large, const char *const *key_names, size_t count, int zstd_level)
{
    struct draft draft = {0};
    if (is_large) {
        make_large(&draft);
    }
    draft.archive_version = strdup("1.4.0");
    draft.abi = strdup("tests-3");
    struct draft_module *module = draft_module(&draft, "scan");
    add_image(module, CUBINET_IMAGE_CUBIN, 80,
              "code for 8.0 and code for 8.0 and code for 8.0, again and again");
    add_image(module, CUBINET_IMAGE_CUBIN, 90,
              "code for 9.0 and code for 9.0 and code for 9.0, again and again");
    module = draft_module(&draft, "sort");
    add_image(module, CUBINET_IMAGE_PTX, 80,
              ".version 9.0 and so on and so on and so on and so on and so on");
    return sign(&draft, key_names, count, zstd_level);
}

static struct bytes make_archive(const char *const *key_names, size_t count, int zstd_level)
{
    return make_archive_of(false, key_names, count, zstd_level);
}

/* As make_archive(), of so many modules that they are listed in pages, two in the last. */
static struct bytes make_pages(int zstd_level)
{
    struct draft draft = {0};
    for (int i = 0; i < 66; i++) {
        char name[16];
        snprintf(name, sizeof(name), "module%02d", i);
        add_image(draft_module(&draft, name), CUBINET_IMAGE_CUBIN, 80, "code, again and again and again");
    }
    return sign(&draft, (const char *const[]){"plain"}, 1, zstd_level);
}

/* Opens the archive with these keys, and reads every image into one run of bytes. */
static cubinet_status read_all(const struct bytes *bytes, const char *const *keys, size_t key_count,
                               char out[4096])
{
    const cubinet_archive_options options = {
        .size = sizeof(options), .public_keys = keys, .public_key_count = key_count};
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open_memory(bytes->data, bytes->size, &options, &archive);
    size_t used = 0;
    memset(out, 0, 4096);
    for (uint32_t i = 0; !status && i < cubinet_archive_get_module_count(archive); i++) {
        cubinet_module_info module = {.size = sizeof(module)};
        status = cubinet_archive_get_module(archive, i, &module);
        for (uint32_t j = 0; !status && j < module.image_count; j++) {
            cubinet_image_info image = {.size = sizeof(image)};
            status = cubinet_archive_get_image(archive, i, j, &image);
            if (!status) {
                status = cubinet_archive_read_image(archive, i, j, out + used, 4096 - used);
                used += (size_t)image.raw_size;
            }
        }
    }
    cubinet_archive_close(archive);
    return status;
}

static void expect(const struct bytes *bytes, const char *key, cubinet_status status, const char *message)
{
    char images[4096];
    assert_int_equal(read_all(bytes, &key, 1, images), status);
    if (message) {
        assert_string_equal(cubinet_error_message(), message);
    }
}

static void test_who_signed(void **state)
{
    (void)state;
    char *plain = read_text(KEYS "plain.pub");
    char *minisign = read_text(KEYS "minisign.pub");
    struct bytes none = make_archive(NULL, 0, 0);
    struct bytes one = make_archive((const char *const[]){"plain"}, 1, 0);
    struct bytes both = make_archive((const char *const[]){"minisign", "plain"}, 2, 0);
    expect(&one, plain, CUBINET_OK, NULL);
    expect(&both, plain, CUBINET_OK, NULL);
    expect(&both, minisign, CUBINET_OK, NULL);
    expect(&both, plain + strcspn(plain, "\n") + 1, CUBINET_OK, NULL); /* its last line */
    expect(&none, plain, CUBINET_ERROR_NOT_TRUSTED,
           "the archive in memory is not signed, and this program accepts only signed archives: sign it with "
           "`cubinet sign`");
    expect(
        &one, minisign, CUBINET_ERROR_NOT_TRUSTED,
        "the archive in memory is signed with the key 4743CB388BAC9DB0, which this program does not trust");
    const char *const keys[] = {minisign, plain};
    char images[4096];
    assert_int_equal(read_all(&one, keys, 2, images), CUBINET_OK);
    assert_int_equal(read_all(&one, keys, 0, images), CUBINET_ERROR_NOT_TRUSTED); /* nobody is trusted */
    assert_int_equal(read_all(&one, NULL, 1, images), CUBINET_ERROR_INVALID_ARGUMENT);
    free(none.data);
    free(one.data);
    free(both.data);
    free(plain);
    free(minisign);
}

/* The same for the same keys, in whatever order and however often they are given. */
static void test_which_keys(void **state)
{
    (void)state;
    char *plain = read_text(KEYS "plain.pub");
    char *minisign = read_text(KEYS "minisign.pub");
    struct bytes bytes = make_archive((const char *const[]){"plain"}, 1, 0);
    const char *const given[][2] = {{plain, minisign}, {minisign, plain}, {plain, plain}};
    cubinet_archive *archives[COUNT(given)];
    const void *keys[COUNT(given)];
    size_t sizes[COUNT(given)] = {0};
    for (size_t i = 0; i < COUNT(given); i++) {
        const cubinet_archive_options options = {
            .size = sizeof(options), .public_keys = given[i], .public_key_count = 2};
        assert_int_equal(cubinet_archive_open_memory(bytes.data, bytes.size, &options, &archives[i]),
                         CUBINET_OK);
        keys[i] = cbn_archive_trusted_keys(archives[i], &sizes[i]);
    }
    assert_true(sizes[0] >= 2 * 32);
    assert_int_equal(sizes[1], sizes[0]);
    assert_memory_equal(keys[1], keys[0], sizes[0]);
    assert_true(sizes[2] != sizes[0] || memcmp(keys[2], keys[0], sizes[0]) != 0);
    for (size_t i = 0; i < COUNT(given); i++) {
        cubinet_archive_close(archives[i]);
    }
    free(bytes.data);
    free(plain);
    free(minisign);
}

/* As many as can be read; each has the same secret, which does not matter here. */
static void test_many_signers(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct signing_key keys[12];
    char *minisign = read_text(KEYS "minisign.pub");
    for (size_t i = 0; i < COUNT(keys); i++) {
        keys[i] = read_key("plain");
        memset(keys[i].id, (int)i, sizeof(keys[i].id));
    }
    add_image(draft_module(&draft, "scan"), CUBINET_IMAGE_CUBIN, 80, "code");
    struct bytes bytes = sign_with(&draft, keys, COUNT(keys), 0);
    expect(&bytes, minisign, CUBINET_ERROR_NOT_TRUSTED,
           "the archive in memory is signed with the keys 0000000000000000, 0101010101010101, "
           "0202020202020202, 0303030303030303, 0404040404040404, 0505050505050505, 0606060606060606, "
           "0707070707070707, 0808080808080808, 0909090909090909, none of which this program trusts");
    free(bytes.data);
    free(minisign);
}

static void test_what_is_no_key(void **state)
{
    (void)state;
    struct bytes bytes = make_archive((const char *const[]){"plain"}, 1, 0);
    char *secret = read_text(KEYS "plain.key");
    expect(&bytes, "RWSwnayLOMtDRxArDvJyIyFywzKxSnY4MfDvzWzneBS08iBuqGm2Ium", CUBINET_ERROR_INVALID_ARGUMENT,
           NULL);
    expect(&bytes, "", CUBINET_ERROR_INVALID_ARGUMENT,
           "'' is not a public key: one is what `cubinet keygen` and minisign write to a .pub file, 56 "
           "characters "
           "that start with RW");
    expect(&bytes, secret, CUBINET_ERROR_INVALID_ARGUMENT, NULL);
    assert_non_null(
        strstr(cubinet_error_message(), "'RWQAAEIy…' is not a public key")); /* not the whole of it */
    expect(&bytes, NULL, CUBINET_ERROR_INVALID_ARGUMENT, NULL);
    expect(&bytes, "RXSwnayLOMtDRxArDvJyIyFywzKxSnY4MfDvzWzneBS08iBuqGm2IumI", CUBINET_ERROR_INVALID_ARGUMENT,
           NULL); /* of another algorithm */
    expect(&bytes, "RWSwnayLOMtDRxArDvJyIyFywzKxSnY4MfDvzWzneBS08iBuqGm2IumI!",
           CUBINET_ERROR_INVALID_ARGUMENT, NULL);                     /* more than a key */
    expect(&bytes, "RWSwnayL", CUBINET_ERROR_INVALID_ARGUMENT, NULL); /* less */
    assert_non_null(strstr(cubinet_error_message(), "'RWSwnayL' is not a public key"));
    expect(&bytes, " \n", CUBINET_ERROR_INVALID_ARGUMENT, NULL);
    assert_non_null(strstr(cubinet_error_message(), "'' is not a public key"));
    free(secret);
    free(bytes.data);
}

static void test_many_signed(void **state)
{
    (void)state;
    char *key = read_text(KEYS "minisign.pub");
    const char *names[CBN_SIGNATURES_MAX];
    for (size_t i = 0; i < COUNT(names); i++) {
        names[i] = "plain";
    }
    struct bytes two = make_archive(names, 2, 0);
    struct bytes most = make_archive(names, CBN_SIGNATURES_MAX, 0);
    expect(&two, key, CUBINET_ERROR_NOT_TRUSTED,
           "the archive in memory is signed with the keys 4743CB388BAC9DB0, 4743CB388BAC9DB0, none of which "
           "this program trusts");
    expect(&most, key, CUBINET_ERROR_NOT_TRUSTED, NULL); /* not all of them are told */
    assert_true(strlen(cubinet_error_message()) < 300);
    free(two.data);
    free(most.data);
    free(key);
}

static void test_no_memory(void **state)
{
    (void)state;
    char *key = read_text(KEYS "plain.pub");
    struct bytes bytes = make_archive((const char *const[]){"plain"}, 1, 0);
    const char *const keys[] = {key};
    const cubinet_archive_options options = {
        .size = sizeof(options), .public_keys = keys, .public_key_count = 1};
    cubinet_archive *archive = NULL;
    unsigned int failed = 0;
    while (!archive) {
        allocations_watch(++failed);
        cubinet_status status = cubinet_archive_open_memory(bytes.data, bytes.size, &options, &archive);
        allocations_stop();
        assert_int_equal(status, archive ? CUBINET_OK : CUBINET_ERROR_OUT_OF_MEMORY);
    }
    assert_true(failed > 2); /* the keys, and the hash */
    assert_true(cbn_archive_is_trusted(archive));
    cubinet_archive_close(archive);
    free(bytes.data);
    free(key);
}

struct counts {
    size_t refused;
    size_t harmless;
};

/* Whether a byte is one that a reader looks at: of the index or of an image. */
static bool is_read(const struct bytes *bytes, size_t at)
{
    const unsigned char *magic = memmem(bytes->data, bytes->size,
                                        "\x89"
                                        "CBNT",
                                        5);
    size_t index = (size_t)(magic - bytes->data);
    size_t index_size = bytes->data[index + 24] | (size_t)bytes->data[index + 25] << 8;
    bool found = at >= index && at < index + index_size;
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(bytes->data, bytes->size, NULL, &archive), CUBINET_OK);
    for (uint32_t i = 0; i < cubinet_archive_get_module_count(archive); i++) {
        cubinet_image_info image = {.size = sizeof(image)};
        for (uint32_t j = 0; cubinet_archive_get_image(archive, i, j, &image) == CUBINET_OK; j++) {
            found = found || (at >= image.offset && at - image.offset < image.stored_size);
        }
    }
    cubinet_archive_close(archive);
    return found;
}

/* Changes every byte in turn, or every `step`-th, with digests made right again or not. What is not refused
 * must be as it was. */
static struct counts change_bytes(const struct bytes *bytes, const char *key, bool is_sealed, size_t step)
{
    static const char altered_message[] =
        "the archive in memory was altered after it was signed with the key 4743CB388BAC9DB0, or that is not "
        "the key that it names";
    struct counts counts = {0};
    bool is_told = false;
    char expected[4096];
    char images[4096];
    struct bytes altered = {malloc(bytes->size), bytes->size};
    assert_non_null(altered.data);
    assert_int_equal(read_all(bytes, &key, 1, expected), CUBINET_OK);
    for (size_t i = 0; i < bytes->size; i += step) {
        memcpy(altered.data, bytes->data, bytes->size);
        altered.data[i] ^= 0x41;
        if (is_sealed) {
            seal(altered.data, altered.size);
        }
        if (read_all(&altered, &key, 1, images) == CUBINET_OK) {
            assert_memory_equal(images, expected, sizeof(images));
            assert_true(is_sealed || !is_read(bytes, i));
            counts.harmless++;
        } else {
            is_told |= strcmp(cubinet_error_message(), altered_message) == 0;
            counts.refused++;
        }
    }
    assert_true(is_told || !is_sealed);
    free(altered.data);
    return counts;
}

/* What docs/reference/format.md says is hashed, put together here from one end to the other: a function that
 * left out some of it would make signatures that it takes itself. */
static void test_what_is_hashed(void **state)
{
    (void)state;
    enum { SIZE = 400, SIGNATURES = 100, AFTER_DIGEST = 48, PREFIX = sizeof(CBN_SIGNED_PREFIX) };
    unsigned char root[SIZE];
    unsigned char text[PREFIX + SIZE];
    unsigned char expected[CBN_SIGNED_DIGEST_SIZE];
    unsigned char digest[CBN_SIGNED_DIGEST_SIZE];
    const struct cbn_sodium *sodium = NULL;
    assert_int_equal(cbn_sodium_get(&sodium), CUBINET_OK);
    for (size_t i = 0; i < SIZE; i++) {
        root[i] = (unsigned char)(i * 7 + 1);
    }
    for (uint32_t count = 0; count <= 2; count++) {
        const struct cbn_table table = {
            .rows = root + SIGNATURES, .stride = CBN_SIGNATURE_SIZE + 4, .count = count};
        memcpy(text, CBN_SIGNED_PREFIX, PREFIX);
        memcpy(text + PREFIX, root, CBN_HEADER_ROOT_DIGEST);
        unsigned char *rest = text + PREFIX + CBN_HEADER_ROOT_DIGEST;
        memcpy(rest, root + AFTER_DIGEST, SIZE - AFTER_DIGEST);
        for (uint32_t i = 0; i < count; i++) {
            memset(rest + SIGNATURES - AFTER_DIGEST + i * (CBN_SIGNATURE_SIZE + 4) + CBN_SIGNATURE_VALUE, 0,
                   CBN_SIGNATURE_BYTES);
        }
        sodium->crypto_generichash(expected, sizeof(expected), text,
                                   PREFIX + CBN_HEADER_ROOT_DIGEST + SIZE - AFTER_DIGEST, NULL, 0);
        assert_int_equal(cbn_trust_hash_root(root, SIZE, &table, digest), CUBINET_OK);
        assert_memory_equal(digest, expected, sizeof(expected));
    }
}

static void test_every_byte(void **state)
{
    (void)state;
    char *key = read_text(KEYS "plain.pub");
    static const int levels[] = {0, 19};
    for (size_t i = 0; i < COUNT(levels); i++) {
        struct bytes bytes = make_archive((const char *const[]){"plain"}, 1, levels[i]);
        for (int is_sealed = 0; is_sealed <= 1; is_sealed++) {
            struct counts counts = change_bytes(&bytes, key, is_sealed, 1);
            print_message("%s, %s: %zu of %zu changes refused, %zu in the zip structure harmless\n",
                          levels[i] ? "compressed" : "as they are",
                          is_sealed ? "digests made right again" : "nothing else touched", counts.refused,
                          bytes.size, counts.harmless);
            assert_true(counts.refused > counts.harmless);
        }
        free(bytes.data);
    }
    free(key);
}

static void test_pages(void **state)
{
    (void)state;
    enum { STEP = 7 };
    char *key = read_text(KEYS "plain.pub");
    char *other = read_text(KEYS "minisign.pub");
    static const int levels[] = {0, 19};
    for (size_t i = 0; i < COUNT(levels); i++) {
        struct bytes bytes = make_pages(levels[i]);
        expect(&bytes, other, CUBINET_ERROR_NOT_TRUSTED, NULL);
        for (int is_sealed = 0; is_sealed <= 1; is_sealed++) {
            struct counts counts = change_bytes(&bytes, key, is_sealed, STEP);
            assert_true(counts.refused > counts.harmless);
        }
        free(bytes.data);
    }
    free(key);
    free(other);
}

static void test_altered_page(void **state)
{
    (void)state;
    char *key = read_text(KEYS "plain.pub");
    struct bytes bytes = make_pages(0);
    char *name = memmem(bytes.data, bytes.size, "module65", 8);
    assert_non_null(name);
    name[7] = '6';
    expect(
        &bytes, key, CUBINET_ERROR_NOT_TRUSTED,
        "the archive in memory: its list of modules from 'module64' on: it was altered after it was signed");
    free(bytes.data);
    free(key);
}

/* Who may write to the file must not be able to alter what was compared with what is signed. */
static void expect_copies(const cubinet_archive *archive)
{
    struct cbn_image_bytes bytes = {0};
    const void *lent = archive;
    assert_int_equal(cbn_archive_take_image(archive, 0, 0, false, &bytes), CUBINET_OK);
    assert_non_null(bytes.owned);
    assert_ptr_equal(bytes.data, bytes.owned);
    free(bytes.owned);
    assert_int_equal(cbn_archive_lend_part(archive, 0, 0, 0, &lent), CUBINET_OK);
    assert_null(lent);
}

static void test_copies(void **state)
{
    (void)state;
    static char text[CBN_COPIED_MAX + 2];
    memset(text, 'c', sizeof(text) - 1);
    struct draft draft = {0};
    add_image(draft_module(&draft, "large"), CUBINET_IMAGE_CUBIN, 80, text);
    struct bytes bytes = sign(&draft, (const char *const[]){"plain"}, 1, 0);
    char *key = read_text(KEYS "plain.pub");
    const char *keys[] = {key};
    const cubinet_archive_options options = {
        .size = sizeof(options), .public_keys = keys, .public_key_count = 1};
    const char *path = memory_file(bytes.data, bytes.size);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open(path, &options, &archive), CUBINET_OK);
    expect_copies(archive);
    cubinet_archive_close(archive);
    assert_int_equal(cbn_archive_open_mapped(path, &options, &archive), CUBINET_OK);
    expect_copies(archive);
    cubinet_archive_close(archive);
    free(key);
    free(bytes.data);
}

/* A file with a signed archive, perhaps after the bytes of a program. */
static void write_signed(const char *path, const char *program)
{
    struct bytes bytes = make_archive_of(true, (const char *const[]){"plain"}, 1, 0);
    FILE *file = fopen(path, "wb");
    char *text = NULL;
    size_t size = 0;
    assert_non_null(file);
    if (program) {
        assert_int_equal(file_read(program, &text, &size), CUBINET_OK);
        assert_int_equal(fwrite(text, 1, size, file), size);
        free(text);
    }
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    assert_int_equal(fclose(file), 0);
    free(bytes.data);
}

/* What is read of an archive on a catalog's path after somebody shortened its file, which would end a program
 * that has mapped it. */
static void expect_error_once_shorter(const char *path)
{
    char *key = read_text(KEYS "plain.pub");
    const char *keys[] = {key};
    const cubinet_archive_options meant = {.size = sizeof(meant), .public_keys = keys, .public_key_count = 1};
    const cubinet_catalog_options options = {
        .size = sizeof(options), .archive = &meant, .flags = CUBINET_CATALOG_NO_ENVIRONMENT};
    cubinet_catalog *catalog = NULL;
    const cubinet_archive *archive = NULL;
    uint32_t module = 0;
    char image[256];
    assert_int_equal(cubinet_catalog_open(path, &options, &catalog), CUBINET_OK);
    assert_int_equal(cubinet_catalog_find_module(catalog, "scan", &archive, &module), CUBINET_OK);
    assert_int_equal(cubinet_archive_read_image(archive, module, 0, image, sizeof(image)), CUBINET_OK);
    assert_memory_equal(image, "code for 8.0", 12);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(cubinet_archive_read_image(archive, module, 1, image, sizeof(image)), CUBINET_ERROR_IO);
    assert_non_null(strstr(cubinet_error_message(), "its file has 0 bytes, and had "));
    cubinet_module_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_module(archive, 1 - module, &info), CUBINET_ERROR_IO);
    cubinet_catalog_close(catalog);
    free(key);
}

static void test_files_that_get_shorter(void **state)
{
    (void)state;
    char path[] = "/tmp/cubinet-signature-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_signed(path, NULL);
    expect_error_once_shorter(path);
    write_signed(path, "/proc/self/exe");
    expect_error_once_shorter(path);
    unlink(path);
}

/* Images of a signed archive put in the place of each other. */
static void test_swapped_images(void **state)
{
    (void)state;
    char *key = read_text(KEYS "plain.pub");
    struct bytes bytes = make_archive((const char *const[]){"plain"}, 1, 0);
    unsigned char *first = memmem(bytes.data, bytes.size, "code for 8.0", 12);
    unsigned char *second = memmem(bytes.data, bytes.size, "code for 9.0", 12);
    assert_non_null(first);
    assert_non_null(second);
    char kept[63];
    memcpy(kept, first, sizeof(kept));
    memcpy(first, second, sizeof(kept));
    memcpy(second, kept, sizeof(kept));
    seal(bytes.data, bytes.size);
    char images[4096];
    assert_int_equal(read_all(&bytes, NULL, 0, images),
                     CUBINET_OK); /* who trusts everybody gets the wrong one */
    expect(&bytes, key, CUBINET_ERROR_NOT_TRUSTED, NULL);
    free(bytes.data);
    free(key);
}

static void expect_requirement(const struct bytes *bytes, const char *version, const char *abi,
                               cubinet_status status)
{
    const cubinet_archive_options options = {
        .size = sizeof(options), .require_version = version, .require_abi = abi};
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(bytes->data, bytes->size, &options, &archive), status);
    cubinet_archive_close(archive);
}

static void test_requirements(void **state)
{
    (void)state;
    struct bytes bytes = make_archive(NULL, 0, 0);
    expect_requirement(&bytes, ">= 1.4, < 2", "tests-3", CUBINET_OK);
    expect_requirement(&bytes, ">= 1.5", NULL, CUBINET_ERROR_OTHER_VERSION);
    expect_requirement(&bytes, NULL, "tests-4", CUBINET_ERROR_OTHER_VERSION);
    assert_string_equal(
        cubinet_error_message(),
        "the archive in memory has the ABI tag 'tests-3', and this program requires 'tests-4'");
    expect_requirement(&bytes, "1.4", NULL, CUBINET_ERROR_INVALID_ARGUMENT);
    struct bytes without = make_pages(0);
    expect_requirement(&without, NULL, "tests-4", CUBINET_ERROR_OTHER_VERSION);
    assert_string_equal(cubinet_error_message(),
                        "the archive in memory has no ABI tag, and this program requires 'tests-4'");
    free(without.data);
    free(bytes.data);
}

static void test_what_it_says(void **state)
{
    (void)state;
    char *key = read_text(KEYS "plain.pub");
    struct bytes bytes = make_archive((const char *const[]){"minisign", "plain"}, 2, 0);
    cubinet_archive_info info = {.size = sizeof(info)};
    cubinet_archive *archive = NULL;
    uint8_t id[8];
    assert_int_equal(cubinet_archive_open_memory(bytes.data, bytes.size, NULL, &archive), CUBINET_OK);
    assert_int_equal(cubinet_archive_get_info(archive, &info), CUBINET_OK);
    assert_string_equal(info.abi, "tests-3");
    assert_int_equal(info.signature_count, 2);
    assert_int_equal(info.flags, 0);
    assert_false(cbn_archive_is_trusted(archive));
    assert_int_equal(cubinet_archive_get_signer(archive, 1, id), CUBINET_OK);
    assert_memory_equal(id, "\xb0\x9d\xac\x8b\x38\xcb\x43\x47", 8);
    assert_int_equal(cubinet_archive_get_signer(archive, 2, id), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_signer(NULL, 0, id), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_get_signer(archive, 0, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    cubinet_archive_close(archive);
    free(bytes.data);
    free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_signed),
        cmocka_unit_test(test_which_keys),
        cmocka_unit_test(test_many_signers),
        cmocka_unit_test(test_what_is_no_key),
        cmocka_unit_test(test_many_signed),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_what_is_hashed),
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_altered_page),
        cmocka_unit_test(test_swapped_images),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_requirements),
        cmocka_unit_test(test_what_it_says),
        cmocka_unit_test(test_files_that_get_shorter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
