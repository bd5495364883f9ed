/* SPDX-License-Identifier: Apache-2.0 */
/* ActionResults: the bytes that Google's protobuf makes, and bytes that nobody should have made. */
#include "cache/action_result.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME    "0123456789abcdef0123456789abcdef.compile"
#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* Made by Google's protobuf from the same fields. */
static const char expected[] =
    "12720a2830313233343536373839616263646566303132333435363738396162636465662e636f6d70696c6512460a40"
    "653362306334343239386663316331343961666266346338393936666239323432376165343165343634396239333463"
    "6134393539393162373835326238353510c0c4074a0f0a0d637562696e657420302e312e30";

/* Likewise, with another output file, whose contents are inside, exit code -1, stdout_raw and stderr_digest.
 */
static const char failure[] =
    "12720a2830313233343536373839616263646566303132333435363738396162636465662e636f6d70696c6512460a40"
    "653362306334343239386663316331343961666266346338393936666239323432376165343165343634396239333463"
    "6134393539393162373835326238353510c0c40712550a056f7468657212450a40616161616161616161616161616161"
    "616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161"
    "6110ac0220012a0378797a20ffffffffffffffffff012a036f757442440a406262626262626262626262626262626262"
    "626262626262626262626262626262626262626262626262626262626262626262626262626262626262626262626210"
    "074a0f0a0d637562696e657420302e312e30";

/* Left on a server by Bazel 4.2.3, with digests of what the action printed. */
static const char of_bazel[] =
    "12730a2a62617a656c2d6f75742f6b382d666173746275696c642f62696e2f73617870792e302e637562696e65741245"
    "0a4034613063623364343838653036633633386130656566326132396532663230393230636537333335366237623438"
    "62346333613765316235353633303839313110a66032420a406533623063343432393866633163313439616662663463"
    "383939366662393234323761653431653436343962393334636134393539393162373835326238353542450a40366437"
    "653830623631376637333961653537303865323532613064383537666361316161303063313639663239393137373638"
    "3266646138373531303362333410bc25";

static const struct remote_digest digest = {.hash = EMPTY_SHA256, .size = 123456};

static size_t from_hex(const char *hex, unsigned char *bytes)
{
    size_t size = strlen(hex) / 2;
    for (size_t i = 0; i < size; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (unsigned char)byte;
    }
    return size;
}

/* Reads from memory that ends where the bytes do, for the sanitizer to see what is read beyond. */
static const char *read_exact(const unsigned char *bytes, size_t size, const char *path,
                              struct remote_digest *out_digest)
{
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const char *problem = action_result_read(copy, size, path, out_digest);
    free(copy);
    return problem;
}

static void writes_what_protobuf_writes(void **state)
{
    (void)state;
    unsigned char bytes[sizeof(expected)];
    size_t size = from_hex(expected, bytes);
    struct buffer result = {0};
    action_result_write(FILE_NAME, &digest, &result);
    assert_false(result.failed);
    assert_int_equal(result.size, size);
    assert_memory_equal(result.data, bytes, size);
    buffer_free(&result);
}

static void reads_what_it_writes(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 127, 128, 16383, 16384, (uint64_t)1 << 32, INT64_MAX};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct remote_digest in = digest;
        struct remote_digest out = {0};
        struct buffer result = {0};
        in.size = sizes[i];
        action_result_write("a", &in, &result);
        assert_null(read_exact((unsigned char *)result.data, result.size, "a", &out));
        assert_string_equal(out.hash, in.hash);
        assert_int_equal(out.size, in.size);
        assert_non_null(read_exact((unsigned char *)result.data, result.size, "b", &out));
        buffer_free(&result);
    }
}

static void reads_what_bazel_writes(void **state)
{
    (void)state;
    unsigned char bytes[sizeof(of_bazel)];
    size_t size = from_hex(of_bazel, bytes);
    struct remote_digest out = {0};
    assert_null(read_exact(bytes, size, "bazel-out/k8-fastbuild/bin/saxpy.0.cubinet", &out));
    assert_string_equal(out.hash, "4a0cb3d488e06c638a0eef2a29e2f20920ce73356b7b48b4c3a7e1b556308911");
    assert_int_equal(out.size, 12326);
}

static void tells_what_is_wrong(void **state)
{
    (void)state;
    unsigned char bytes[sizeof(failure)];
    struct remote_digest out = digest;
    size_t size = from_hex(failure, bytes);
    assert_string_equal(read_exact(bytes, size, FILE_NAME, &out), "it is of an action that failed");
    size = from_hex(expected, bytes);
    assert_string_equal(read_exact(bytes, size, "other", &out),
                        "it does not name the file that was asked for");
    assert_string_equal(read_exact(bytes, 0, FILE_NAME, &out),
                        "it does not name the file that was asked for");
    assert_string_equal(read_exact(bytes, size - 1, FILE_NAME, &out), "it is not an ActionResult");
    assert_int_equal(out.size, digest.size); /* untouched */
}

