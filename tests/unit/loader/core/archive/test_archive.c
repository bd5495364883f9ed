/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an archive that is as it should be: what comes out, how things are found, who may use it when. */
#include "archive_sample.h"
#include "loader/core/archive/cbn_archive.h"
#include "unit.h"

#include <cubinet/launch_record.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cubinet_archive *open_sample(struct built *built)
{
    *built = build(&sample_archive);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built->bytes, built->size, NULL, &archive), CUBINET_OK);
    return archive;
}

static void says_what_it_is(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    cubinet_archive_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_info(archive, &info), CUBINET_OK);
    assert_string_equal(info.archive_version, "1.4.0");
    assert_string_equal(info.producer, "a test");
    assert_int_equal(info.format_major, 1);
    assert_int_equal(info.format_minor, 1);
    assert_int_equal(info.archive_size, built.size);
    assert_int_equal(info.index_size, built.index_size);
    assert_int_equal(cubinet_archive_get_module_count(archive), 2);

    cubinet_module_info module = {.size = sizeof(module)};
    assert_int_equal(cubinet_archive_get_module(archive, SAMPLE_SEGSUM, &module), CUBINET_OK);
    assert_string_equal(module.name, "segmented_sum");
    assert_int_equal(module.image_count, 4);
    assert_int_equal(module.kernel_count, 3);
    assert_int_equal(module.global_count, 2);
    assert_int_equal(cubinet_archive_get_module(archive, 2, &module), CUBINET_ERROR_NOT_FOUND);
    cubinet_archive_close(archive);
    built_free(&built);
}

static void reads_images(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    for (uint32_t i = 0; i < COUNT(sample_segsum_images); i++) {
        const struct build_image *expected = &sample_segsum_images[i];
        cubinet_image_info info = {.size = sizeof(info)};
        assert_int_equal(cubinet_archive_get_image(archive, SAMPLE_SEGSUM, i, &info), CUBINET_OK);
        assert_int_equal(info.target.kind, expected->kind);
        assert_int_equal(info.target.number, expected->number);
        assert_int_equal(info.target.suffix, expected->suffix);
        assert_int_equal(info.toolkit, expected->toolkit);
        assert_int_equal(info.ptx_isa, expected->kind == 2 ? expected->isa_or_floor : 0);
        assert_int_equal(info.link_floor, expected->kind == 3 ? expected->isa_or_floor : 0);
        assert_int_equal(info.encoding, expected->compress);
        assert_int_equal(info.raw_size, strlen(expected->text));
        char *text = calloc(1, info.raw_size + 1);
        assert_int_equal(cubinet_archive_read_image(archive, SAMPLE_SEGSUM, i, text, info.raw_size),
                         CUBINET_OK);
        assert_string_equal(text, expected->text);
        assert_int_equal(cubinet_archive_read_image(archive, SAMPLE_SEGSUM, i, text, info.raw_size - 1),
                         CUBINET_ERROR_INVALID_ARGUMENT);
        free(text);
        const void *bytes = NULL;
        assert_int_equal(cbn_archive_image_bytes(archive, SAMPLE_SEGSUM, i, &bytes), CUBINET_OK);
        assert_ptr_equal(bytes, built.bytes + info.offset);
    }
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_image(archive, SAMPLE_SEGSUM, 4, &info), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_image(archive, SAMPLE_AXPY, 1, &info), CUBINET_OK);
    assert_int_equal(info.target.kind, 7); /* listed, though unknown */
    cubinet_archive_close(archive);
    built_free(&built);
}

