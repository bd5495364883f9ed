/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive's index may take of a reader's memory and time: what its compressed blocks inflate to, and
 * how often its rows may name the same bytes. */
#include "archive/archive_writer.h"
#include "archive_builder.h"
#include "loader/core/archive/block.h"
#include "loader/core/archive/format.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, IMAGES = 200, MOST_IMAGES = 513, KERNELS = 2000 };

/* An archive of equal modules. */
struct sample {
    struct build_image images[MOST_IMAGES];
    struct build_named kernels[KERNELS];
    struct build_resource resources[MOST_IMAGES];
    struct build_module modules[100];
    char names[100][5000];
};

static char *repeat(char c, size_t count)
{
    char *text = malloc(count + 1);
    assert_non_null(text);
    memset(text, c, count);
    text[count] = '\0';
    return text;
}

static struct sample make_sample(size_t module_count, size_t image_count, const char *expression)
{
    struct sample sample = {.kernels = {{.name = "k", .expression = expression}}};
    for (size_t i = 0; i < MOST_IMAGES; i++) {
        sample.images[i] = (struct build_image){.kind = 2, .number = (uint16_t)(10 + i), .text = "PTX"};
        sample.resources[i] = (struct build_resource){.image = (uint32_t)i};
    }
    for (size_t i = 0; i < module_count; i++) {
        snprintf(sample.names[i], sizeof(sample.names[i]), "m%02u", (unsigned)i);
        sample.modules[i] = (struct build_module){.image_count = image_count, .kernel_count = 1};
    }
    return sample;
}

/* Pointers are set here, since samples are copied. */
static struct built build_sample(struct sample *sample, size_t module_count, bool packs_blocks)
{
    for (size_t i = 0; i < module_count; i++) {
        sample->modules[i].name = sample->names[i];
        sample->modules[i].images = sample->images;
        sample->modules[i].kernels = sample->kernels;
        sample->modules[i].resources = sample->resources;
    }
    return build(&(struct build_archive){.producer = "a test",
                                         .modules = sample->modules,
                                         .module_count = module_count,
                                         .is_1_2 = packs_blocks,
                                         .packs_blocks = packs_blocks});
}

static cubinet_archive *open_built(const struct built *built)
{
    cubinet_archive *archive = NULL;
    if (cubinet_archive_open_memory(built->bytes, built->size, NULL, &archive)) {
        fail_msg("%s", cubinet_error_message());
    }
    return archive;
}

static cubinet_status read_module(const cubinet_archive *archive, uint32_t module)
{
    cubinet_module_info info = {.size = sizeof(info)};
    return cubinet_archive_get_module(archive, module, &info);
}

/* What reading the only module of an archive says, which is closed. */
static cubinet_status read_only_module(struct built *built)
{
    cubinet_archive *archive = open_built(built);
    cubinet_status status = read_module(archive, 0);
    cubinet_archive_close(archive);
    built_free(built);
    return status;
}

static cubinet_status read_long_expression(size_t size)
{
    char *expression = repeat('a', size);
    struct sample sample = make_sample(1, 1, expression);
    struct built built = build_sample(&sample, 1, true);
    free(expression);
    return read_only_module(&built);
}

static void a_block_inflates_no_further_than_its_limit(void **state)
{
    (void)state;
    assert_int_equal(read_long_expression(MIB - 1000), CUBINET_OK);
    assert_int_equal(read_long_expression(MIB), CUBINET_ERROR_LIMIT);
    assert_non_null(strstr(cubinet_error_message(), "the index of module 'm00'"));
    assert_non_null(strstr(cubinet_error_message(), "the limit is 1048576"));
}

