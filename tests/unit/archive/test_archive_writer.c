/* SPDX-License-Identifier: Apache-2.0 */
/* The writer against the loader's reader: whatever a draft holds comes back, and the same draft is the same
 * bytes. */
#include "unit.h"

#include "archive/archive_writer.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct archive_writer_options plain = {0};

static char folder[] = "/tmp/cubinet-test-XXXXXX";
static char path[sizeof(folder) + 16];
static char other_path[sizeof(folder) + 16];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/a.cubinet", folder);
    snprintf(other_path, sizeof(other_path), "%s/b.cubinet", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(other_path);
    return rmdir(folder); /* fails if a temporary file was left behind */
}

/* Bytes that compress, and differ by image. */
static unsigned char *make_bytes(size_t size, unsigned char seed)
{
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(i / 16 + seed);
    }
    return bytes;
}

static struct contents two_kernels(bool second_too)
{
    struct contents contents = {.toolkit = 12090, .ptx_isa = 88};
    struct contents_kernel *kernel = contents_add_kernel(&contents, "_Z6segsumv", 10);
    uint32_t next = 1;
    kernel->resources.registers = next++;
    kernel->resources.static_shared_bytes = next++;
    kernel->resources.local_bytes = next++;
    kernel->resources.constant_bytes = next++;
    kernel->resources.max_threads_per_block = next++;
    for (size_t i = 0; i < 3; i++) {
        kernel->resources.max_block[i] = next++;
        kernel->resources.required_block[i] = next++;
        kernel->resources.required_cluster[i] = next++;
    }
    kernel->resources.min_blocks = next++;
    kernel->resources.max_cluster_blocks = next++;
    kernel->resources.spill_store_bytes = next++;
    kernel->resources.spill_load_bytes = next++;
    kernel->resources.barriers = next++;
    *contents_add_param(kernel) = (cubinet_param){.offset = 0, .size = 8};
    *contents_add_param(kernel) = (cubinet_param){.offset = 8, .size = 2};
    *contents_add_param(kernel) = (cubinet_param){.offset = 12, .size = 4};
    kernel->resources.param_bytes = 16;
    if (second_too) {
        kernel = contents_add_kernel(&contents, "axpy", 4);
        kernel->resources.param_count = CUBINET_UNKNOWN;
        kernel->resources.param_bytes = CUBINET_UNKNOWN;
    }
    contents_add_global(&contents, "table", 5)->bytes = 4096;
    return contents;
}

/* What LTO-IR is linked by, in no order. */
static void add_symbols(struct contents *contents)
{
    static const struct symbol symbols[] = {
        {.name = "needed", .type = "()", .is_weak = true},
        {.name = "state", .is_defined = true, .is_variable = true, .type = "b8[16]"},
        {.name = "_Z2opf", .is_defined = true, .expression = "op", .type = "b32(b32)"},
        {.name = "elsewhere", .is_variable = true},
    };
    for (size_t i = 0; i < COUNT(symbols); i++) {
        assert_int_equal(symbol_list_add(&contents->symbols, &symbols[i]), CUBINET_OK);
    }
    contents->symbols.is_recorded = true;
    contents->symbols.is_complete = true;
    contents_sort(contents);
}

static void add_image(struct draft_module *module, cubinet_target target, size_t size, bool second_kernel,
                      uint32_t link_floor)
{
    struct contents contents = two_kernels(second_kernel);
    if (target.kind != CUBINET_IMAGE_PTX) {
        contents.ptx_isa = 0;
    }
    if (target.kind == CUBINET_IMAGE_LTOIR) {
        add_symbols(&contents);
    }
    unsigned char seed = (unsigned char)(target.number + target.suffix);
    struct draft_image *image;
    assert_int_equal(draft_add_image(module, target, make_bytes(size, seed), size, &contents, "test", &image),
                     CUBINET_OK);
    image->link_floor = link_floor;
    contents_free(&contents);
}

