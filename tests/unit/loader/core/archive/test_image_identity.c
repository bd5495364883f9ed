/* SPDX-License-Identifier: Apache-2.0 */
/* Two images have one identity only if they are the same bytes: not if their digests in the index are equal,
 * nor if they are stored as the same bytes after different bases. */
#include "archive_builder.h"
#include "loader/core/archive/cbn_archive.h"
#include "twins.h"
#include "unit.h"

#include <string.h>

/* An archive of one module, with an image of each text; the later ones after the first if `is_based`. */
static struct built make_archive(const char *const *texts, size_t count, bool is_based)
{
    struct build_image images[3] = {{0}};
    for (size_t i = 0; i < count; i++) {
        images[i] = (struct build_image){
            .kind = CUBINET_IMAGE_PTX, .number = (uint16_t)(75 + 5 * i), .text = texts[i]};
        if (is_based) {
            images[i].compress = i == 0 ? 1 : 2;
            images[i].base = i == 0 ? NULL : &images[0];
            images[i].is_unchecked = true;
        }
    }
    const struct build_module module = {.name = "m", .images = images, .image_count = count};
    return build(&(struct build_archive){.modules = &module, .module_count = 1, .is_1_2 = is_based});
}

struct seen {
    cubinet_image_info info;
    struct cbn_sha256 identity;
};

static struct seen look(const struct built *built, uint32_t image)
{
    struct seen seen = {.info = {.size = sizeof(seen.info)}};
    struct cbn_sha256 again;
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built->bytes, built->size, NULL, &archive), CUBINET_OK);
    assert_int_equal(cubinet_archive_get_image(archive, 0, image, &seen.info), CUBINET_OK);
    assert_int_equal(cbn_archive_image_identity(archive, 0, image, &seen.identity), CUBINET_OK);
    assert_int_equal(cbn_archive_image_identity(archive, 0, image, &again), CUBINET_OK);
    assert_true(cbn_sha256_equal(&seen.identity, &again));
    cubinet_archive_close(archive);
    return seen;
}

static void twins_differ(void **state)
{
    (void)state;
    struct twins twins = twins_make("one", "both");
    struct built first = make_archive((const char *const[]){twins.first, "other"}, 2, false);
    struct built second = make_archive((const char *const[]){twins.second, "other"}, 2, false);
    struct seen one = look(&first, 0);
    struct seen two = look(&second, 0);
    assert_memory_equal(one.info.digest, two.info.digest, sizeof(one.info.digest));
    assert_false(cbn_sha256_equal(&one.identity, &two.identity));
    /* What is the same is the same in any archive. */
    one = look(&first, 1);
    two = look(&second, 1);
    assert_true(cbn_sha256_equal(&one.identity, &two.identity));
    built_free(&first);
    built_free(&second);
    twins_free(&twins);
}

/* A copy of a base is stored as the same few bytes, whatever the base is. */
static void bases_count(void **state)
{
    (void)state;
    char base[1001];
    char other[sizeof(base)];
    char copy[sizeof(base)]; /* zstd looks for nothing in a prefix that lies where the text does */
    for (unsigned i = 0; i + 1 < sizeof(base); i++) {
        base[i] = (char)('!' + i * i * 7919 / 31 % 90);
    }
    base[sizeof(base) - 1] = '\0';
    memcpy(other, base, sizeof(base));
    other[sizeof(base) / 2]++;
    struct built first = make_archive((const char *const[]){base, memcpy(copy, base, sizeof(base))}, 2, true);
    struct built second =
        make_archive((const char *const[]){other, memcpy(copy, other, sizeof(base))}, 2, true);
    struct seen one = look(&first, 1);
    struct seen two = look(&second, 1);
    assert_int_equal(one.info.encoding, CUBINET_ENCODING_ZSTD_BASE);
    assert_memory_equal(one.info.digest, two.info.digest, sizeof(one.info.digest));
    assert_false(cbn_sha256_equal(&one.identity, &two.identity));
    built_free(&first);
    built_free(&second);
}

static void damage_is_found(void **state)
{
    (void)state;
    struct built built = make_archive((const char *const[]){"some text that is damaged"}, 1, false);
    cubinet_archive *archive = NULL;
    struct cbn_sha256 identity;
    unsigned char *found = memmem(built.bytes, built.size, "damaged", strlen("damaged"));
    assert_non_null(found);
    *found = 'D';
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
    assert_int_equal(cbn_archive_image_identity(archive, 0, 0, &identity), CUBINET_ERROR_DAMAGED);
    *found = 'd';
    assert_int_equal(cbn_archive_image_identity(archive, 0, 0, &identity), CUBINET_OK);
    cubinet_archive_close(archive);
    built_free(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twins_differ),
        cmocka_unit_test(bases_count),
        cmocka_unit_test(damage_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
