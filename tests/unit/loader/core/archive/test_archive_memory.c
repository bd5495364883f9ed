/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: each allocation of opening and reading fails once, and how many there are does not grow with the
 * archive. */
#include "allocations.h"
#include "archive_sample.h"
#include "loader/core/archive/cbn_archive.h"
#include "memory_file.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where an archive is opened. */
typedef cubinet_status open_fn(const struct built *built, cubinet_archive **out_archive);

static cubinet_status open_memory(const struct built *built, cubinet_archive **out_archive)
{
    return cubinet_archive_open_memory(built->bytes, built->size, NULL, out_archive);
}

static cubinet_status open_file(const struct built *built, cubinet_archive **out_archive)
{
    return cubinet_archive_open(memory_file(built->bytes, built->size), NULL, out_archive);
}

static cubinet_status read_resources(const cubinet_archive *archive)
{
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    return cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 1, 1, &resources);
}

/* Lets each allocation of opening an archive and reading from it fail; how many there are. */
static int fail_each(const struct build_archive *what, bool is_large, open_fn *open,
                     cubinet_status (*read)(const cubinet_archive *archive))
{
    struct built built = is_large ? build_large(what) : build(what);
    int failed = 0;
    cubinet_status status = CUBINET_ERROR_OUT_OF_MEMORY;
    for (unsigned int number = 1; status != CUBINET_OK; number++) {
        cubinet_archive *archive = NULL;
        allocations_watch(number);
        status = open(&built, &archive);
        assert_int_equal(archive == NULL, status != CUBINET_OK);
        status = status ? status : read(archive);
        cubinet_archive_close(archive);
        allocations_stop();
        if (status) {
            assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
            failed++;
        }
    }
    built_free(&built);
    return failed;
}

static void reports_each_failed_allocation(void **state)
{
    (void)state;
    /* Archive, page, lists of pages and of blocks, block, parameters, hidden ones, names; of a file what is
     * read first, and of one that is larger the root and a block as it is stored, too. */
    assert_int_equal(fail_each(&sample_archive, false, open_memory, read_resources), 8);
    assert_int_equal(fail_each(&sample_archive, false, open_file, read_resources), 9);
    assert_int_equal(fail_each(&sample_archive, true, open_file, read_resources), 11);
}

/* Each of two pages is read when it is used. */
static void reports_each_failed_allocation_of_pages(void **state)
{
    (void)state;
    struct build_archive paged = sample_archive;
    paged.page_modules = 1;
    /* Archive, list of pages, a page and its list of blocks, block, parameters, hidden ones, names. */
    assert_int_equal(fail_each(&paged, false, open_memory, read_resources), 8);
}

static void count(void *owner)
{
    ++*(int *)owner;
}

/* Whoever lends the bytes gets them back, also if the archive can't be made. */
static void lets_go_without_memory(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    cubinet_archive *archive = NULL;
    int let_go = 0;
    allocations_watch(1);
    cubinet_status status = cbn_archive_open_sound(built.bytes, built.size, &let_go, count, &archive);
    allocations_stop();
    assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
    assert_int_equal(let_go, 1);
    built_free(&built);
}

/* The path of a program, which is told from that of an archive inside it. */
static void names_a_program_without_memory(void **state)
{
    (void)state;
    cubinet_archive *archive = NULL;
    allocations_watch(1);
    cubinet_status status = cubinet_archive_open("/nonexistent#kernels", NULL, &archive);
    allocations_stop();
    assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
    assert_null(archive);
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

static cubinet_status read_image(const cubinet_archive *archive)
{
    char text[1000] = "";
    cubinet_status status = cubinet_archive_read_image(archive, 1, 0, text, sizeof(text) - 1);
    assert_true(status != CUBINET_OK || strcmp(text, based_image[0].text) == 0);
    return status;
}

static void reports_each_failed_allocation_of_compressed_images(void **state)
{
    (void)state;
    /* Archive, page, both lists, both blocks, the base; zstd's own don't count. Of a file what is read first,
     * and of one that is larger the root, and the blocks and images as they are stored, too. */
    assert_int_equal(fail_each(&based_archive, false, open_memory, read_image), 7);
    assert_int_equal(fail_each(&based_archive, false, open_file, read_image), 8);
    assert_int_equal(fail_each(&based_archive, true, open_file, read_image), 13);
}

static unsigned int allocations_of_opening(open_fn *open, size_t module_count, size_t page_modules)
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
    allocations_watch(0);
    cubinet_status status = open(&built, &archive);
    unsigned int made = allocations_stop();
    assert_int_equal(status, CUBINET_OK);
    uint32_t module = 0;
    assert_int_equal(cubinet_archive_find_module(archive, names[module_count - 1], &module), CUBINET_OK);
    assert_int_equal(module, module_count - 1);
    cubinet_archive_close(archive);
    built_free(&built);
    free(names);
    free(modules);
    return made;
}

static void opens_any_size_with_as_many_allocations(void **state)
{
    (void)state;
    assert_int_equal(allocations_of_opening(open_memory, 1, 0), 4);
    assert_int_equal(allocations_of_opening(open_memory, 1000, 0), 4);
    assert_int_equal(allocations_of_opening(open_memory, 1, 64), 2);
    assert_int_equal(allocations_of_opening(open_memory, 1000, 64), 2);
    assert_int_equal(allocations_of_opening(open_file, 1, 64), 3);
    assert_int_equal(allocations_of_opening(open_file, 1000, 64), 4); /* a copy of the root as well */
    assert_int_equal(allocations_of_opening(open_file, 2000, 64), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_each_failed_allocation),
        cmocka_unit_test(reports_each_failed_allocation_of_pages),
        cmocka_unit_test(lets_go_without_memory),
        cmocka_unit_test(names_a_program_without_memory),
        cmocka_unit_test(reports_each_failed_allocation_of_compressed_images),
        cmocka_unit_test(opens_any_size_with_as_many_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
