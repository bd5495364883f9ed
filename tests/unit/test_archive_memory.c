/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: each allocation of opening and reading fails once, and how many there are does not grow with the
 * archive. The linker's --wrap puts the functions below in the place of the allocator's. */
#include "archive_sample.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

static bool counting;
static int allocations;
static int failing; /* which allocation fails, counted from 1; 0: none */

static bool fails(void)
{
    return counting && ++allocations == failing;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

static void count_from_here(int fail)
{
    allocations = 0;
    failing = fail;
    counting = true;
}

static cubinet_status open_and_read(const struct built *built)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open_memory(built->bytes, built->size, NULL, &archive);
    if (!status) {
        cubinet_kernel_resources resources = {.size = sizeof(resources)};
        status = cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 1, 1, &resources);
        cubinet_archive_close(archive);
    } else {
        assert_null(archive);
    }
    return status;
}

static void reports_each_failed_allocation(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    int failed = 0;
    cubinet_status status = CUBINET_ERROR_OUT_OF_MEMORY;
    for (int fail = 1; status != CUBINET_OK; fail++) {
        count_from_here(fail);
        status = open_and_read(&built);
        counting = false;
        if (status) {
            assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
            failed++;
        }
    }
    assert_int_equal(failed, 6); /* archive, page, lists of pages and of blocks, block, parameters */
    built_free(&built);
}

static const struct build_image base_image[] = {
    {.kind = 1, .number = 80, .compress = 1, .text = SAMPLE_PTX SAMPLE_PTX},
};
static const struct build_image based_image[] = {
    {.kind = 1, .number = 90, .compress = 2, .text = SAMPLE_PTX SAMPLE_CUBIN, .base = base_image},
};
static const struct build_module based_modules[] = {
    {.name = "a", .images = base_image, .image_count = 1},
    {.name = "b", .images = based_image, .image_count = 1},
};
static const struct build_archive based_archive = {
    .modules = based_modules, .module_count = 2, .is_1_2 = true, .packs_blocks = true};

static cubinet_status open_and_read_image(const struct built *built)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open_memory(built->bytes, built->size, NULL, &archive);
    if (!status) {
        char text[1000] = "";
        status = cubinet_archive_read_image(archive, 1, 0, text, sizeof(text) - 1);
        assert_true(status != CUBINET_OK || strcmp(text, based_image[0].text) == 0);
    }
    cubinet_archive_close(archive);
    return status;
}

static void reports_each_failed_allocation_of_compressed_images(void **state)
{
    (void)state;
    struct built built = build(&based_archive);
    int failed = 0;
    cubinet_status status = CUBINET_ERROR_OUT_OF_MEMORY;
    for (int fail = 1; status != CUBINET_OK; fail++) {
        count_from_here(fail);
        status = open_and_read_image(&built);
        counting = false;
        if (status) {
            assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
            failed++;
        }
    }
    assert_int_equal(failed,
                     7); /* archive, page, both lists, both blocks, the base; zstd's own don't count */
    built_free(&built);
}

static int allocations_of_opening(size_t module_count, size_t page_modules)
{
    struct build_module *modules = calloc(module_count, sizeof(*modules));
    char(*names)[32] = calloc(module_count, sizeof(*names));
    for (size_t i = 0; i < module_count; i++) {
        snprintf(names[i], sizeof(names[i]), "module%06zu", i);
        modules[i] = sample_modules[SAMPLE_AXPY];
        modules[i].name = names[i];
    }
    const struct build_archive many = {
        .modules = modules, .module_count = module_count, .page_modules = page_modules};
    struct built built = build(&many);
    cubinet_archive *archive = NULL;
    count_from_here(0);
    cubinet_status status = cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive);
    counting = false;
    assert_int_equal(status, CUBINET_OK);
    uint32_t module = 0;
    assert_int_equal(cubinet_archive_find_module(archive, names[module_count - 1], &module), CUBINET_OK);
    assert_int_equal(module, module_count - 1);
    cubinet_archive_close(archive);
    built_free(&built);
    free(names);
    free(modules);
    return allocations;
}

static void opens_any_size_with_as_many_allocations(void **state)
{
    (void)state;
    assert_int_equal(allocations_of_opening(1, 0), 4);
    assert_int_equal(allocations_of_opening(1000, 0), 4);
    assert_int_equal(allocations_of_opening(1, 64), 2);
    assert_int_equal(allocations_of_opening(1000, 64), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_each_failed_allocation),
        cmocka_unit_test(reports_each_failed_allocation_of_compressed_images),
        cmocka_unit_test(opens_any_size_with_as_many_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
