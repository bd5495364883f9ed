/* SPDX-License-Identifier: Apache-2.0 */
/* Signed archives whose files somebody writes to while a program that trusts a key reads them: what is used
 * is what was signed, or nothing is. */
#include "archive/archive_writer.h"
#include "base/file.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/storage.h"
#include "unit.h"

#include <cubinet/archive.h>
#include <cubinet/catalog.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEYS SIGNATURE_KEYS "/"

ssize_t __real_pread(int file, void *out, size_t size, off_t offset);
ssize_t __wrap_pread(int file, void *out, size_t size, off_t offset);

enum { MOST_IMAGE = 300 * 1024 };

/* What is made. Its images are larger than what is ever copied without need, or its file is read whole. */
struct shape {
    int modules;
    size_t image_size;
    size_t property_size;
    int zstd_level;
    bool is_read_whole;
};

enum attack { REPLACE, INVERT, HALVE, EMPTY, ATTACK_COUNT };

/* The file, what was signed, and another archive of the same shape whose images are the attacker's. */
static struct {
    char path[32];
    int file;
    char *right;
    size_t right_size;
    char *wrong;
    size_t wrong_size;
    enum attack attack;
    long wait; /* moments until the file is written to; negative: it has been, or is not going to be */
} scene = {.wait = -1};

static void put(const char *bytes, size_t size)
{
    assert_int_equal(pwrite(scene.file, bytes, size, 0), size);
    assert_int_equal(ftruncate(scene.file, (off_t)size), 0);
}

static void invert(void)
{
    char *inverted = malloc(scene.right_size);
    assert_non_null(inverted);
    for (size_t i = 0; i < scene.right_size; i++) {
        inverted[i] = (char)~scene.right[i];
    }
    put(inverted, scene.right_size);
    free(inverted);
}

static void attack(void)
{
    switch (scene.attack) {
    case REPLACE:
        put(scene.wrong, scene.wrong_size);
        break;
    case INVERT:
        invert();
        break;
    case HALVE:
        assert_int_equal(ftruncate(scene.file, (off_t)scene.right_size / 2), 0);
        break;
    default:
        assert_int_equal(ftruncate(scene.file, 0), 0);
    }
}

/* The file may be written to here. */
static void moment(void)
{
    if (scene.wait >= 0 && scene.wait-- == 0) {
        attack();
    }
}

ssize_t __wrap_pread(int file, void *out, size_t size, off_t offset)
{
    moment();
    ssize_t count = __real_pread(file, out, size, offset);
    moment();
    return count;
}

/* Letters that zstd does not make much smaller. */
static void make_image(const char *word, const char *module, uint32_t number, char *out, size_t size)
{
    uint32_t state = number;
    int start = snprintf(out, size, "%s of %s for %u. ", word, module, number);
    for (size_t i = (size_t)start; i < size; i++) {
        state = state * 1664525 + 1013904223;
        out[i] = (char)('a' + (state >> 28));
    }
}

static void add_module(struct draft *draft, const struct shape *shape, const char *word, int number)
{
    char name[24];
    snprintf(name, sizeof(name), "module%d", number);
    struct draft_module *module = draft_module(draft, name);
    for (int architecture = 80; architecture <= 90; architecture += 10) {
        const cubinet_target target = {.kind = CUBINET_IMAGE_CUBIN, .number = architecture};
        char *data = malloc(shape->image_size);
        assert_non_null(data);
        make_image(word, name, (uint32_t)architecture, data, shape->image_size);
        assert_int_equal(
            draft_add_image(module, target, (unsigned char *)data, shape->image_size, NULL, "a test", NULL),
            CUBINET_OK);
    }
}