static void reads_resources(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    cubinet_kernel_resources r = {.size = sizeof(r)};
    assert_int_equal(cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 1, 0, &r), CUBINET_OK);
    const uint32_t numbers[] = {r.registers,
                                r.static_shared_bytes,
                                r.local_bytes,
                                r.constant_bytes,
                                r.max_threads_per_block,
                                r.max_block[0],
                                r.max_block[1],
                                r.max_block[2],
                                r.required_block[0],
                                r.required_block[1],
                                r.required_block[2],
                                r.min_blocks,
                                r.required_cluster[0],
                                r.required_cluster[1],
                                r.required_cluster[2],
                                r.max_cluster_blocks,
                                r.spill_store_bytes,
                                r.spill_load_bytes,
                                r.barriers};
    for (uint32_t i = 0; i < COUNT(numbers); i++) {
        assert_int_equal(numbers[i], 300 + i);
    }
    assert_int_equal(r.param_bytes, 12);
    assert_int_equal(r.param_count, 2);
    assert_int_equal(r.params[1].offset, 8);
    assert_int_equal(r.params[1].size, 4);

    assert_int_equal(cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 3, 1, &r), CUBINET_OK);
    assert_int_equal(r.param_count, CUBINET_UNKNOWN);
    assert_int_equal(r.param_bytes, CUBINET_UNKNOWN);
    assert_null(r.params);
    assert_int_equal(cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 0, 2, &r), CUBINET_OK);
    assert_int_equal(r.param_count, 0);
    assert_null(r.params);

    assert_int_equal(cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 0, 1, &r),
                     CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "module 'segmented_sum' has no kernel '_Z6segsumIfiEvPKT_Pi' in its image for sm_80");
    assert_int_equal(cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 4, 0, &r),
                     CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 0, 3, &r),
                     CUBINET_ERROR_NOT_FOUND);
    cubinet_archive_close(archive);
    built_free(&built);
}

static const struct build_launch *sample_launch(uint32_t resource)
{
    for (size_t i = 0; i < COUNT(sample_segsum_launches); i++) {
        if (sample_segsum_launches[i].resource == resource) {
            return &sample_segsum_launches[i];
        }
    }
    return NULL;
}

static void expect_launch(const cubinet_launch_record *record, const struct build_launch *expected)
{
    static const struct build_launch nothing = {.dynamic_shared = 0xffffffff};
    const struct build_launch *launch = expected ? expected : &nothing;
    assert_int_equal(record->flags, launch->flags);
    assert_int_equal(record->dynamic_shared_bytes, launch->dynamic_shared);
    assert_memory_equal(record->block, launch->block, sizeof(launch->block));
    assert_memory_equal(record->grid_factor, launch->grid_factor, sizeof(launch->grid_factor));
    assert_memory_equal(record->cluster, launch->cluster, sizeof(launch->cluster));
    assert_int_equal(record->hidden_count, launch->hidden);
    assert_int_equal(record->hidden != NULL, launch->hidden > 0);
    assert_int_equal(record->param_name_count, launch->names);
    assert_int_equal(record->param_names != NULL, launch->names > 0);
}