/* Strings that were returned live until the archive is closed, so blocks stay; together they have a limit. */
static void blocks_inflate_together_no_further_than_their_limit(void **state)
{
    (void)state;
    enum { MODULES = 8, RAW = MIB - 1000 };
    char *expression = repeat('a', RAW);
    struct sample sample = make_sample(MODULES, 1, expression);
    struct built built = build_sample(&sample, MODULES, true);
    assert_in_range(built.index_size, 1, 4 * MIB / 64);
    cubinet_archive *archive = open_built(&built);
    for (int again = 0; again < 2; again++) {
        uint32_t count = 0;
        while (read_module(archive, count) == CUBINET_OK) {
            count++;
        }
        assert_int_equal(count, 4); /* 4 MiB */
        assert_int_equal(read_module(archive, count), CUBINET_ERROR_LIMIT);
        assert_non_null(strstr(cubinet_error_message(), "the limit for its"));
    }
    cubinet_archive_close(archive);
    built_free(&built);
    free(expression);
}

/* A program's limit on images holds for blocks where it is the lower one. */
static void a_lower_limit_of_the_program_holds(void **state)
{
    (void)state;
    const cubinet_archive_options options = {.size = sizeof(options), .max_image_size = 1000};
    char *expression = repeat('a', 1000);
    struct sample sample = make_sample(1, 1, expression);
    struct built built = build_sample(&sample, 1, true);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, &options, &archive), CUBINET_OK);
    assert_int_equal(read_module(archive, 0), CUBINET_ERROR_LIMIT);
    cubinet_archive_close(archive);
    built_free(&built);
    free(expression);
}

/* What reading says of kernels whose names are the tails of one string, each a byte longer than the one
 * before. */
static cubinet_status read_tails(size_t count, size_t longest)
{
    char *name = repeat('z', longest);
    struct sample sample = make_sample(1, 1, "");
    for (size_t i = 0; i < count; i++) {
        sample.kernels[i] = (struct build_named){.name = i + 1 < count ? "a" : name};
    }
    sample.modules[0].kernel_count = count;
    struct built built = build_sample(&sample, 1, false);
    uint64_t last = get(built.bytes + built_row(&built, 0, 0x8021, count - 1), 4);
    for (size_t i = 0; i < count; i++) {
        put(built.bytes + built_row(&built, 0, 0x8021, i), 4, last + (count - 1 - i));
    }
    built_seal(&built);
    free(name);
    return read_only_module(&built);
}

static void names_share_bytes_to_a_degree(void **state)
{
    (void)state;
    assert_int_equal(read_tails(4, 20000), CUBINET_OK);
    assert_int_equal(read_tails(5, 20000), CUBINET_ERROR_DAMAGED);
    assert_int_equal(read_tails(KERNELS, KERNELS), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "name"));
}

/* A module's name is told with everything in it. */
static void module_names_are_short(void **state)
{
    (void)state;
    for (size_t size = 4096; size <= 4097; size++) {
        struct sample sample = make_sample(1, 1, "");
        memset(sample.names[0], 'n', size);
        struct built built = build_sample(&sample, 1, false);
        cubinet_archive *archive = NULL;
        assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive),
                         size > 4096 ? CUBINET_ERROR_DAMAGED : CUBINET_OK);
        cubinet_archive_close(archive);
        built_free(&built);
    }
}

static cubinet_status read_told(size_t images, size_t name_size)
{
    char *expression = repeat('a', name_size);
    struct sample sample = make_sample(1, images, expression);
    sample.modules[0].resource_count = images;
    struct built built = build_sample(&sample, 1, false);
    free(expression);
    return read_only_module(&built);
}

/* The status of a module with a kernel of a long name in the first images, and another one in the rest. */
static cubinet_status read_long_name(size_t images, size_t first_images, size_t name_size)
{
    char *name = repeat('a', name_size);
    struct sample sample = make_sample(1, images, "");
    sample.kernels[0].name = name;
    sample.kernels[1] = (struct build_named){.name = "k"};
    for (size_t i = first_images; i < images; i++) {
        sample.resources[i].kernel = 1;
    }
    sample.modules[0].kernel_count = 2;
    sample.modules[0].resource_count = images;
    struct built built = build_sample(&sample, 1, false);
    free(name);
    return read_only_module(&built);
}