/* A draft with everything in it that the format has. */
static struct draft make_draft(void)
{
    struct draft draft = {.archive_version = strdup("1.4.0")};
    struct draft_module *module = draft_module(&draft, "segmented sum/€");
    add_image(module, (cubinet_target){CUBINET_IMAGE_LTOIR, 75, 0}, 500, true, 13000);
    add_image(module, (cubinet_target){CUBINET_IMAGE_PTX, 90, 0}, 3000, true, 0);
    add_image(module, (cubinet_target){CUBINET_IMAGE_CUBIN, 90, 'a'}, 5000, true, 0);
    add_image(module, (cubinet_target){CUBINET_IMAGE_CUBIN, 100, 'f'}, 1, false, 0);
    add_image(module, (cubinet_target){CUBINET_IMAGE_CUBIN, 80, 0}, 4097, false, 0);
    draft_add_kernel(module, "_Z6segsumv", "segsum<float, 4>");
    draft_add_global(module, "table", "&table", 4096, CUBINET_GLOBAL_CONSTANT);
    module = draft_module(&draft, ".bare");
    assert_int_equal(draft_add_image(module, (cubinet_target){CUBINET_IMAGE_PTX, 75, 0}, make_bytes(64, 1),
                                     64, NULL, "test", NULL),
                     CUBINET_OK);
    return draft;
}

static void write_draft(const struct archive_writer_options *options, const char *to)
{
    struct draft draft = make_draft();
    assert_int_equal(archive_write_file(&draft, options, to), CUBINET_OK);
    draft_free(&draft);
}

static cubinet_archive *open_archive(const char *from)
{
    cubinet_archive *archive = NULL;
    if (cubinet_archive_open(from, NULL, &archive) != CUBINET_OK) {
        fail_msg("%s", cubinet_error_message());
    }
    return archive;
}

static void assert_same_files(const char *a, const char *b)
{
    char *bytes_a;
    char *bytes_b;
    size_t size_a;
    size_t size_b;
    assert_int_equal(file_read(a, &bytes_a, &size_a), CUBINET_OK);
    assert_int_equal(file_read(b, &bytes_b, &size_b), CUBINET_OK);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
}

static void assert_same_resources(const cubinet_kernel_resources *a, const cubinet_kernel_resources *b)
{
    cubinet_kernel_resources left = *a;
    cubinet_kernel_resources right = *b;
    left.params = right.params = NULL;
    assert_memory_equal(&left, &right, sizeof(left));
    for (uint32_t i = 0; a->param_count != CUBINET_UNKNOWN && i < a->param_count; i++) {
        assert_int_equal(a->params[i].offset, b->params[i].offset);
        assert_int_equal(a->params[i].size, b->params[i].size);
    }
}

static void assert_symbols_read_back(const cubinet_archive *archive, uint32_t module, uint32_t row,
                                     const struct symbol_list *expected)
{
    cubinet_image_info info = {.size = sizeof(info)};
    struct symbol_list read = {0};
    assert_int_equal(cubinet_archive_get_image(archive, module, row, &info), CUBINET_OK);
    assert_int_equal(symbol_list_read(archive, module, row, &info, &read), CUBINET_OK);
    assert_int_equal(read.is_recorded, expected->is_recorded);
    assert_int_equal(read.is_complete, expected->is_complete);
    assert_int_equal(read.count, expected->count);
    assert_int_equal(info.defined_count, symbol_list_defined(expected));
    for (size_t i = 0; i < read.count; i++) {
        const struct symbol *a = &read.items[i];
        const struct symbol *b = &expected->items[i];
        assert_string_equal(a->name, b->name);
        assert_string_equal(a->expression ? a->expression : "-", b->expression ? b->expression : "-");
        assert_string_equal(a->type ? a->type : "-", b->type ? b->type : "-");
        assert_int_equal(a->is_defined, b->is_defined);
        assert_int_equal(a->is_weak, b->is_weak);
        assert_int_equal(a->is_variable, b->is_variable);
    }
    symbol_list_free(&read);
}

static void assert_image_reads_back(const cubinet_archive *archive, uint32_t module, uint32_t row,
                                    const struct draft_image *image)
{
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_image(archive, module, row, &info), CUBINET_OK);
    assert_int_equal(cubinet_target_compare(info.target, image->target), 0);
    assert_int_equal(info.toolkit, image->toolkit);
    assert_int_equal(info.ptx_isa, image->ptx_isa);
    assert_int_equal(info.link_floor, image->link_floor);
    assert_int_equal(info.raw_size, image->size);
    unsigned char *bytes = malloc(image->size);
    assert_int_equal(cubinet_archive_read_image(archive, module, row, bytes, image->size), CUBINET_OK);
    assert_memory_equal(bytes, image->data, image->size);
    free(bytes);
    assert_symbols_read_back(archive, module, row, &image->symbols);
    for (size_t i = 0; i < image->use_count; i++) {
        uint32_t kernel;
        cubinet_kernel_resources resources = {.size = sizeof(resources)};
        assert_int_equal(cubinet_archive_find_kernel(archive, module, image->uses[i].kernel, &kernel),
                         CUBINET_OK);
        assert_int_equal(cubinet_archive_get_resources(archive, module, row, kernel, &resources), CUBINET_OK);
        assert_same_resources(&resources, &image->uses[i].resources);
    }
}