static void reads_launch_records(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    size_t hidden = 0;
    size_t name = 0;
    for (uint32_t i = 0; i < COUNT(sample_segsum_resources); i++) {
        cubinet_launch_record record = {.size = sizeof(record)};
        const struct build_resource *resource = &sample_segsum_resources[i];
        assert_int_equal(cubinet_archive_get_launch_record(archive, SAMPLE_SEGSUM, resource->image,
                                                           resource->kernel, &record),
                         CUBINET_OK);
        expect_launch(&record, sample_launch(i));
        for (uint32_t j = 0; j < record.hidden_count; j++, hidden++) {
            assert_int_equal(record.hidden[j].param, sample_segsum_hidden[hidden].param);
            assert_int_equal(record.hidden[j].kind, sample_segsum_hidden[hidden].kind);
            assert_int_equal(record.hidden[j].bytes_per_block, sample_segsum_hidden[hidden].bytes);
            assert_int_equal(record.hidden[j].alignment, sample_segsum_hidden[hidden].alignment);
            assert_int_equal(record.hidden[j].dimensions, sample_segsum_hidden[hidden].dimensions);
        }
        for (uint32_t j = 0; j < record.param_name_count; j++, name++) {
            assert_string_equal(record.param_names[j].name, sample_segsum_param_names[name].name);
            assert_string_equal(record.param_names[j].type, sample_segsum_param_names[name].type);
        }
    }
    assert_int_equal(hidden, COUNT(sample_segsum_hidden));
    assert_int_equal(name, COUNT(sample_segsum_param_names));
    cubinet_launch_record record = {.size = sizeof(record)};
    assert_int_equal(cubinet_archive_get_launch_record(archive, SAMPLE_SEGSUM, 0, 1, &record),
                     CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_launch_record(archive, SAMPLE_SEGSUM, 0, 0, NULL),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    cubinet_archive_close(archive);
    built_free(&built);
}

/* Of 16 images every other one has a row, as many as there are rows. */
static void finds_each_row_of_an_image(void **state)
{
    (void)state;
    enum { IMAGES = 16, ROWS = IMAGES / 2 };
    static const struct build_named kernel = {.name = "k", .expression = ""};
    struct build_image images[IMAGES];
    struct build_piece pieces[ROWS];
    struct build_resource resources[ROWS];
    struct build_symbol symbols[ROWS * (ROWS - 1) / 2];
    char names[ROWS][8];
    size_t symbol_count = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        snprintf(names[i], sizeof(names[i]), "s%u", (unsigned)i);
        pieces[i] = (struct build_piece){.image = 2 * i + 1, .defined = i};
        resources[i] = (struct build_resource){.image = 2 * i + 1, .base = 100 * (i + 1)};
        for (uint32_t j = 0; j < i; j++) {
            symbols[symbol_count++] = (struct build_symbol){.name = names[j], .type = ""};
        }
    }
    for (uint32_t i = 0; i < IMAGES; i++) {
        images[i] = (struct build_image){
            .kind = 2, .number = (uint16_t)(50 + i), .toolkit = 12000, .isa_or_floor = 80, .text = "PTX"};
    }
    for (uint32_t rows = 0; rows <= ROWS; rows++) {
        const struct build_module module = {.name = "m",
                                            .images = images,
                                            .image_count = IMAGES,
                                            .kernels = &kernel,
                                            .kernel_count = 1,
                                            .pieces = pieces,
                                            .piece_count = rows,
                                            .symbols = symbols,
                                            .symbol_count = rows > 0 ? rows * (rows - 1) / 2 : 0,
                                            .resources = resources,
                                            .resource_count = rows};
        const struct build_archive one = {.modules = &module, .module_count = 1};
        struct built built = build(&one);
        cubinet_archive *archive = NULL;
        assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
        for (uint32_t i = 0; i < IMAGES; i++) {
            bool is_there = i % 2 == 1 && i / 2 < rows;
            cubinet_image_info info = {.size = sizeof(info)};
            cubinet_kernel_resources found = {.size = sizeof(found)};
            assert_int_equal(cubinet_archive_get_image(archive, 0, i, &info), CUBINET_OK);
            assert_int_equal((info.flags & CUBINET_IMAGE_IS_PIECE) != 0, is_there);
            assert_int_equal(info.defined_count, is_there ? i / 2 : 0);
            assert_int_equal(cubinet_archive_get_resources(archive, 0, i, 0, &found),
                             is_there ? CUBINET_OK : CUBINET_ERROR_NOT_FOUND);
        }
        cubinet_archive_close(archive);
        built_free(&built);
    }
}

/* An image may be one byte, right after the index or at the archive's end. */
static void images_lie_behind_the_index(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    unsigned char *row = built.bytes + built_row(&built, SAMPLE_SEGSUM, 0x8020, 0);
    size_t index_end = built.index + built.index_size;
    const struct {
        size_t offset;
        size_t size;
        cubinet_status status;
    } cases[] = {
        {index_end, 1, CUBINET_OK},
        {index_end - 1, 1, CUBINET_ERROR_DAMAGED},
        {index_end, built.size - index_end, CUBINET_OK},
        {index_end, built.size - index_end + 1, CUBINET_ERROR_DAMAGED},
        {built.size - 1, 1, CUBINET_OK},
        {built.size, 1, CUBINET_ERROR_DAMAGED},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        cubinet_archive *archive = NULL;
        cubinet_module_info info = {.size = sizeof(info)};
        put(row + 16, 8, cases[i].offset);
        put(row + 24, 8, cases[i].size);
        put(row + 32, 8, cases[i].size);
        built_seal(&built);
        assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
        assert_int_equal(cubinet_archive_get_module(archive, SAMPLE_SEGSUM, &info), cases[i].status);
        cubinet_archive_close(archive);
    }
    built_free(&built);
}

