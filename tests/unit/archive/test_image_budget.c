/* SPDX-License-Identifier: Apache-2.0 */
/* How much the images of an archive may take together, for readers and writers. */
#include "archive/archive_writer.h"
#include "archive/image_budget.h"
#include "archive_builder.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, ALWAYS = 256 * MIB, IMAGES = 2 };

static void small_archives_may_take_so_much(void **state)
{
    (void)state;
    assert_int_equal(image_budget(0), ALWAYS);
    assert_int_equal(image_budget(MIB), ALWAYS);
    assert_int_equal(image_budget(MIB + 1), ALWAYS + 256);
    assert_true(image_budget(UINT64_MAX / 256) == UINT64_MAX / 256 * 256);
    assert_true(image_budget(UINT64_MAX / 256 + 1) == UINT64_MAX);
}

/* Two modules, each with an image that says it takes so many bytes. */
static struct built build_sizes(const uint64_t sizes[IMAGES])
{
    const struct build_image image = {.kind = 2, .number = 75, .text = "PTX", .compress = 1};
    const struct build_module modules[IMAGES] = {{.name = "a", .images = &image, .image_count = 1},
                                                 {.name = "b", .images = &image, .image_count = 1}};
    struct built built = build(
        &(struct build_archive){.producer = "", .modules = modules, .module_count = IMAGES, .is_1_2 = true});
    for (int i = 0; i < IMAGES; i++) {
        put(built.bytes + built_row(&built, i, 0x8020, 0) + 32, 8, sizes[i]);
    }
    built_seal(&built);
    return built;
}

static void expect(uint64_t first, uint64_t second, cubinet_status all, cubinet_status of_second)
{
    struct built built = build_sizes((const uint64_t[IMAGES]){first, second});
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
    assert_int_equal(image_budget_check(archive), all);
    assert_int_equal(image_budget_check_module(archive, 1), of_second);
    cubinet_archive_close(archive);
    built_free(&built);
}

static void images_are_counted_together(void **state)
{
    (void)state;
    expect(1, ALWAYS - 1, CUBINET_OK, CUBINET_OK);
    expect(1, ALWAYS, CUBINET_ERROR_LIMIT, CUBINET_OK);
    expect(ALWAYS, 1, CUBINET_ERROR_LIMIT, CUBINET_OK);
    expect(1, ALWAYS + 1, CUBINET_ERROR_LIMIT, CUBINET_ERROR_LIMIT);
    expect(UINT64_MAX, UINT64_MAX, CUBINET_ERROR_LIMIT, CUBINET_ERROR_LIMIT);
    assert_non_null(strstr(cubinet_error_message(), "the images of the archive in memory take more than"));
}

/* Reading an image decompresses its base again. */
static void images_count_with_their_bases(void **state)
{
    (void)state;
    const struct build_image base = {.kind = 2, .number = 75, .text = "PTX", .compress = 1};
    const struct build_image image = {.kind = 2, .number = 75, .text = "PTX", .compress = 2, .base = &base};
    const struct build_module modules[IMAGES] = {{.name = "a", .images = &base, .image_count = 1},
                                                 {.name = "b", .images = &image, .image_count = 1}};
    for (uint64_t more = 0; more <= 1; more++) {
        struct built built = build(&(struct build_archive){
            .producer = "", .modules = modules, .module_count = IMAGES, .is_1_2 = true});
        put(built.bytes + built_row(&built, 0, 0x8020, 0) + 32, 8, ALWAYS / 2);
        put(built.bytes + built_row(&built, 1, 0x8020, 0) + 32, 8, more);
        built_seal(&built);
        cubinet_archive *archive = NULL;
        cubinet_status opened = cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive);
        assert_int_equal(opened, CUBINET_OK);
        assert_int_equal(image_budget_check_module(archive, 0), CUBINET_OK);
        assert_int_equal(image_budget_check(archive), more ? CUBINET_ERROR_LIMIT : CUBINET_ERROR_DAMAGED);
        cubinet_archive_close(archive);
        built_free(&built);
    }
}

/* An image that several modules have is stored once. */
static void images_that_share_bytes_count_less(void **state)
{
    (void)state;
    for (uint64_t more = 0; more <= 4; more += 4) {
        const uint64_t size = ALWAYS / 5 * 4 + more;
        struct built built = build_sizes((const uint64_t[IMAGES]){size, size});
        unsigned char *first = built.bytes + built_row(&built, 0, 0x8020, 0);
        unsigned char *second = built.bytes + built_row(&built, 1, 0x8020, 0);
        memcpy(second + 16, first + 16, 16); /* offset and stored size */
        built_seal(&built);
        cubinet_archive *archive = NULL;
        assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
        assert_int_equal(image_budget_check(archive), more ? CUBINET_ERROR_LIMIT : CUBINET_OK);
        cubinet_archive_close(archive);
        built_free(&built);
    }
}

/* Modules with the same image, which is stored once, as it is. */
static cubinet_status write_alike(size_t modules)
{
    struct draft draft = {0};
    const char *path = "cubinet-test-budget.cubinet";
    const cubinet_target target = {CUBINET_IMAGE_PTX, 75, 0};
    for (size_t i = 0; i < modules; i++) {
        char name[32];
        snprintf(name, sizeof(name), "m%zu", i);
        assert_int_equal(
            draft_add_image(draft_module(&draft, name), target, calloc(1, MIB), MIB, NULL, "test", NULL),
            CUBINET_OK);
    }
    cubinet_status status = archive_write_file(&draft, &(struct archive_writer_options){0}, path);
    remove(path);
    draft_free(&draft);
    return status;
}

static void modules_with_the_same_image_are_written(void **state)
{
    (void)state;
    assert_int_equal(write_alike(600), CUBINET_OK);
    assert_int_equal(write_alike(2000), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "write several archives with fewer modules each"));
}

/* What no command would read is not written. */
static void images_that_compress_too_far_are_refused(void **state)
{
    (void)state;
    struct draft draft = {0};
    const char *path = "cubinet-test-budget.cubinet";
    const cubinet_target target = {CUBINET_IMAGE_PTX, 75, 0};
    unsigned char *image = calloc(1, ALWAYS + 1); /* pages that nobody writes take no memory */
    assert_non_null(image);
    assert_int_equal(
        draft_add_image(draft_module(&draft, "m"), target, image, ALWAYS + 1, NULL, "test", NULL),
        CUBINET_OK);
    assert_int_equal(archive_write_file(&draft, &(struct archive_writer_options){.zstd_level = 1}, path),
                     CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "`--compress none`"));
    assert_int_equal(remove(path), -1);
    draft_free(&draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_archives_may_take_so_much),
        cmocka_unit_test(images_are_counted_together),
        cmocka_unit_test(images_count_with_their_bases),
        cmocka_unit_test(images_that_share_bytes_count_less),
        cmocka_unit_test(modules_with_the_same_image_are_written),
        cmocka_unit_test(images_that_compress_too_far_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