static void assert_module_reads_back(const cubinet_archive *archive, uint32_t row,
                                     const struct draft_module *module)
{
    cubinet_module_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_module(archive, row, &info), CUBINET_OK);
    assert_string_equal(info.name, module->name);
    assert_int_equal(info.image_count, module->image_count);
    assert_int_equal(info.kernel_count, module->kernel_count);
    assert_int_equal(info.global_count, module->global_count);
    for (uint32_t i = 0; i < info.image_count; i++) {
        assert_image_reads_back(archive, row, i, &module->images[i]);
    }
    for (uint32_t i = 0; i < info.kernel_count; i++) {
        cubinet_kernel_info kernel = {.size = sizeof(kernel)};
        const struct draft_kernel *expected = &module->kernels[i];
        assert_int_equal(cubinet_archive_get_kernel(archive, row, i, &kernel), CUBINET_OK);
        assert_string_equal(kernel.name, expected->name);
        assert_string_equal(kernel.expression, expected->expression ? expected->expression : expected->name);
    }
    for (uint32_t i = 0; i < info.global_count; i++) {
        cubinet_global_info global = {.size = sizeof(global)};
        const struct draft_global *expected = &module->globals[i];
        assert_int_equal(cubinet_archive_get_global(archive, row, i, &global), CUBINET_OK);
        assert_string_equal(global.name, expected->name);
        assert_string_equal(global.expression, expected->expression);
        assert_int_equal(global.bytes, expected->bytes);
        assert_int_equal(global.flags, expected->flags);
    }
}

static void check_reads_back(const struct archive_writer_options *options)
{
    struct draft draft = make_draft();
    assert_int_equal(archive_write_file(&draft, options, path), CUBINET_OK);
    cubinet_archive *archive = open_archive(path);
    cubinet_archive_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_info(archive, &info), CUBINET_OK);
    assert_string_equal(info.archive_version, "1.4.0");
    assert_int_equal(cubinet_archive_get_module_count(archive), draft.module_count);
    for (uint32_t i = 0; i < draft.module_count; i++) {
        assert_module_reads_back(archive, i, &draft.modules[i]);
    }
    cubinet_archive_close(archive);
    draft_free(&draft);
}

static void everything_reads_back(void **state)
{
    (void)state;
    check_reads_back(&plain);
}

static void everything_reads_back_from_zstd(void **state)
{
    (void)state;
    check_reads_back(&(struct archive_writer_options){.zstd_level = 19});
}

/* Enough images for several threads, some of them equal and of very different sizes. */
static struct draft make_large_draft(void)
{
    enum { IMAGES = 24, SIZE = 1 << 16 };
    struct draft draft = {0};
    for (unsigned i = 0; i < IMAGES; i++) {
        char name[16];
        size_t size = (size_t)SIZE * (1 + i % 5);
        snprintf(name, sizeof(name), "m%u", i);
        struct draft_module *module = draft_module(&draft, name);
        assert_non_null(module);
        assert_int_equal(draft_add_image(module, (cubinet_target){CUBINET_IMAGE_PTX, 75, 0},
                                         make_bytes(size, (unsigned char)(i % 20)), size, NULL, name, NULL),
                         CUBINET_OK);
    }
    return draft;
}

static void threads_do_not_change_the_bytes(void **state)
{
    (void)state;
    static const uint32_t threads[] = {2, 3, 16, 0};
    struct draft draft = make_large_draft();
    const struct archive_writer_options one = {.zstd_level = 9, .threads = 1};
    assert_int_equal(archive_write_file(&draft, &one, path), CUBINET_OK);
    for (size_t i = 0; i < COUNT(threads); i++) {
        const struct archive_writer_options several = {.zstd_level = 9, .threads = threads[i]};
        assert_int_equal(archive_write_file(&draft, &several, other_path), CUBINET_OK);
        assert_same_files(path, other_path);
    }
    draft_free(&draft);
}