static void a_module_has_an_image(void **state)
{
    (void)state;
    const struct build_module empty = {.name = "m"};
    const struct build_archive one = {.modules = &empty, .module_count = 1};
    struct built built = build(&one);
    cubinet_archive *archive = NULL;
    cubinet_module_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
    assert_int_equal(cubinet_archive_get_module(archive, 0, &info), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "it has no image"));
    cubinet_archive_close(archive);
    built_free(&built);
}

static void reads_pieces(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    for (uint32_t i = 0; i < COUNT(sample_segsum_images); i++) {
        cubinet_image_info info = {.size = sizeof(info)};
        assert_int_equal(cubinet_archive_get_image(archive, SAMPLE_SEGSUM, i, &info), CUBINET_OK);
        const struct build_piece *expected = NULL;
        for (size_t j = 0; j < COUNT(sample_segsum_pieces); j++) {
            if (sample_segsum_pieces[j].image == i) {
                expected = &sample_segsum_pieces[j];
            }
        }
        assert_int_equal(info.flags & CUBINET_IMAGE_IS_PIECE, expected ? CUBINET_IMAGE_IS_PIECE : 0);
        assert_int_equal(info.defined_count, expected ? expected->defined : 0);
        assert_int_equal(info.needed_count, expected ? expected->needed : 0);
        assert_int_equal((info.flags & CUBINET_IMAGE_SYMBOLS_COMPLETE) != 0,
                         expected ? expected->flags & 1 : 0);
    }
    cubinet_archive_close(archive);
    built_free(&built);
}

static void reads_symbols(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    size_t row = 0;
    for (size_t i = 0; i < COUNT(sample_segsum_pieces); i++) {
        const struct build_piece *piece = &sample_segsum_pieces[i];
        for (uint32_t j = 0; j < piece->defined + piece->needed; j++, row++) {
            const struct build_symbol *expected = &sample_segsum_symbols[row];
            cubinet_symbol_info info = {.size = sizeof(info)};
            assert_int_equal(cubinet_archive_get_symbol(archive, SAMPLE_SEGSUM, piece->image, j, &info),
                             CUBINET_OK);
            assert_string_equal(info.name, expected->name);
            assert_string_equal(info.expression,
                                expected->expression ? expected->expression : expected->name);
            assert_string_equal(info.type, expected->type);
            assert_int_equal((info.flags & CUBINET_SYMBOL_DEFINED) != 0, j < piece->defined);
            assert_int_equal((info.flags & CUBINET_SYMBOL_WEAK) != 0, expected->flags & 1);
            assert_int_equal((info.flags & CUBINET_SYMBOL_VARIABLE) != 0, (expected->flags & 2) != 0);
        }
    }
    assert_int_equal(row, COUNT(sample_segsum_symbols));
    cubinet_archive_close(archive);
    built_free(&built);
}

static void names_what_symbol_there_is_not(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    cubinet_symbol_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_symbol(archive, SAMPLE_SEGSUM, 0, 0, &info),
                     CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "module 'segmented_sum' has no symbol number 0 in its image for sm_80");
    assert_int_equal(cubinet_archive_get_symbol(archive, SAMPLE_SEGSUM, 3, 3, &info),
                     CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_symbol(archive, SAMPLE_SEGSUM, 4, 0, &info),
                     CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_symbol(archive, 2, 0, 0, &info), CUBINET_ERROR_NOT_FOUND);
    assert_null(info.name);
    cubinet_archive_close(archive);
    built_free(&built);
}