static char *make_archive(const struct shape *shape, const char *word, const char *key_name, size_t *out_size)
{
    struct draft draft = {0};
    struct signing_key key;
    char key_path[1024];
    char property[10000] = "long=";
    char *bytes = NULL;
    memset(property + 5, 'v', shape->property_size);
    assert_int_equal(property_list_set(&draft.properties, property), CUBINET_OK);
    for (int i = 0; i < shape->modules; i++) {
        add_module(&draft, shape, word, i);
    }
    snprintf(key_path, sizeof(key_path), KEYS "%s.key", key_name);
    assert_int_equal(signing_key_read(key_path, &key), CUBINET_OK);
    const struct archive_writer_options options = {
        .keys = &key, .key_count = 1, .zstd_level = shape->zstd_level};
    assert_int_equal(archive_write_file(&draft, &options, scene.path), CUBINET_OK);
    assert_int_equal(file_read(scene.path, &bytes, out_size), CUBINET_OK);
    draft_free(&draft);
    return bytes;
}

static void set_scene(const struct shape *shape)
{
    snprintf(scene.path, sizeof(scene.path), "/tmp/cubinet-rewritten-XXXXXX");
    close(mkstemp(scene.path));
    scene.right = make_archive(shape, "code", "plain", &scene.right_size);
    scene.wrong = make_archive(shape, "evil", "minisign", &scene.wrong_size);
    assert_int_equal(scene.right_size <= 8192, shape->is_read_whole);
    scene.file = open(scene.path, O_WRONLY | O_CLOEXEC);
    assert_true(scene.file >= 0);
}

static void strike_scene(void)
{
    close(scene.file);
    unlink(scene.path);
    free(scene.right);
    free(scene.wrong);
}

static bool is_refusal(cubinet_status status)
{
    return status == CUBINET_ERROR_NOT_TRUSTED || status == CUBINET_ERROR_DAMAGED ||
           status == CUBINET_ERROR_IO || status == CUBINET_ERROR_NOT_ARCHIVE;
}

static void expect_image(const char *module, uint32_t number, const void *image, size_t size)
{
    static char expected[MOST_IMAGE];
    moment();
    make_image("code", module, number, expected, size);
    assert_memory_equal(image, expected, size);
}

/* Reads an image in each way. Whether nothing was refused. */
static bool use_image(const cubinet_archive *archive, const char *module, uint32_t i, uint32_t j)
{
    static char buffer[MOST_IMAGE];
    cubinet_image_info info = {.size = sizeof(info)};
    struct cbn_image_bytes bytes = {0};
    cubinet_status status = cubinet_archive_get_image(archive, i, j, &info);
    if (!status) {
        status = cbn_archive_take_image(archive, i, j, false, &bytes);
    }
    if (!status) {
        expect_image(module, (uint32_t)info.target.number, bytes.data, bytes.size);
        free(bytes.owned);
        status = cubinet_archive_read_image(archive, i, j, buffer, sizeof(buffer));
    }
    if (!status) {
        expect_image(module, (uint32_t)info.target.number, buffer, (size_t)info.raw_size);
    }
    assert_true(!status || is_refusal(status));
    return !status;
}

static bool use_module(const cubinet_archive *archive, uint32_t i)
{
    char name[24];
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(archive, i, &info);
    if (status) {
        assert_true(is_refusal(status));
        return false;
    }
    moment();
    snprintf(name, sizeof(name), "module%u", (unsigned)i);
    assert_string_equal(info.name, name);
    assert_int_equal(info.image_count, 2);
    return use_image(archive, name, i, 0) && use_image(archive, name, i, 1);
}

/* Whether nothing of an archive was refused. */
static bool use_archive(const cubinet_archive *archive, const struct shape *shape)
{
    assert_int_equal(cubinet_archive_get_module_count(archive), shape->modules);
    for (uint32_t i = 0; i < (uint32_t)shape->modules; i++) {
        if (!use_module(archive, i)) {
            return false;
        }
    }
    return true;
}

/* Opens an archive, whose first use is a moment later. */
typedef cubinet_status (*open_fn)(const char *path, const cubinet_archive_options *options,
                                  cubinet_archive **out_archive);