/* Modules are listed in the root up to 64, where readers of 1.2 and before find them. */
static void many_modules_read_back(void **state)
{
    (void)state;
    static const struct {
        uint32_t count;
        int zstd_level;
        int oldest_minor;
    } cases[] = {{1, 0, 0}, {64, 0, 0}, {65, 0, 3}, {64, 9, 2}, {65, 9, 3}, {128, 9, 3}, {4097, 0, 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct draft draft = {0};
        for (uint32_t number = 0; number < cases[i].count; number++) {
            char name[32];
            snprintf(name, sizeof(name), "module%04u", (unsigned)number);
            assert_int_equal(draft_add_image(draft_module(&draft, name),
                                             (cubinet_target){CUBINET_IMAGE_CUBIN, 80, 0}, make_bytes(200, 1),
                                             200, NULL, "test", NULL),
                             CUBINET_OK);
        }
        const struct archive_writer_options options = {.zstd_level = cases[i].zstd_level};
        assert_int_equal(archive_write_file(&draft, &options, path), CUBINET_OK);
        char *bytes = NULL;
        size_t size = 0;
        assert_int_equal(file_read(path, &bytes, &size), CUBINET_OK);
        assert_int_equal(bytes[30 + 13 + 14], cases[i].oldest_minor);
        free(bytes);
        cubinet_archive *archive = open_archive(path);
        assert_int_equal(cubinet_archive_get_module_count(archive), cases[i].count);
        for (uint32_t number = 0; number < cases[i].count; number++) {
            assert_module_reads_back(archive, number, &draft.modules[number]);
        }
        cubinet_archive_close(archive);
        draft_free(&draft);
    }
}

static void zstd_only_where_it_is_smaller(void **state)
{
    (void)state;
    write_draft(&(struct archive_writer_options){.zstd_level = 3}, path);
    cubinet_archive *archive = open_archive(path);
    cubinet_module_info module = {.size = sizeof(module)};
    assert_int_equal(cubinet_archive_get_module(archive, 1, &module), CUBINET_OK);
    for (uint32_t i = 0; i < module.image_count; i++) {
        cubinet_image_info image = {.size = sizeof(image)};
        assert_int_equal(cubinet_archive_get_image(archive, 1, i, &image), CUBINET_OK);
        bool stays = image.raw_size == 1 || image.target.kind == CUBINET_IMAGE_LTOIR;
        assert_int_equal(image.encoding == CUBINET_ENCODING_RAW, stays);
        assert_true(stays ? image.stored_size == image.raw_size : image.stored_size < image.raw_size);
    }
    cubinet_archive_close(archive);
}

enum { NOISE = 8000 };

/* Bytes that don't compress, the same for the same seed. */
static unsigned char *make_noise(uint32_t seed)
{
    unsigned char *bytes = malloc(NOISE);
    assert_non_null(bytes);
    for (size_t i = 0; i < NOISE; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(seed >> 24);
    }
    return bytes;
}

/* An image of noise with one byte of its own. */
static void add_noise(struct draft *draft, const char *module, uint32_t number, uint32_t seed,
                      unsigned char own)
{
    unsigned char *bytes = make_noise(seed);
    bytes[number * 16] = own;
    assert_int_equal(draft_add_image(draft_module(draft, module),
                                     (cubinet_target){CUBINET_IMAGE_CUBIN, (uint16_t)number, 0}, bytes, NOISE,
                                     NULL, "test", NULL),
                     CUBINET_OK);
}

/* Two modules of which the second shares its code with the first, and one that shares nothing with them. */
static struct draft similar_modules(bool backwards)
{
    struct draft draft = {0};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t number = 80 + (backwards ? 3 - i : i);
        add_noise(&draft, "c", number, 2, 3);
        add_noise(&draft, "a", number, 1, 1);
        add_noise(&draft, "b", number, 1, 2);
    }
    return draft;
}

static cubinet_image_info get_image(const cubinet_archive *archive, uint32_t module, uint32_t image)
{
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_image(archive, module, image, &info), CUBINET_OK);
    return info;
}