static void reads_kernels_and_globals(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    cubinet_kernel_info kernel = {.size = sizeof(kernel)};
    assert_int_equal(cubinet_archive_get_kernel(archive, SAMPLE_SEGSUM, 1, &kernel), CUBINET_OK);
    assert_string_equal(kernel.name, "_Z6segsumIfiEvPKT_Pi");
    assert_string_equal(kernel.expression, "segsum<float,int,256,4>");
    assert_int_equal(cubinet_archive_get_kernel(archive, SAMPLE_SEGSUM, 2, &kernel), CUBINET_OK);
    assert_string_equal(kernel.expression, "plain");
    assert_int_equal(cubinet_archive_get_kernel(archive, SAMPLE_SEGSUM, 3, &kernel), CUBINET_ERROR_NOT_FOUND);

    cubinet_global_info global = {.size = sizeof(global)};
    assert_int_equal(cubinet_archive_get_global(archive, SAMPLE_SEGSUM, 0, &global), CUBINET_OK);
    assert_string_equal(global.name, "_ZN2ns5tableE");
    assert_string_equal(global.expression, "&ns::table");
    assert_int_equal(global.bytes, 4096);
    assert_int_equal(global.flags, CUBINET_GLOBAL_CONSTANT);
    assert_int_equal(cubinet_archive_get_global(archive, SAMPLE_SEGSUM, 1, &global), CUBINET_OK);
    assert_string_equal(global.expression, "counter");
    assert_int_equal(global.flags, 0);
    assert_int_equal(cubinet_archive_get_global(archive, SAMPLE_SEGSUM, 2, &global), CUBINET_ERROR_NOT_FOUND);
    cubinet_archive_close(archive);
    built_free(&built);
}

static void finds_by_name_and_expression(void **state)
{
    (void)state;
    static const struct {
        const char *wanted;
        uint32_t kernel;
    } found[] = {
        {"_Z6segsumIdiEvPKT_Pj", 0},
        {"segsum<double, unsigned int>", 0},
        {"segsum<double,unsigned int>", 0},
        {" segsum < double , unsigned \t int > ", 0},
        {"&segsum<double,unsigned int>", 0},
        {"segsum<float,int,256,4>", 1},
        {"segsum<float, int, 256, 4>", 1},
        {"segsum\n<float,int,256,4>", 1},
        {"plain", 2},
        {"& plain", 2},
        {"void segsum<double, int>(double const*, unsigned int*)", 0},
        {"segsum<float, int>(float const*, int*)", 1},
        {"segsum<float,int>", 1},
    };
    static const char *const missing[] = {
        "segsum<double,unsignedint>", "segsum<float,int,2 56,4>", "seg sum<float,int,256,4>", "", "plain2",
        "segsum<float,int,256,4",     "segsum<float,int,256,4>>", "_Z6segsumIdiEvPKT_P",
    };
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    for (size_t i = 0; i < COUNT(found); i++) {
        uint32_t kernel = 99;
        assert_int_equal(cubinet_archive_find_kernel(archive, SAMPLE_SEGSUM, found[i].wanted, &kernel),
                         CUBINET_OK);
        assert_int_equal(kernel, found[i].kernel);
    }
    for (size_t i = 0; i < COUNT(missing); i++) {
        uint32_t kernel = 99;
        assert_int_equal(cubinet_archive_find_kernel(archive, SAMPLE_SEGSUM, missing[i], &kernel),
                         CUBINET_ERROR_NOT_FOUND);
        assert_int_equal(kernel, 99);
    }
    uint32_t ambiguous = 99;
    assert_int_equal(cubinet_archive_find_kernel(archive, SAMPLE_SEGSUM, "segsum", &ambiguous),
                     CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(ambiguous, 99);
    assert_string_equal(cubinet_error_message(),
                        "module 'segmented_sum': 'segsum' may mean 2 kernels: "
                        "'segsum<double, int>(double const*, unsigned int*)', "
                        "'segsum<float, int>(float const*, int*)'; write one of these names");
    static const char *const tables[] = {"table", "ns::table", "&ns::table", "& ns :: table",
                                         "_ZN2ns5tableE"};
    for (size_t i = 0; i < COUNT(tables); i++) {
        uint32_t global = 99;
        assert_int_equal(cubinet_archive_find_global(archive, SAMPLE_SEGSUM, tables[i], &global), CUBINET_OK);
        assert_int_equal(global, 0);
    }
    uint32_t number = 99;
    assert_int_equal(cubinet_archive_find_global(archive, SAMPLE_SEGSUM, "&counter", &number), CUBINET_OK);
    assert_int_equal(number, 1);
    assert_int_equal(cubinet_archive_find_module(archive, "segmented_sum", &number), CUBINET_OK);
    assert_int_equal(number, SAMPLE_SEGSUM);
    assert_int_equal(cubinet_archive_find_module(archive, "axpy", &number), CUBINET_OK);
    assert_int_equal(number, SAMPLE_AXPY);
    cubinet_archive_close(archive);
    built_free(&built);
}

static void names_the_nearest(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    uint32_t number = 99;
    assert_int_equal(cubinet_archive_find_module(archive, "segmented_sums", &number),
                     CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(), "the archive in memory has no module 'segmented_sums'; the "
                                                 "nearest is 'segmented_sum'");
    assert_int_equal(cubinet_archive_find_module(archive, "something else", &number),
                     CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "the archive in memory has no module 'something else', nor any "
                        "like it among its 2");
    assert_int_equal(cubinet_archive_find_kernel(archive, SAMPLE_SEGSUM, "segsum<float,int,256,8>", &number),
                     CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "module 'segmented_sum' has no kernel 'segsum<float,int,256,8>'; "
                        "the nearest is 'segsum<float,int,256,4>'");
    assert_int_equal(cubinet_archive_find_global(archive, SAMPLE_AXPY, "x", &number),
                     CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "module 'axpy' has no global 'x', nor any like it among its 0");
    assert_int_equal(number, 99);
    cubinet_archive_close(archive);
    built_free(&built);
}

/* Version 1.0 recorded less of each kernel. */
static void reads_older_minor_versions(void **state)
{
    (void)state;
    struct build_archive older = sample_archive;
    older.is_1_0 = true;
    struct built built = build(&older);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    assert_int_equal(cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 1, 0, &resources), CUBINET_OK);
    assert_int_equal(resources.registers, 300);
    assert_int_equal(resources.max_cluster_blocks, 315);
    assert_int_equal(resources.param_count, 2);
    assert_int_equal(resources.spill_store_bytes, CUBINET_UNKNOWN);
    assert_int_equal(resources.spill_load_bytes, CUBINET_UNKNOWN);
    assert_int_equal(resources.barriers, CUBINET_UNKNOWN);
    cubinet_archive_close(archive);
    built_free(&built);
}

