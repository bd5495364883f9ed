/* SPDX-License-Identifier: Apache-2.0 */
/* The digest is the same whatever instructions compute it, and XXH3-128's. */
#include "unit.h"

#include "loader/core/archive/digest.h"

#include <string.h>

enum { LARGEST = 5000 };

static void is_xxh3_128(void **state)
{
    (void)state;
    /* Of nothing, with seed 0: xxHash's own test vector. */
    static const unsigned char expected[CBN_DIGEST_SIZE] = {0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8,
                                                            0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f};
    assert_true(cbn_digest_matches("", 0, expected));
}

/* In one run a processor's widest instructions are used, in two those that every processor has. */
static void one_run_is_as_two(void **state)
{
    (void)state;
    static unsigned char bytes[LARGEST + 1];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)(i * i >> 3);
    }
    for (size_t size = 0; size <= LARGEST; size++) {
        const unsigned char *data = bytes + size % 2;
        struct cbn_digest one = cbn_digest(data, size);
        struct cbn_digest two = cbn_digest_two(data, size / 3, data + size / 3, size - size / 3);
        assert_memory_equal(one.bytes, two.bytes, sizeof(one.bytes));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_xxh3_128),
        cmocka_unit_test(one_run_is_as_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