static void images_are_stored_after_what_they_share_bytes_with(void **state)
{
    (void)state;
    static const struct archive_writer_options zstd = {.zstd_level = 19};
    struct draft draft = similar_modules(false);
    assert_int_equal(archive_write_file(&draft, &zstd, path), CUBINET_OK);
    draft_free(&draft);
    cubinet_archive *archive = open_archive(path);
    uint32_t whole = 0;
    for (uint32_t i = 0; i < 12; i++) {
        cubinet_image_info info = get_image(archive, i / 4, i % 4);
        if (info.encoding != CUBINET_ENCODING_ZSTD_BASE) {
            whole++;
            continue;
        }
        assert_true(info.stored_size < 200);
        assert_int_equal(info.base_module, i / 4 == 2 ? 2 : 0);
        cubinet_image_info base = get_image(archive, info.base_module, info.base_image);
        assert_int_not_equal(base.encoding, CUBINET_ENCODING_ZSTD_BASE);
    }
    assert_int_equal(whole, 2); /* one of "a" and "b", one of "c" */
    cubinet_archive_close(archive);

    struct draft turned = similar_modules(true);
    assert_int_equal(archive_write_file(&turned, &zstd, other_path), CUBINET_OK);
    draft_free(&turned);
    assert_same_files(path, other_path);
}

/* Half of each image for 9.0 is that for 8.0 of its module, so it is stored after it; but all of them differ
 * from each other in a byte only. */
static void similar_modules_share_a_base_for_each_target(void **state)
{
    (void)state;
    enum { MODULES = 8 };
    struct draft draft = {0};
    for (unsigned char i = 0; i < MODULES; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        add_noise(&draft, name, 80, 1, i);
        unsigned char *bytes = make_noise(1);
        unsigned char *other = make_noise(2);
        memcpy(bytes + NOISE / 2, other, NOISE / 2);
        bytes[100] = i;
        free(other);
        assert_int_equal(draft_add_image(draft_module(&draft, name),
                                         (cubinet_target){CUBINET_IMAGE_CUBIN, 90, 0}, bytes, NOISE, NULL,
                                         "test", NULL),
                         CUBINET_OK);
    }
    assert_int_equal(archive_write_file(&draft, &(struct archive_writer_options){.zstd_level = 9}, path),
                     CUBINET_OK);
    draft_free(&draft);
    cubinet_archive *archive = open_archive(path);
    assert_in_range(get_image(archive, 0, 1).stored_size, NOISE / 2, NOISE);
    for (uint32_t i = MODULES / 2; i < MODULES; i++) {
        assert_true(get_image(archive, i, 0).stored_size < 200);
        assert_true(get_image(archive, i, 1).stored_size < 200);
    }
    cubinet_archive_close(archive);
}

static void equal_images_are_stored_once(void **state)
{
    (void)state;
    for (int level = 0; level < 20; level += 19) {
        struct draft draft = {0};
        for (unsigned i = 0; i < 100; i++) {
            char name[16];
            snprintf(name, sizeof(name), "module%02u", i);
            add_noise(&draft, name, 80, 1, 1);
        }
        const struct archive_writer_options options = {.zstd_level = level};
        assert_int_equal(archive_write_file(&draft, &options, path), CUBINET_OK);
        cubinet_archive *archive = open_archive(path);
        cubinet_archive_info info = {.size = sizeof(info)};
        assert_int_equal(cubinet_archive_get_info(archive, &info), CUBINET_OK);
        assert_true(info.archive_size < 2 * NOISE + info.index_size);
        for (uint32_t i = 0; i < 100; i++) {
            assert_int_equal(get_image(archive, i, 0).offset, get_image(archive, 0, 0).offset);
            assert_image_reads_back(archive, i, 0, &draft.modules[i].images[0]);
        }
        cubinet_archive_close(archive);
        draft_free(&draft);
    }
}

static void an_archive_filed_again_is_the_same(void **state)
{
    (void)state;
    write_draft(&plain, path);
    cubinet_archive *archive = open_archive(path);
    struct draft again = {.archive_version = strdup("1.4.0")};
    assert_int_equal(draft_add_archive(&again, archive, path), CUBINET_OK);
    assert_int_equal(draft_add_archive(&again, archive, path), CUBINET_OK); /* twice is once */
    assert_int_equal(archive_write_file(&again, &plain, other_path), CUBINET_OK);
    draft_free(&again);
    cubinet_archive_close(archive);
    assert_same_files(path, other_path);
}