/* A program that was compiled when the struct ended with its parameters. */
static void fills_no_more_than_a_struct_has(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    cubinet_kernel_resources resources;
    memset(&resources, 0xee, sizeof(resources));
    resources.size = offsetof(cubinet_kernel_resources, spill_store_bytes);
    assert_int_equal(cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 1, 0, &resources), CUBINET_OK);
    assert_int_equal(resources.params[1].offset, 8);
    assert_int_equal(resources.spill_store_bytes, 0xeeeeeeee);
    assert_int_equal(resources.barriers, 0xeeeeeeee);
    cubinet_archive_close(archive);
    built_free(&built);
}

/* A newer minor version: longer rows, and a table that is not known. */
static void reads_newer_minor_versions(void **state)
{
    (void)state;
    struct build_archive newer = sample_archive;
    newer.wider = 4;
    newer.unknown_table = 0x0042;
    struct built built = build(&newer);
    put(built.bytes + built.index + 10, 2, 9);
    built_seal(&built);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
    cubinet_archive_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_info(archive, &info), CUBINET_OK);
    assert_int_equal(info.format_minor, 9);
    uint32_t kernel = 99;
    assert_int_equal(cubinet_archive_find_kernel(archive, SAMPLE_SEGSUM, "segsum<float,int,256,4>", &kernel),
                     CUBINET_OK);
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    assert_int_equal(cubinet_archive_get_resources(archive, SAMPLE_SEGSUM, 1, kernel, &resources),
                     CUBINET_OK);
    assert_int_equal(resources.registers, 400);
    assert_int_equal(resources.params[0].size, 8);
    char text[sizeof(SAMPLE_CUBIN)] = "";
    assert_int_equal(cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 1, text, sizeof(text)), CUBINET_OK);
    assert_string_equal(text, SAMPLE_CUBIN);
    cubinet_archive_close(archive);
    built_free(&built);
}

