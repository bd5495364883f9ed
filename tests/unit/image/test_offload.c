/* SPDX-License-Identifier: Apache-2.0 */
/* What clang and LLVM keep images in: bundles, compressed or not, and offload binaries. */
#include "unit.h"

#include "image/offload.h"
#include "loader/core/archive/format.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { ROOM = 4096 };

/* Puts the images that are found one after another. */
static cubinet_status collect(void *user, const unsigned char *image, size_t size)
{
    strncat(user, (const char *)image, size);
    return CUBINET_OK;
}

static cubinet_status refuse(void *user, const unsigned char *image, size_t size)
{
    (void)user;
    (void)image;
    (void)size;
    return CUBINET_ERROR_LIMIT;
}

/* A bundle with "host" and "device"; returns its size. */
static size_t make_bundle(unsigned char *out)
{
    static const char *const triples[] = {"host-x86_64-unknown-linux-gnu-",
                                          "cuda-nvptx64-nvidia-cuda--sm_80"};
    static const char *const images[] = {"host", "device"};
    size_t at = 32;
    size_t image = 512;
    memset(out, 0, ROOM);
    memcpy(out, "__CLANG_OFFLOAD_BUNDLE__", 24);
    cbn_put64(out + 24, 2);
    for (size_t i = 0; i < 2; i++) {
        cbn_put64(out + at, image);
        cbn_put64(out + at + 8, strlen(images[i]));
        cbn_put64(out + at + 16, strlen(triples[i]));
        memcpy(out + at + 24, triples[i], strlen(triples[i]));
        memcpy(out + image, images[i], strlen(images[i]));
        at += 24 + strlen(triples[i]);
        image += strlen(images[i]);
    }
    return image;
}

static void a_bundle_gives_the_devices_images(void **state)
{
    (void)state;
    unsigned char bytes[ROOM];
    char found[64] = "";
    size_t size = make_bundle(bytes);
    assert_true(offload_is(bytes, size));
    assert_int_equal(offload_read(bytes, size, collect, found), CUBINET_OK);
    assert_string_equal(found, "device");
    for (size_t cut = 24; cut < size; cut++) {
        assert_int_equal(offload_read(bytes, cut, collect, found), CUBINET_ERROR_DAMAGED);
    }
}

static size_t pack(unsigned method, const unsigned char *raw, size_t raw_size, unsigned char *out)
{
    uLongf size = ROOM;
    if (method == 1) {
        return ZSTD_compress(out, ROOM, raw, raw_size, 1);
    }
    assert_int_equal(compress(out, &size, raw, (uLong)raw_size), Z_OK);
    return size;
}

/* A compressed bundle; returns its size. */
static size_t make_compressed(unsigned version, unsigned method, const unsigned char *raw, size_t raw_size,
                              unsigned char *out)
{
    unsigned char packed[ROOM];
    size_t size = pack(method, raw, raw_size, packed);
    size_t header = version == 1 ? 20 : version == 2 ? 24 : 32;
    memset(out, 0, header);
    memcpy(out, "CCOB", 4);
    cbn_put16(out + 4, (uint16_t)version);
    cbn_put16(out + 6, (uint16_t)method);
    if (version == 3) {
        cbn_put64(out + 8, header + size);
        cbn_put64(out + 16, raw_size);
    } else {
        cbn_put32(out + 8, (uint32_t)(version == 1 ? raw_size : header + size));
        cbn_put32(out + 12, (uint32_t)(version == 1 ? 0 : raw_size));
    }
    memcpy(out + header, packed, size);
    return header + size;
}

static void compressed_bundles_of_every_version_are_read(void **state)
{
    (void)state;
    unsigned char raw[ROOM];
    unsigned char bytes[ROOM];
    size_t raw_size = make_bundle(raw);
    for (unsigned version = 1; version <= 3; version++) {
        for (unsigned method = 0; method < 2; method++) {
            char found[64] = "";
            size_t size = make_compressed(version, method, raw, raw_size, bytes);
            assert_true(offload_is(bytes, size));
            assert_int_equal(offload_read(bytes, size, collect, found), CUBINET_OK);
            assert_string_equal(found, "device");
            for (size_t cut = 4; cut < size; cut++) {
                assert_int_equal(offload_read(bytes, cut, collect, found), CUBINET_ERROR_DAMAGED);
            }
            assert_int_equal(offload_read(bytes, size, refuse, found), CUBINET_ERROR_LIMIT);
        }
    }
}

static void compressed_bundles_follow_each_other(void **state)
{
    (void)state;
    unsigned char raw[ROOM];
    unsigned char bytes[2 * ROOM];
    char found[64] = "";
    size_t raw_size = make_bundle(raw);
    size_t size = make_compressed(2, 1, raw, raw_size, bytes);
    size += make_compressed(3, 0, raw, raw_size, bytes + size);
    assert_int_equal(offload_read(bytes, size, collect, found), CUBINET_OK);
    assert_string_equal(found, "devicedevice");
}

