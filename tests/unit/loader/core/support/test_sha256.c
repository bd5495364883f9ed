/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 is what the standard says, whichever instructions compute it and whatever the pieces are. */
#include "unit.h"

#include "loader/core/support/sha256.h"

#include <stdio.h>
#include <string.h>

enum { LARGEST = 700 };

static void assert_digest(struct cbn_sha256 digest, const char *expected)
{
    char text[2 * sizeof(digest.bytes) + 1];
    for (size_t i = 0; i < sizeof(digest.bytes); i++) {
        snprintf(text + 2 * i, 3, "%02x", digest.bytes[i]);
    }
    assert_string_equal(text, expected);
}

/* The examples of FIPS 180-4. */
static void is_sha256(void **state)
{
    (void)state;
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static char million[1000000];
    memset(million, 'a', sizeof(million));
    assert_digest(cbn_sha256("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest(cbn_sha256("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest(cbn_sha256(two_blocks, strlen(two_blocks)),
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_digest(cbn_sha256(million, sizeof(million)),
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void pieces_make_no_difference(void **state)
{
    (void)state;
    unsigned char bytes[LARGEST];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)(i * i >> 3);
    }
    for (size_t size = 0; size <= LARGEST; size++) {
        struct cbn_sha256 whole = cbn_sha256(bytes, size);
        struct cbn_sha256_state pieces;
        cbn_sha256_start(&pieces);
        for (size_t at = 0, piece = size % 7; at < size; at += piece, piece = piece * 3 % 100 + 1) {
            cbn_sha256_add(&pieces, bytes + at, piece < size - at ? piece : size - at);
        }
        struct cbn_sha256 joined = cbn_sha256_finish(&pieces);
        assert_true(cbn_sha256_equal(&whole, &joined));
    }
}

/* Where the processor has none of its own there is one way only. */
static void instructions_make_no_difference(void **state)
{
    (void)state;
    unsigned char bytes[10 * CBN_SHA256_BLOCK + 1];
    uint32_t plain[8] = {1, 2, 3, 4, 5, 6, 7, 0xffffffff};
    uint32_t fast[8];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)(i * 151 >> 2);
    }
    memcpy(fast, plain, sizeof(fast));
    cbn_sha256_blocks(plain, bytes + 1, 10);
    if (!cbn_sha256_is_fast()) {
        print_message("this processor has no instructions for SHA-256\n");
        skip();
    }
    cbn_sha256_blocks_fast(fast, bytes + 1, 10);
    assert_memory_equal(plain, fast, sizeof(fast));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_sha256),
        cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(instructions_make_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