static bool use_opened(open_fn open_archive, const cubinet_archive_options *options,
                       const struct shape *shape)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = open_archive(scene.path, options, &archive);
    if (status) {
        assert_true(is_refusal(status));
        return false;
    }
    moment();
    bool is_used = use_archive(archive, shape);
    assert_true(is_used || !shape->is_read_whole);
    cubinet_archive_close(archive);
    return is_used;
}

static bool use_from_catalog(const cubinet_archive_options *archive_options, const struct shape *shape)
{
    const cubinet_catalog_options options = {
        .size = sizeof(options), .archive = archive_options, .flags = CUBINET_CATALOG_NO_ENVIRONMENT};
    cubinet_catalog *catalog = NULL;
    const cubinet_archive *archive = NULL;
    uint32_t module = 0;
    assert_int_equal(cubinet_catalog_open(scene.path, &options, &catalog), CUBINET_OK);
    moment();
    cubinet_status status = cubinet_catalog_find_module(catalog, "module0", &archive, &module);
    bool is_used = !status && use_archive(archive, shape);
    assert_true(!status || status == CUBINET_ERROR_NOT_FOUND);
    assert_true(status || is_used || !shape->is_read_whole);
    cubinet_catalog_close(catalog);
    return is_used;
}

enum way { OPENED, MAPPED, CATALOG, WAY_COUNT };

static bool use(enum way way, const char *key, const struct shape *shape)
{
    const cubinet_archive_options options = {
        .size = sizeof(options), .public_keys = &key, .public_key_count = 1};
    switch (way) {
    case OPENED:
        return use_opened(cubinet_archive_open, &options, shape);
    case MAPPED:
        return use_opened(cbn_archive_open_mapped, &options, shape);
    default:
        return use_from_catalog(&options, shape);
    }
}

/* At each moment in turn. */
static void attack_at_every_moment(enum way way, enum attack attack, const char *key,
                                   const struct shape *shape)
{
    size_t refused = 0;
    bool is_over = false;
    scene.attack = attack;
    for (long at = 0; !is_over; at++) {
        put(scene.right, scene.right_size);
        scene.wait = at;
        bool is_used = use(way, key, shape);
        is_over = scene.wait >= 0;
        assert_true(is_used || !is_over);
        refused += !is_used;
    }
    scene.wait = -1;
    assert_true(refused > 0);
}

static void test_shape(const struct shape *shape)
{
    char *key = NULL;
    size_t size = 0;
    assert_int_equal(file_read(KEYS "plain.pub", &key, &size), CUBINET_OK);
    set_scene(shape);
    for (int way = 0; way < WAY_COUNT; way++) {
        for (int attack = 0; attack < ATTACK_COUNT; attack++) {
            attack_at_every_moment((enum way)way, (enum attack)attack, key, shape);
        }
    }
    strike_scene();
    free(key);
}

static void test_files_that_are_read_whole(void **state)
{
    (void)state;
    test_shape(&(struct shape){.modules = 2, .image_size = 300, .property_size = 10, .is_read_whole = true});
    test_shape(&(struct shape){
        .modules = 2, .image_size = 300, .property_size = 10, .zstd_level = 19, .is_read_whole = true});
}

static void test_files_that_are_read_in_pieces(void **state)
{
    (void)state;
    test_shape(&(struct shape){.modules = 2, .image_size = 300, .property_size = 9000});
    test_shape(&(struct shape){.modules = 3, .image_size = 12000, .property_size = 10, .zstd_level = 19});
}

static void test_large_images(void **state)
{
    (void)state;
    assert_true(MOST_IMAGE / 2 > CBN_COPIED_MAX);
    test_shape(&(struct shape){.modules = 1, .image_size = MOST_IMAGE, .property_size = 10});
    test_shape(&(struct shape){.modules = 1, .image_size = MOST_IMAGE, .property_size = 10, .zstd_level = 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_that_are_read_whole),
        cmocka_unit_test(test_files_that_are_read_in_pieces),
        cmocka_unit_test(test_large_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