static void what_is_compressed_has_to_be_a_bundle(void **state)
{
    (void)state;
    unsigned char bytes[ROOM];
    size_t size = make_compressed(3, 1, (const unsigned char *)"no bundle", 9, bytes);
    assert_int_equal(offload_read(bytes, size, collect, NULL), CUBINET_ERROR_DAMAGED);
    cbn_put64(bytes + 16, 0);
    assert_int_equal(offload_read(bytes, size, collect, NULL), CUBINET_ERROR_DAMAGED);
    cbn_put64(bytes + 16, UINT64_MAX);
    assert_int_equal(offload_read(bytes, size, collect, NULL), CUBINET_ERROR_DAMAGED);
    cbn_put16(bytes + 6, 2);
    assert_int_equal(offload_read(bytes, size, collect, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    cbn_put16(bytes + 4, 0);
    assert_int_equal(offload_read(bytes, size, collect, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
}

/* A binary with "first" for a GPU of NVIDIA's, "other" for another, and "second"; returns its size. */
static size_t make_binary(uint32_t version, unsigned char *out)
{
    static const char *const images[] = {"first", "other", "second"};
    enum { HEADER = 40, ENTRY = 40, STRING = 24, COUNT = 3, TEXTS = HEADER + COUNT * (ENTRY + STRING) };
    const size_t string_size = version == 1 ? 16 : 24;
    size_t image = TEXTS + 64;
    memset(out, 0, ROOM);
    memcpy(out, "\x10\xff\x10\xad", 4);
    cbn_put32(out + 4, version);
    cbn_put64(out + 16, HEADER);
    cbn_put64(out + 24, version == 1 ? ENTRY : COUNT);
    memcpy(out + TEXTS, "nvptx64-nvidia-cuda\0amdgcn-amd-amdhsa", 38);
    for (size_t i = 0; i < COUNT; i++) {
        unsigned char *entry = out + HEADER + i * ENTRY;
        size_t string = HEADER + COUNT * ENTRY + i * string_size;
        cbn_put64(entry + 8, string);
        cbn_put64(entry + 16, 1);
        cbn_put64(entry + 24, image);
        cbn_put64(entry + 32, strlen(images[i]));
        cbn_put64(out + string + 8, i == 1 ? TEXTS + 20 : TEXTS);
        memcpy(out + image, images[i], strlen(images[i]));
        image += strlen(images[i]);
    }
    cbn_put64(out + 8, image);
    return image;
}

static void binaries_of_every_version_are_read(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++) {
        unsigned char bytes[ROOM];
        char found[64] = "";
        size_t size = make_binary(version, bytes);
        assert_int_equal(offload_read(bytes, size, collect, found), CUBINET_OK);
        assert_string_equal(found, version == 1 ? "first" : "firstsecond");
        for (size_t cut = 4; cut < size; cut++) {
            assert_int_equal(offload_read(bytes, cut, collect, found), CUBINET_ERROR_DAMAGED);
        }
        cbn_put64(bytes + 24, UINT64_MAX);
        cubinet_status expected = version == 1 ? CUBINET_OK : CUBINET_ERROR_DAMAGED;
        found[0] = '\0';
        assert_int_equal(offload_read(bytes, size, collect, found), expected);
    }
}

static void binaries_may_be_compressed(void **state)
{
    (void)state;
    enum { HEADER = 40 };
    unsigned char raw[ROOM];
    unsigned char bytes[ROOM];
    size_t raw_size = make_binary(3, raw);
    for (unsigned method = 0; method < 2; method++) {
        char found[64] = "";
        memcpy(bytes, raw, HEADER);
        size_t size = HEADER + pack(method, raw + HEADER, raw_size - HEADER, bytes + HEADER);
        cbn_put64(bytes + 8, size);
        cbn_put64(bytes + 32, raw_size);
        assert_int_equal(offload_read(bytes, size, collect, found), CUBINET_OK);
        assert_string_equal(found, "firstsecond");
        cbn_put64(bytes + 32, raw_size + 1);
        assert_int_equal(offload_read(bytes, size, collect, found), CUBINET_ERROR_DAMAGED);
        cbn_put64(bytes + 32, HEADER - 1);
        assert_int_equal(offload_read(bytes, size, collect, found), CUBINET_ERROR_DAMAGED);
        cbn_put64(bytes + 16, size + 1);
        assert_int_equal(offload_read(bytes, size, collect, found), CUBINET_ERROR_DAMAGED);
    }
}

static void binaries_of_no_version_are_refused(void **state)
{
    (void)state;
    unsigned char bytes[ROOM];
    size_t size = make_binary(4, bytes);
    assert_int_equal(offload_read(bytes, size, collect, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    cbn_put32(bytes + 4, 0);
    assert_int_equal(offload_read(bytes, size, collect, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bundle_gives_the_devices_images),
        cmocka_unit_test(compressed_bundles_of_every_version_are_read),
        cmocka_unit_test(compressed_bundles_follow_each_other),
        cmocka_unit_test(what_is_compressed_has_to_be_a_bundle),
        cmocka_unit_test(binaries_of_every_version_are_read),
        cmocka_unit_test(binaries_may_be_compressed),
        cmocka_unit_test(binaries_of_no_version_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