/* A kernel's name is told with each of its images. */
static void names_are_told_to_a_degree(void **state)
{
    (void)state;
    assert_int_equal(read_long_name(IMAGES, 1, 100000), CUBINET_OK);
    assert_int_equal(read_long_name(IMAGES, IMAGES, 100000), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "too long a name"));
    assert_int_equal(read_told(IMAGES, 1000), CUBINET_OK);
    assert_int_equal(read_told(64, 50000), CUBINET_OK);
    assert_int_equal(read_told(IMAGES, 50000), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "too long a name"));
}

static cubinet_status read_params(size_t images, uint16_t count)
{
    struct build_param *params = calloc(count, sizeof(*params));
    struct sample sample = make_sample(1, images, "");
    sample.modules[0].resource_count = images;
    sample.modules[0].params = params;
    sample.modules[0].param_count = count;
    for (size_t i = 0; i < images; i++) {
        sample.resources[i].param_count = count;
    }
    struct built built = build_sample(&sample, 1, false);
    free(params);
    return read_only_module(&built);
}

static void parameters_are_shared_to_a_degree(void **state)
{
    (void)state;
    assert_int_equal(read_params(IMAGES, 100), CUBINET_OK);
    assert_int_equal(read_params(64, 8000), CUBINET_OK);
    assert_int_equal(read_params(IMAGES, 8000), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "parameters"));
}

static void a_module_has_so_many_images(void **state)
{
    (void)state;
    struct sample sample = make_sample(1, 512, "");
    struct built built = build_sample(&sample, 1, false);
    assert_int_equal(read_only_module(&built), CUBINET_OK);
    sample = make_sample(1, 513, "");
    built = build_sample(&sample, 1, false);
    assert_int_equal(read_only_module(&built), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "it has 513 images, and a module has at most 512"));
}

/* The status of a module with a kernel of a long name and many parameters in each image. */
static cubinet_status read_both(size_t images, size_t name_size, uint16_t params)
{
    char *expression = repeat('a', name_size);
    struct sample sample = make_sample(1, images, expression);
    sample.modules[0].resource_count = images;
    sample.modules[0].params = calloc(params, sizeof(struct build_param));
    sample.modules[0].param_count = params;
    for (size_t i = 0; i < images; i++) {
        sample.resources[i].param_count = params;
    }
    struct built built = build_sample(&sample, 1, false);
    free((void *)sample.modules[0].params);
    free(expression);
    return read_only_module(&built);
}

static void all_records_of_a_module_count(void **state)
{
    (void)state;
    assert_int_equal(read_both(MOST_IMAGES - 1, 8000, 1), CUBINET_OK);
    assert_int_equal(read_both(MOST_IMAGES - 1, 1, 1000), CUBINET_OK);
    assert_int_equal(read_both(MOST_IMAGES - 1, 8000, 1000), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "too long a name"));
}

/* Whatever a compressed index inflates to, what all its records tell is bounded. */
static void records_of_all_modules_count(void **state)
{
    (void)state;
    enum { MODULES = 10, PARAMS = 1000, TOLD = 100 * PARAMS * 8 };
    struct sample sample = make_sample(MODULES, 100, "");
    struct build_param *params = calloc(PARAMS, sizeof(*params));
    for (size_t i = 0; i < 100; i++) {
        sample.resources[i].param_count = PARAMS;
    }
    for (size_t i = 0; i < MODULES; i++) {
        sample.modules[i].resource_count = 100;
        sample.modules[i].params = params;
        sample.modules[i].param_count = PARAMS;
    }
    struct built built = build_sample(&sample, MODULES, true);
    assert_in_range(built.size, 1, 4 * MIB / 16);
    cubinet_archive *archive = open_built(&built);
    for (int again = 0; again < 2; again++) {
        uint32_t count = 0;
        while (read_module(archive, count) == CUBINET_OK) {
            count++;
        }
        assert_int_equal(count, 4 * MIB / TOLD);
        assert_int_equal(read_module(archive, count), CUBINET_ERROR_LIMIT);
        assert_non_null(strstr(cubinet_error_message(),
                               "the same kernels, parameters, sources and tuned sets too often"));
    }
    cubinet_archive_close(archive);
    built_free(&built);
    free(params);
}