/* Lists of fields that are sound but unusual, and others that are not. */
static void steps_over_what_it_does_not_know(void **state)
{
    (void)state;
    static const struct {
        const char *hex; /* before the sound result */
        bool is_sound;
    } cases[] = {
        {"0800", true},                      /* field 1, a number */
        {"0d01020304", true},                /* field 1, 4 bytes */
        {"090102030405060708", true},        /* field 1, 8 bytes */
        {"f8ffffff0f00", true},              /* the highest field, 2^29 - 1 */
        {"2000", true},                      /* exit code 0 */
        {"08ffffffffffffffffff01", true},    /* the largest number */
        {"1200", true},                      /* an output file without anything */
        {"3200", true},                      /* stdout_digest without anything */
        {"0000", false},                     /* field 0 */
        {"80808080100000", false},           /* a field above the highest */
        {"0b0c", false},                     /* a group */
        {"0e", false},                       /* wire type 6 */
        {"0f", false},                       /* wire type 7 */
        {"08ffffffffffffffffffff01", false}, /* a number of more than 64 bits */
        {"0affffffffffffffffff01", false},   /* more bytes than there can be */
        {"0affffffffffffffff7f", false},     /* likewise */
        {"12020aff", false},                 /* a path beyond its file */
        {"12ffffffff0f", false},             /* a file beyond the result */
    };
    unsigned char bytes[sizeof(expected) + 64];
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t before = from_hex(cases[i].hex, bytes);
        size_t size = before + from_hex(expected, bytes + before);
        struct remote_digest out = {0};
        const char *problem = read_exact(bytes, size, FILE_NAME, &out);
        assert_int_equal(problem == NULL, cases[i].is_sound);
        assert_int_equal(out.size, cases[i].is_sound ? digest.size : 0);
    }
}

/* Whatever the bytes are, what is read is a digest or nothing. */
static void read_damaged(const unsigned char *bytes, size_t size)
{
    struct remote_digest out = {0};
    if (!read_exact(bytes, size, FILE_NAME, &out)) {
        assert_int_equal(strspn(out.hash, "0123456789abcdef"), SHA256_TEXT_SIZE - 1);
        assert_true(out.size > 0 && out.size <= INT64_MAX);
    } else {
        assert_int_equal(out.size, 0);
    }
}

static void withstands_every_cut_and_flipped_bit(void **state)
{
    (void)state;
    static const char *const results[] = {expected, failure};
    for (size_t i = 0; i < COUNT(results); i++) {
        unsigned char bytes[sizeof(failure)];
        size_t size = from_hex(results[i], bytes);
        for (size_t cut = 0; cut < size; cut++) {
            read_damaged(bytes, cut);
            for (unsigned bit = 0; bit < 8; bit++) {
                bytes[cut] ^= (unsigned char)(1U << bit);
                read_damaged(bytes, size);
                bytes[cut] ^= (unsigned char)(1U << bit);
            }
        }
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Sound results with bytes replaced, removed and doubled, several times over. */
static void withstands_random_changes(void **state)
{
    (void)state;
    static const char *const results[] = {expected, failure};
    unsigned char sound[COUNT(results)][sizeof(failure)];
    size_t sizes[COUNT(results)];
    for (size_t i = 0; i < COUNT(results); i++) {
        sizes[i] = from_hex(results[i], sound[i]);
    }
    uint64_t random = 0x9e3779b97f4a7c15;
    for (int round = 0; round < 50000; round++) {
        unsigned char bytes[2 * sizeof(failure)];
        size_t size = sizes[round % 2];
        memcpy(bytes, sound[round % 2], size);
        for (uint64_t changes = 1 + next_random(&random) % 6; changes > 0; changes--) {
            size_t at = next_random(&random) % size;
            size_t length = next_random(&random) % (size - at < 9 ? size - at : 9);
            switch (next_random(&random) % 3) {
            case 0:
                bytes[at] = (unsigned char)next_random(&random);
                break;
            case 1:
                memmove(bytes + at, bytes + at + length, size - at - length);
                size -= length;
                break;
            default:
                memmove(bytes + at + length, bytes + at, size - at);
                size += length;
            }
        }
        read_damaged(bytes, size);
    }
}

static void digests_are_those_of_sha_256(void **state)
{
    (void)state;
    struct remote_digest made;
    remote_digest_make("", 0, &made);
    assert_string_equal(made.hash, EMPTY_SHA256);
    remote_digest_make("abc", 3, &made);
    assert_string_equal(made.hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(made.size, 3);
    assert_true(remote_digest_matches(&made, "abc", 3));
    assert_false(remote_digest_matches(&made, "abd", 3));
    assert_false(remote_digest_matches(&made, "abcd", 4));
    made.size = 4;
    assert_false(remote_digest_matches(&made, "abc", 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_what_protobuf_writes),
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(reads_what_bazel_writes),
        cmocka_unit_test(tells_what_is_wrong),
        cmocka_unit_test(steps_over_what_it_does_not_know),
        cmocka_unit_test(withstands_every_cut_and_flipped_bit),
        cmocka_unit_test(withstands_random_changes),
        cmocka_unit_test(digests_are_those_of_sha_256),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