static void write_large(const char *to)
{
    struct draft draft = {0};
    add_image(draft_module(&draft, "large"), (cubinet_target){CUBINET_IMAGE_CUBIN, 90, 0}, 2 << 20, true, 0);
    assert_int_equal(archive_write_file(&draft, &plain, to), CUBINET_OK);
    draft_free(&draft);
}

/* So that packing large archives takes little memory. */
static void images_of_a_large_file_are_not_read_into_memory(void **state)
{
    (void)state;
    write_large(path);
    cubinet_archive *archive = open_archive(path);
    struct draft again = {0};
    assert_int_equal(draft_add_archive(&again, archive, path), CUBINET_OK);
    cubinet_archive_close(archive);
    unlink(path);
    assert_null(again.modules[0].images[0].owned);
    assert_int_equal(archive_write_file(&again, &plain, path), CUBINET_OK);
    draft_free(&again);
    write_large(other_path);
    assert_same_files(path, other_path);
}

static void time_zone_and_umask_change_nothing(void **state)
{
    (void)state;
    setenv("TZ", "UTC0", 1);
    write_draft(&plain, path);
    unlink(other_path); /* a file that is replaced keeps its mode */
    setenv("TZ", "Asia/Tokyo", 1);
    mode_t old = umask(077);
    write_draft(&plain, other_path);
    umask(old);
    assert_same_files(path, other_path);
    struct stat info;
    assert_int_equal(stat(other_path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void source_date_epoch_is_every_time(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1); /* 2023-11-14 22:13:20 UTC */
    write_draft(&plain, path);
    unsetenv("SOURCE_DATE_EPOCH");
    assert_int_equal(file_read(path, &bytes, &size), CUBINET_OK);
    unsigned time = (unsigned char)bytes[10] | (unsigned)(unsigned char)bytes[11] << 8;
    unsigned date = (unsigned char)bytes[12] | (unsigned)(unsigned char)bytes[13] << 8;
    assert_int_equal(time, 22 << 11 | 13 << 5 | 20 / 2);
    assert_int_equal(date, (2023 - 1980) << 9 | 11 << 5 | 14);
    free(bytes);

    setenv("SOURCE_DATE_EPOCH", "yesterday", 1);
    struct draft draft = make_draft();
    assert_int_equal(archive_write_file(&draft, &plain, path), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), "yesterday"));
    unsetenv("SOURCE_DATE_EPOCH");
    draft_free(&draft);
}

static void equal_file_is_left_alone_when_asked(void **state)
{
    (void)state;
    struct stat before;
    struct stat after;
    write_draft(&plain, path);
    assert_int_equal(stat(path, &before), 0);
    write_draft(&(struct archive_writer_options){.keep_if_equal = true}, path);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    write_draft(&plain, path);
    assert_int_equal(stat(path, &after), 0);
    assert_int_not_equal(before.st_ino, after.st_ino);
    write_draft(&(struct archive_writer_options){.keep_if_equal = true, .zstd_level = 1}, path);
    assert_int_equal(stat(path, &before), 0);
    assert_int_not_equal(before.st_ino, after.st_ino);
}

static void link_stays_and_its_file_is_replaced(void **state)
{
    (void)state;
    struct stat info;
    write_draft(&(struct archive_writer_options){.zstd_level = 1}, other_path);
    unlink(path);
    assert_int_equal(symlink("b.cubinet", path), 0);
    write_draft(&plain, path);
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    unlink(path);
    write_draft(&plain, path);
    assert_same_files(path, other_path);
}

static void refuses(const char *to, int error)
{
    struct draft draft = make_draft();
    assert_int_equal(archive_write_file(&draft, &plain, to), CUBINET_ERROR_IO);
    assert_non_null(strstr(cubinet_error_message(), to));
    assert_non_null(strstr(cubinet_error_message(), strerror(error)));
    draft_free(&draft);
}

static void bad_outputs_are_refused(void **state)
{
    (void)state;
    refuses(folder, EISDIR);
    refuses("/dev/full", ENOSPC);
    refuses("/nonexistent/a.cubinet", ENOENT);
}