/* The status of a module whose first images are recorded with options of that size, and the rest with one. */
static cubinet_status read_origins(size_t images, size_t first_images, size_t options_size)
{
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    for (size_t i = 0; i < images; i++) {
        const cubinet_target target = {CUBINET_IMAGE_PTX, (uint16_t)(10 + i), 0};
        struct draft_image *image;
        assert_int_equal(
            draft_add_image(module, target, (unsigned char *)strdup("x"), 1, NULL, "test", &image),
            CUBINET_OK);
        image->provenance = (struct provenance){
            .source = strdup("s.cu"),
            .options = repeat('o', i < first_images ? options_size : 1),
            .compiler = strdup("NVRTC"),
        };
    }
    char *bytes = NULL;
    size_t size = 0;
    cubinet_status status = archive_make(&draft, &bytes, &size); /* which reads what it made */
    draft_free(&draft);
    if (status) {
        return status;
    }
    struct built built = {.bytes = (unsigned char *)bytes, .size = size};
    return read_only_module(&built);
}

/* Images that were made of one source share what is recorded of it. */
static void origins_are_shared_to_a_degree(void **state)
{
    (void)state;
    assert_int_equal(read_origins(64, 64, 50000), CUBINET_OK);
    assert_int_equal(read_origins(IMAGES, 1, 100000), CUBINET_OK);
    assert_int_equal(read_origins(IMAGES, IMAGES, 50000), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "too long for so many images"));
}

/* Of images with one source, whose strings take just as many bytes as there may be, or one more for each. */
static void every_origin_counts(void **state)
{
    (void)state;
    enum { SIZE = 100, COUNT_OF_IMAGES = 17, LONGEST = 64 * SIZE / COUNT_OF_IMAGES };
    for (size_t more = 0; more <= 1; more++) {
        char text[LONGEST + 8] = "\0n";
        unsigned char rows[COUNT_OF_IMAGES][CBN_ORIGIN_SIZE] = {0};
        unsigned char source[CBN_SOURCE_SIZE] = {0};
        memset(text + 3, 'o',
               LONGEST + more - 5); /* name and compiler have two bytes, and each string its NUL */
        cbn_put32(source + CBN_SOURCE_NAME, 1);
        cbn_put32(source + CBN_SOURCE_OPTIONS, 3);
        cbn_put32(source + CBN_SOURCE_COMPILER, 1);
        for (uint32_t i = 0; i < COUNT_OF_IMAGES; i++) {
            cbn_put32(rows[i] + CBN_ORIGIN_IMAGE, i);
        }
        struct cbn_block block = {
            .size = SIZE,
            .strings = {.rows = (const unsigned char *)text, .stride = 1, .count = sizeof(text)},
            .images = {.count = COUNT_OF_IMAGES},
            .origins = {.rows = rows[0], .stride = CBN_ORIGIN_SIZE, .count = COUNT_OF_IMAGES},
            .sources = {.rows = source, .stride = CBN_SOURCE_SIZE, .count = 1},
        };
        assert_int_equal(cbn_block_check_origins(&block), more ? CUBINET_ERROR_DAMAGED : CUBINET_OK);
    }
}