/* Programs of other versions have shorter or longer structs. */
static void honours_sizes(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    struct {
        cubinet_module_info info;
        unsigned char more[16];
    } longer;
    memset(&longer, 0xee, sizeof(longer));
    longer.info.size = sizeof(longer);
    assert_int_equal(cubinet_archive_get_module(archive, SAMPLE_AXPY, &longer.info), CUBINET_OK);
    assert_int_equal(longer.info.size, sizeof(longer));
    assert_int_equal(longer.info.image_count, 2);
    for (size_t i = 0; i < sizeof(longer.more); i++) {
        assert_int_equal(longer.more[i], 0xee);
    }
    cubinet_module_info info;
    memset(&info, 0xee, sizeof(info));
    info.size = offsetof(cubinet_module_info, kernel_count);
    assert_int_equal(cubinet_archive_get_module(archive, SAMPLE_AXPY, &info), CUBINET_OK);
    assert_int_equal(info.image_count, 2);
    assert_int_equal(info.kernel_count, 0xeeeeeeee);
    const size_t wrong[] = {0, 7, 0xeeeeeeee};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        info.size = wrong[i];
        assert_int_equal(cubinet_archive_get_module(archive, SAMPLE_AXPY, &info),
                         CUBINET_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(cubinet_archive_get_module(archive, SAMPLE_AXPY, NULL), CUBINET_ERROR_INVALID_ARGUMENT);

    struct {
        cubinet_archive_options options;
        uint64_t unknown;
    } options = {.options = {.size = sizeof(options)}};
    cubinet_archive *other = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, &options.options, &other),
                     CUBINET_OK);
    cubinet_archive_close(other);
    options.unknown = 1;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, &options.options, &other),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    cubinet_archive_close(archive);
    built_free(&built);
}

