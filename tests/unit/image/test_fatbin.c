/* SPDX-License-Identifier: Apache-2.0 */
/* Fatbins of nvcc's (tests/golden/fatbin), whole and damaged, and those that are written. */
#include "base/file.h"
#include "image/fatbin.h"
#include "image/host_object.h"
#include "image/nvvm_container.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    char *data;
    size_t size;
};

static struct file read_golden(const char *name)
{
    char path[1024];
    struct file file = {0};
    snprintf(path, sizeof(path), "%s/%s", FATBIN_FIXTURES, name);
    assert_int_equal(file_read(path, &file.data, &file.size), CUBINET_OK);
    return file;
}

enum { MOST = 8 };

/* The images of a fatbin, unpacked. */
struct images {
    struct fatbin_image items[MOST];
    unsigned char *owned[MOST];
    size_t count;
};

static cubinet_status unpack_all(const void *data, size_t size, struct images *images)
{
    struct fatbin_reader reader = {.bytes = data, .size = size};
    struct cbn_fatbin_entry entry;
    bool found = false;
    cubinet_status status;
    *images = (struct images){0};
    while ((status = fatbin_next(&reader, &found, &entry)) == CUBINET_OK && found && images->count < MOST) {
        unsigned char *bytes = NULL;
        size_t raw_size = 0;
        status = fatbin_unpack(&entry, &bytes, &raw_size);
        if (status != CUBINET_OK) {
            break;
        }
        images->owned[images->count] = bytes;
        images->items[images->count++] =
            (struct fatbin_image){.target = entry.target, .data = bytes, .size = raw_size, .ptx_isa = 90};
    }
    return status;
}

static void free_images(struct images *images)
{
    for (size_t i = 0; i < images->count; i++) {
        free(images->owned[i]);
    }
}

static void expect_equal(const struct images *a, const struct images *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(cubinet_target_compare(a->items[i].target, b->items[i].target), 0);
        assert_int_equal(a->items[i].size, b->items[i].size);
        assert_memory_equal(a->items[i].data, b->items[i].data, a->items[i].size);
    }
}

static void test_targets(void **state)
{
    (void)state;
    static const char *const names[] = {"sm_80", "sm_90a", "sm_100f", "compute_90"};
    struct file file = read_golden("plain.fatbin");
    struct images images;
    assert_int_equal(unpack_all(file.data, file.size, &images), CUBINET_OK);
    assert_int_equal(images.count, COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        assert_string_equal(cubinet_target_name(images.items[i].target, name), names[i]);
    }
    free_images(&images);
    free(file.data);
}

static void test_compression_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"size.fatbin", "speed.fatbin"};
    struct file plain = read_golden("plain.fatbin");
    struct images expected;
    assert_int_equal(unpack_all(plain.data, plain.size, &expected), CUBINET_OK);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct file file = read_golden(names[i]);
        struct images images;
        assert_int_equal(unpack_all(file.data, file.size, &images), CUBINET_OK);
        expect_equal(&expected, &images);
        free_images(&images);
        free(file.data);
    }
    free_images(&expected);
    free(plain.data);
}

static void test_what_is_written_reads_the_same(void **state)
{
    (void)state;
    struct file file = read_golden("size.fatbin");
    struct images images;
    struct images again;
    struct buffer written = {0};
    assert_int_equal(unpack_all(file.data, file.size, &images), CUBINET_OK);
    assert_int_equal(fatbin_write(images.items, images.count, &written), CUBINET_OK);
    assert_int_equal(unpack_all(written.data, written.size, &again), CUBINET_OK);
    expect_equal(&images, &again);
    free_images(&again);
    free_images(&images);
    buffer_free(&written);
    free(file.data);
}

static void test_several_containers_and_padding(void **state)
{
    (void)state;
    struct file file = read_golden("size.fatbin");
    struct buffer bytes = {0};
    struct images images;
    buffer_append(&bytes, file.data, file.size);
    buffer_append(&bytes, file.data, file.size);
    buffer_append(&bytes, "\0\0\0\0\0\0\0\0", 8);
    assert_int_equal(unpack_all(bytes.data, bytes.size, &images), CUBINET_OK);
    assert_int_equal(images.count, 8);
    free_images(&images);
    bytes.data[bytes.size - 1] = 1;
    assert_int_equal(unpack_all(bytes.data, bytes.size, &images), CUBINET_ERROR_DAMAGED);
    free_images(&images);
    buffer_free(&bytes);
    free(file.data);
}