static void every_source_is_checked(void **state)
{
    (void)state;
    unsigned char sources[2][CBN_SOURCE_SIZE] = {0};
    struct cbn_block block = {
        .size = 100,
        .strings = {.rows = (const unsigned char *)"", .stride = 1, .count = 1},
        .sources = {.rows = sources[0], .stride = CBN_SOURCE_SIZE, .count = 2},
    };
    assert_int_equal(cbn_block_check_origins(&block), CUBINET_OK);
    cbn_put32(sources[1] + CBN_SOURCE_COMPILER, 7);
    assert_int_equal(cbn_block_check_origins(&block), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "source 1: missing or malformed name"));
}

static void origins_are_in_the_order_of_images(void **state)
{
    (void)state;
    unsigned char rows[2][CBN_ORIGIN_SIZE] = {0};
    struct cbn_block block = {
        .images = {.count = 2},
        .origins = {.rows = rows[0], .stride = CBN_ORIGIN_SIZE, .count = 2},
        .sources = {.count = 1},
    };
    cbn_put32(rows[0] + CBN_ORIGIN_IMAGE, 1);
    assert_int_equal(cbn_block_check_origins(&block), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "origin 1: out of order"));
}

/* A draft of modules that are the same but for their names, so that all but the first compress to nearly
 * nothing. */
static struct draft make_alike(size_t modules, size_t kernels, size_t images)
{
    struct draft draft = {0};
    struct contents contents = {.toolkit = 12090};
    for (size_t i = 0; i < kernels; i++) {
        char name[32];
        int size = snprintf(name, sizeof(name), "a_kernel_of_many_%05zu", i);
        contents_add_kernel(&contents, name, (size_t)size);
    }
    for (size_t i = 0; i < modules; i++) {
        char name[32];
        snprintf(name, sizeof(name), "module%03zu", i);
        struct draft_module *module = draft_module(&draft, name);
        for (size_t j = 0; j < images; j++) {
            const cubinet_target target = {CUBINET_IMAGE_PTX, (uint16_t)(50 + j), 0};
            assert_int_equal(
                draft_add_image(module, target, (unsigned char *)strdup("x"), 1, &contents, "test", NULL),
                CUBINET_OK);
        }
    }
    contents_free(&contents);
    return draft;
}

static void expect_alike_reads_back(size_t modules, size_t kernels, size_t images)
{
    struct draft draft = make_alike(modules, kernels, images);
    const char *path = "cubinet-test-limits.cubinet";
    cubinet_archive *archive = NULL;
    assert_int_equal(archive_write_file(&draft, &(struct archive_writer_options){.zstd_level = 1}, path),
                     CUBINET_OK);
    draft_free(&draft);
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
    for (uint32_t i = 0; i < modules; i++) {
        if (read_module(archive, i)) {
            fail_msg("%s", cubinet_error_message());
        }
    }
    cubinet_archive_close(archive);
    assert_int_equal(remove(path), 0);
}

/* What compresses further than a reader takes is filed with less compression. */
static void what_is_written_is_within_the_limits(void **state)
{
    (void)state;
    expect_alike_reads_back(2, 3000, 6);   /* blocks of 1.8 MB */
    expect_alike_reads_back(140, 1000, 5); /* 140 of 0.5 MB, in pages */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_inflates_no_further_than_its_limit),
        cmocka_unit_test(blocks_inflate_together_no_further_than_their_limit),
        cmocka_unit_test(a_lower_limit_of_the_program_holds),
        cmocka_unit_test(names_share_bytes_to_a_degree),
        cmocka_unit_test(module_names_are_short),
        cmocka_unit_test(names_are_told_to_a_degree),
        cmocka_unit_test(parameters_are_shared_to_a_degree),
        cmocka_unit_test(a_module_has_so_many_images),
        cmocka_unit_test(all_records_of_a_module_count),
        cmocka_unit_test(records_of_all_modules_count),
        cmocka_unit_test(origins_are_shared_to_a_degree),
        cmocka_unit_test(every_origin_counts),
        cmocka_unit_test(every_source_is_checked),
        cmocka_unit_test(origins_are_in_the_order_of_images),
        cmocka_unit_test(what_is_written_is_within_the_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