static void refuses_null(void **state)
{
    (void)state;
    cubinet_archive *archive = NULL;
    cubinet_archive_info info = {.size = sizeof(info)};
    uint32_t number = 0;
    assert_int_equal(cubinet_archive_open(NULL, NULL, &archive), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_open("x", NULL, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    const cubinet_archive_options odd = {.size = 1};
    assert_int_equal(cubinet_archive_open("x", &odd, &archive), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_open_memory("x", 1, &odd, &archive), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_open_memory(NULL, 9, NULL, &archive), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_open_memory("x", 1, NULL, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_get_info(NULL, &info), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_get_module_count(NULL), 0);
    assert_int_equal(cubinet_archive_find_module(NULL, "x", &number), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_find_kernel(NULL, 0, "x", &number), CUBINET_ERROR_INVALID_ARGUMENT);
    cubinet_archive_close(NULL);
}

static void stays_readable_while_retained(void **state)
{
    (void)state;
    struct built built;
    cubinet_archive *archive = open_sample(&built);
    cubinet_module_info module = {.size = sizeof(module)};
    assert_int_equal(cubinet_archive_get_module(archive, SAMPLE_SEGSUM, &module), CUBINET_OK);
    cubinet_archive *retained = cbn_archive_retain(archive);
    cubinet_archive_close(archive);
    built_free(&built); /* the program's memory again */
    assert_int_equal(cubinet_archive_get_module(retained, SAMPLE_SEGSUM, &module), CUBINET_OK);
    assert_string_equal(module.name, "segmented_sum");
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    assert_int_equal(cubinet_archive_get_resources(retained, SAMPLE_SEGSUM, 1, 1, &resources), CUBINET_OK);
    assert_int_equal(resources.params[0].size, 8);
    uint32_t kernel = 99;
    assert_int_equal(cubinet_archive_find_kernel(retained, SAMPLE_SEGSUM, "plain", &kernel), CUBINET_OK);
    cbn_archive_release(retained);
}

enum { THREADS = 8, MODULES = 64 };

struct reader {
    pthread_t thread;
    const cubinet_archive *archive;
    pthread_barrier_t *start;
    int failures;
};

static void *read_all(void *data)
{
    struct reader *reader = data;
    pthread_barrier_wait(reader->start);
    for (uint32_t i = 0; i < MODULES; i++) {
        char text[sizeof(SAMPLE_PTX)] = "";
        cubinet_kernel_resources resources = {.size = sizeof(resources)};
        if (cubinet_archive_read_image(reader->archive, i, 2, text, sizeof(text)) ||
            strcmp(text, SAMPLE_PTX) != 0 ||
            cubinet_archive_get_resources(reader->archive, i, 1, 1, &resources) ||
            resources.params[0].size != 8) {
            reader->failures++;
        }
    }
    return NULL;
}

/* What the first image of an archive with this one alone says of itself, or why it is none. */
static cubinet_status describe_one(const struct build_image *image, cubinet_image_info *info)
{
    const struct build_module module = {.name = "m", .images = image, .image_count = 1};
    const struct build_archive what = {.modules = &module, .module_count = 1, .is_1_2 = true};
    struct built built = build(&what);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
    cubinet_status status = cubinet_archive_get_image(archive, 0, 0, info);
    cubinet_archive_close(archive);
    built_free(&built);
    return status;
}

static void reads_kinds_that_are_not_cuda_code(void **state)
{
    (void)state;
    static const struct {
        struct build_image image;
        const char *target; /* NULL: it is none */
    } cases[] = {
        {{.kind = 4, .number = 133, .text = "Tile IR"}, "tile_133"},
        {{.kind = 4, .number = 133, .suffix = 'a', .text = "Tile IR"}, NULL},
        {{.kind = 4, .number = 133, .isa_or_floor = 133, .text = "Tile IR"}, NULL},
        {{.kind = 5, .number = 75, .toolkit = 13000, .text = "OptiX-IR"}, "optix_75"},
        {{.kind = 5, .number = 90, .suffix = 'a', .text = "OptiX-IR"}, "optix_90a"},
        {{.kind = 5, .number = 75, .isa_or_floor = 1, .text = "OptiX-IR"}, NULL},
        {{.kind = 6, .number = 75, .suffix = 'f', .isa_or_floor = 1, .text = "what is to come"}, "invalid"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        cubinet_image_info info = {.size = sizeof(info)};
        char name[CUBINET_TARGET_NAME_SIZE];
        cubinet_status status = describe_one(&cases[i].image, &info);
        assert_int_equal(status, cases[i].target ? CUBINET_OK : CUBINET_ERROR_DAMAGED);
        if (cases[i].target) {
            assert_string_equal(cubinet_target_name(info.target, name), cases[i].target);
            assert_int_equal(info.ptx_isa, 0);
            assert_int_equal(info.link_floor, 0);
        }
    }
}

static void serves_many_threads(void **state)
{
    (void)state;
    struct build_module modules[MODULES];
    char names[MODULES][32];
    for (int i = 0; i < MODULES; i++) {
        snprintf(names[i], sizeof(names[i]), "module%02d", i);
        modules[i] = sample_modules[SAMPLE_SEGSUM];
        modules[i].name = names[i];
    }
    struct build_archive many = {.modules = modules, .module_count = MODULES};
    struct built built = build(&many);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive), CUBINET_OK);
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    struct reader readers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        readers[i] = (struct reader){.archive = archive, .start = &start};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_all, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(readers[i].thread, NULL);
        assert_int_equal(readers[i].failures, 0);
    }
    pthread_barrier_destroy(&start);
    cubinet_archive_close(archive);
    built_free(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_it_is),
        cmocka_unit_test(reads_images),
        cmocka_unit_test(reads_resources),
        cmocka_unit_test(reads_kernels_and_globals),
        cmocka_unit_test(reads_launch_records),
        cmocka_unit_test(finds_each_row_of_an_image),
        cmocka_unit_test(images_lie_behind_the_index),
        cmocka_unit_test(a_module_has_an_image),
        cmocka_unit_test(reads_pieces),
        cmocka_unit_test(reads_symbols),
        cmocka_unit_test(names_what_symbol_there_is_not),
        cmocka_unit_test(finds_by_name_and_expression),
        cmocka_unit_test(names_the_nearest),
        cmocka_unit_test(reads_older_minor_versions),
        cmocka_unit_test(fills_no_more_than_a_struct_has),
        cmocka_unit_test(reads_newer_minor_versions),
        cmocka_unit_test(honours_sizes),
        cmocka_unit_test(refuses_null),
        cmocka_unit_test(stays_readable_while_retained),
        cmocka_unit_test(reads_kinds_that_are_not_cuda_code),
        cmocka_unit_test(serves_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