static void refuses_module(struct draft *draft, const char *message)
{
    assert_int_equal(archive_write_file(draft, &plain, path), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), message));
    draft_free(draft);
}

static void drafts_that_no_reader_would_take_are_refused(void **state)
{
    (void)state;
    struct draft draft = {0};
    refuses_module(&draft, "no module");
    draft_module(&draft, "m");
    refuses_module(&draft, "no image");
    draft_module(&draft, "");
    refuses_module(&draft, "empty");
    draft_module(&draft, "\xc3(");
    refuses_module(&draft, "UTF-8");
    draft_module(&draft, "line\nline");
    refuses_module(&draft, "control character: \\u000a at offset 4");
    draft.archive_version = strdup("1.0\x7f");
    draft_module(&draft, "m");
    refuses_module(&draft, "the archive version has a control character");
    draft_module(&draft, "cubinet.index");
    refuses_module(&draft, "index");
    struct draft_module *module = draft_module(&draft, "m");
    draft_add_image(module, (cubinet_target){CUBINET_IMAGE_PTX, 75, 0}, make_bytes(1, 0), 0, NULL, "x", NULL);
    refuses_module(&draft, "empty");
}

/* A draft whose index no reader would take, which the writer's own checks let through. */
static struct draft make_unreadable(void)
{
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    cubinet_target target = {CUBINET_IMAGE_PTX, 8, 0};
    assert_int_equal(draft_add_image(module, target, make_bytes(16, 0), 16, NULL, "x", NULL), CUBINET_OK);
    return draft;
}

static void refuses_to_write(const char *to)
{
    struct draft draft = make_unreadable();
    const struct archive_writer_options compressed = {.zstd_level = 1};
    assert_int_equal(archive_write_file(&draft, &plain, to), CUBINET_ERROR_DAMAGED);
    assert_int_equal(archive_write_file(&draft, &compressed, to), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), to));
    assert_non_null(strstr(cubinet_error_message(), "no reader would take it"));
    assert_non_null(strstr(cubinet_error_message(), "module 'm': image 0"));
    draft_free(&draft);
}

static void what_no_reader_takes_replaces_no_file(void **state)
{
    (void)state;
    write_draft(&plain, path);
    write_draft(&plain, other_path);
    refuses_to_write(path);
    assert_same_files(path, other_path);
    unlink(path);
    refuses_to_write(path);
    assert_int_equal(access(path, F_OK), -1);
}

/* What is written to a pipe can't be taken back. */
static void what_no_reader_takes_goes_down_no_pipe(void **state)
{
    (void)state;
    char byte;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    refuses_to_write(path);
    assert_int_equal(read(reader, &byte, 1), 0);
    close(reader);
    unlink(path);
}

static void what_no_reader_takes_is_not_made_in_memory(void **state)
{
    (void)state;
    struct draft draft = make_unreadable();
    char *data = NULL;
    size_t size = 0;
    assert_int_equal(archive_make(&draft, &data, &size), CUBINET_ERROR_DAMAGED);
    assert_null(data);
    draft_free(&draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_reads_back),
        cmocka_unit_test(everything_reads_back_from_zstd),
        cmocka_unit_test(threads_do_not_change_the_bytes),
        cmocka_unit_test(many_modules_read_back),
        cmocka_unit_test(zstd_only_where_it_is_smaller),
        cmocka_unit_test(images_are_stored_after_what_they_share_bytes_with),
        cmocka_unit_test(similar_modules_share_a_base_for_each_target),
        cmocka_unit_test(equal_images_are_stored_once),
        cmocka_unit_test(an_archive_filed_again_is_the_same),
        cmocka_unit_test(images_of_a_large_file_are_not_read_into_memory),
        cmocka_unit_test(time_zone_and_umask_change_nothing),
        cmocka_unit_test(source_date_epoch_is_every_time),
        cmocka_unit_test(equal_file_is_left_alone_when_asked),
        cmocka_unit_test(link_stays_and_its_file_is_replaced),
        cmocka_unit_test(bad_outputs_are_refused),
        cmocka_unit_test(drafts_that_no_reader_would_take_are_refused),
        cmocka_unit_test(what_no_reader_takes_replaces_no_file),
        cmocka_unit_test(what_no_reader_takes_goes_down_no_pipe),
        cmocka_unit_test(what_no_reader_takes_is_not_made_in_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