static void test_lto_stays_in_its_fatbin(void **state)
{
    (void)state;
    struct file file = read_golden("ltoir.fatbin");
    struct images images;
    assert_int_equal(unpack_all(file.data, file.size, &images), CUBINET_OK);
    assert_int_equal(images.count, 1);
    assert_int_equal(images.items[0].target.kind, CUBINET_IMAGE_LTOIR);
    assert_int_equal(images.items[0].target.number, 80);
    assert_int_equal(images.items[0].size, file.size);
    assert_memory_equal(images.items[0].data, file.data, file.size);
    free_images(&images);
    free(file.data);
}

/* Reads a copy that ends where the heap's block does. */
static void read_damaged(const char *bytes, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    struct images images;
    struct host_fatbins fatbins;
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    unpack_all(copy, size, &images);
    free_images(&images);
    if (host_object_find(copy, size, &fatbins) == CUBINET_OK && !fatbins.is_relocatable) {
        unpack_all(fatbins.bytes, fatbins.size, &images);
        free_images(&images);
    }
    free(copy);
}

static void test_damage(void **state)
{
    (void)state;
    static const char *const names[] = {"size.fatbin", "object.o"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct file file = read_golden(names[i]);
        for (size_t at = 0; at < file.size; at++) {
            char before = file.data[at];
            read_damaged(file.data, at);
            for (int bit = 0; bit < 8; bit += 7) {
                file.data[at] = (char)(before ^ (1 << bit));
                read_damaged(file.data, file.size);
            }
            file.data[at] = before;
        }
        free(file.data);
    }
}

static void test_objects(void **state)
{
    (void)state;
    struct file object = read_golden("object.o");
    struct file relocatable = read_golden("relocatable.o");
    struct host_fatbins fatbins;
    struct images images;
    assert_int_equal(host_object_find(object.data, object.size, &fatbins), CUBINET_OK);
    assert_false(fatbins.is_relocatable);
    assert_int_equal(unpack_all(fatbins.bytes, fatbins.size, &images), CUBINET_OK);
    assert_int_equal(images.count, 4);
    free_images(&images);
    assert_int_equal(host_object_find(relocatable.data, relocatable.size, &fatbins), CUBINET_OK);
    assert_true(fatbins.is_relocatable);
    free(object.data);
    free(relocatable.data);
}

/* What nvFatbin puts in is what it was given, whether it compresses it or pads it. */
static void test_tile_ir(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"tileir.fatbin", "../tileir/scale_13.1.tileirbc"},
                                           {"tileir_compressed.fatbin", "../tileir/scale_13.3.tileirbc"}};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct file fatbin = read_golden(names[i][0]);
        struct file bytecode = read_golden(names[i][1]);
        struct images images;
        assert_int_equal(unpack_all(fatbin.data, fatbin.size, &images), CUBINET_OK);
        assert_int_equal(images.count, 1);
        assert_int_equal(images.items[0].target.kind, CUBINET_IMAGE_TILEIR);
        assert_int_equal(images.items[0].size, bytecode.size);
        assert_memory_equal(images.items[0].data, bytecode.data, bytecode.size);
        struct buffer written = {0};
        assert_int_equal(fatbin_write(images.items, images.count, &written), CUBINET_ERROR_INVALID_ARGUMENT);
        buffer_free(&written);
        free_images(&images);
        free(bytecode.data);
        free(fatbin.data);
    }
}

static void test_nvvm_containers(void **state)
{
    (void)state;
    struct file file = read_golden("kernel.optixir");
    cubinet_target target;
    assert_true(nvvm_container_is(file.data, file.size));
    assert_int_equal(nvvm_container_target(file.data, file.size, &target), CUBINET_OK);
    assert_int_equal(target.kind, CUBINET_IMAGE_OPTIXIR);
    assert_int_equal(target.number, 80);
    file.data[14] = 3;
    assert_int_equal(nvvm_container_target(file.data, file.size, &target), CUBINET_ERROR_INVALID_ARGUMENT);
    file.data[14] = 1; /* as LTO-IR says it */
    assert_int_equal(nvvm_container_target(file.data, file.size, &target), CUBINET_OK);
    assert_int_equal(target.kind, CUBINET_IMAGE_LTOIR);
    assert_int_equal(target.number, 80);
    assert_int_equal(nvvm_container_target(file.data, 20, &target), CUBINET_ERROR_DAMAGED);
    free(file.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_compression_changes_nothing),
        cmocka_unit_test(test_what_is_written_reads_the_same),
        cmocka_unit_test(test_several_containers_and_padding),
        cmocka_unit_test(test_lto_stays_in_its_fatbin),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_tile_ir),
        cmocka_unit_test(test_nvvm_containers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
