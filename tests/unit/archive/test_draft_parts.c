/* SPDX-License-Identifier: Apache-2.0 */
/* Images of parts: what a draft takes, and that an archive gives it back. */
#include "allocations.h"
#include "loader/core/archive/digest.h"
#include "loader/core/archive/format.h"
#include "unit.h"

#include "archive/archive_writer.h"
#include "archive/check_archive.h"
#include "loader/core/archive/cbn_archive.h"
#include "ptx/reading/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cubinet_target sm_90 = {CUBINET_IMAGE_CUBIN, 90, 0};
static const cubinet_target sm_80 = {CUBINET_IMAGE_CUBIN, 80, 0};
static const cubinet_target compute_90 = {CUBINET_IMAGE_PTX, 90, 0};

/* A part in the making: up to three kernels and a global. */
struct piece {
    const char *kernels[3];
    const char *global;
    const char *bytes;
    uint32_t toolkit;
};

enum { MOST = 4 };

static struct contents contents_of(const struct piece *piece)
{
    struct contents contents = {.toolkit = piece->toolkit ? piece->toolkit : 13000};
    for (size_t i = 0; i < COUNT(piece->kernels) && piece->kernels[i]; i++) {
        const char *name = piece->kernels[i];
        struct contents_kernel *kernel = contents_add_kernel(&contents, name, strlen(name));
        kernel->resources.registers = (uint32_t)strlen(piece->bytes);
    }
    if (piece->global) {
        contents_add_global(&contents, piece->global, strlen(piece->global))->bytes = 4;
    }
    return contents;
}

static cubinet_status add(struct draft *draft, const char *module, cubinet_target target,
                          const struct piece *pieces, size_t count)
{
    struct contents contents[MOST];
    struct draft_part parts[MOST];
    for (size_t i = 0; i < count; i++) {
        contents[i] = contents_of(&pieces[i]);
        parts[i] = (struct draft_part){(unsigned char *)strdup(pieces[i].bytes), strlen(pieces[i].bytes),
                                       &contents[i]};
    }
    struct draft_image *first = NULL;
    cubinet_status status =
        draft_add_parts(draft_module(draft, module), target, parts, count, "a test", &first);
    if (!status) {
        assert_int_equal(first->part, 0);
        assert_int_equal(first->part_count, count);
    }
    for (size_t i = 0; i < count; i++) {
        contents_free(&contents[i]);
    }
    return status;
}

/* Not in the order of an archive. */
static const struct piece three[] = {
    {.kernels = {"scan", "reduce"}, .global = "state", .bytes = "code of reduce and scan"},
    {.kernels = {"sort"}, .bytes = "code of sort"},
    {.kernels = {"add", "zero"}, .global = "table", .bytes = "code of add and zero"},
};

static struct draft make_draft(void)
{
    static const struct piece whole = {.kernels = {"add", "sort"}, .bytes = "code of all"};
    struct draft draft = {0};
    assert_int_equal(add(&draft, "giant", sm_90, three, 3), CUBINET_OK);
    assert_int_equal(add(&draft, "giant", sm_80, &whole, 1), CUBINET_OK);
    assert_int_equal(add(&draft, "whole", sm_80, &whole, 1), CUBINET_OK);
    return draft;
}

/* The archive of a draft, and its bytes. */
struct made {
    cubinet_archive *archive;
    char *data;
    size_t size;
};

static struct made make(const struct draft *draft)
{
    struct made made = {0};
    assert_int_equal(archive_make(draft, &made.data, &made.size), CUBINET_OK);
    if (cubinet_archive_open_memory(made.data, made.size, NULL, &made.archive)) {
        fail_msg("%s", cubinet_error_message());
    }
    return made;
}

static void made_free(struct made *made)
{
    cubinet_archive_close(made->archive);
    free(made->data);
}

static struct made make_three(void)
{
    struct draft draft = make_draft();
    struct made made = make(&draft);
    draft_free(&draft);
    return made;
}

static uint32_t kernel_number(const cubinet_archive *archive, uint32_t module, const char *name)
{
    uint32_t kernel = 0;
    assert_int_equal(cubinet_archive_find_kernel(archive, module, name, &kernel), CUBINET_OK);
    return kernel;
}

static void counts_images_and_not_parts(void **state)
{
    (void)state;
    struct made made = make_three();
    cubinet_module_info module = {.size = sizeof(module)};
    cubinet_image_info image = {.size = sizeof(image)};
    assert_int_equal(cubinet_archive_get_module(made.archive, 0, &module), CUBINET_OK);
    assert_int_equal(module.image_count, 2);
    assert_int_equal(module.kernel_count, 5);
    assert_int_equal(cubinet_archive_get_image(made.archive, 0, 0, &image), CUBINET_OK);
    assert_int_equal(image.part_count, 1);
    assert_int_equal(image.target.number, 80);
    assert_int_equal(cubinet_archive_get_image(made.archive, 0, 1, &image), CUBINET_OK);
    assert_int_equal(image.part_count, 3);
    assert_int_equal(image.target.number, 90);
    assert_int_equal(image.raw_size,
                     strlen(three[0].bytes) + strlen(three[1].bytes) + strlen(three[2].bytes));
    assert_int_equal(image.stored_size, image.raw_size);
    assert_int_equal(image.base_image, CUBINET_UNKNOWN);
    assert_int_equal(cubinet_archive_get_image(made.archive, 0, 2, &image), CUBINET_ERROR_NOT_FOUND);
    made_free(&made);
}

static void sums_up_parts(void **state)
{
    (void)state;
    struct draft draft = {0};
    assert_int_equal(add(&draft, "pair", sm_90, three, 2), CUBINET_OK);
    struct made made = make(&draft);
    cubinet_image_info image = {.size = sizeof(image)};
    uint8_t digests[2][16];
    assert_int_equal(cubinet_archive_get_image(made.archive, 0, 0, &image), CUBINET_OK);
    assert_int_equal(image.part_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        cubinet_part_info part = {.size = sizeof(part)};
        assert_int_equal(cubinet_archive_get_part(made.archive, 0, 0, i, &part), CUBINET_OK);
        memcpy(digests[i], part.digest, sizeof(part.digest));
        image.raw_size -= part.raw_size;
        image.stored_size -= part.stored_size;
    }
    struct cbn_digest digest = cbn_digest(digests, sizeof(digests));
    assert_memory_equal(image.digest, digest.bytes, sizeof(image.digest));
    assert_int_equal(image.raw_size, 0);
    assert_int_equal(image.stored_size, 0);
    made_free(&made);
    draft_free(&draft);
}

/* In the order of their first kernels. */
static void gives_parts_back(void **state)
{
    (void)state;
    static const int order[] = {2, 0, 1};
    struct made made = make_three();
    for (uint32_t i = 0; i < 3; i++) {
        const struct piece *piece = &three[order[i]];
        char bytes[64] = {0};
        cubinet_part_info part = {.size = sizeof(part)};
        assert_int_equal(cubinet_archive_get_part(made.archive, 0, 1, i, &part), CUBINET_OK);
        assert_int_equal(part.raw_size, strlen(piece->bytes));
        assert_int_equal(part.kernel_count, piece->kernels[1] ? 2 : 1);
        assert_int_equal(part.base_part, CUBINET_UNKNOWN);
        assert_int_equal(cubinet_archive_read_part(made.archive, 0, 1, i, bytes, sizeof(bytes)), CUBINET_OK);
        assert_string_equal(bytes, piece->bytes);
        for (size_t j = 0; j < COUNT(piece->kernels) && piece->kernels[j]; j++) {
            uint32_t found = 99;
            uint32_t kernel = kernel_number(made.archive, 0, piece->kernels[j]);
            cubinet_kernel_resources resources = {.size = sizeof(resources)};
            assert_int_equal(cubinet_archive_find_part(made.archive, 0, 1, kernel, &found), CUBINET_OK);
            assert_int_equal(found, i);
            assert_int_equal(cubinet_archive_get_resources(made.archive, 0, 1, kernel, &resources),
                             CUBINET_OK);
            assert_int_equal(resources.registers, strlen(piece->bytes));
        }
    }
    made_free(&made);
}

static void says_which_part_has_a_global(void **state)
{
    (void)state;
    struct made made = make_three();
    uint32_t part = 99;
    uint32_t global = 99;
    assert_int_equal(cubinet_archive_find_global(made.archive, 0, "state", &global), CUBINET_OK);
    assert_true(cbn_archive_find_global_part(made.archive, 0, 1, global, &part));
    assert_int_equal(part, 1);
    assert_false(cbn_archive_find_global_part(made.archive, 0, 0, global, &part));
    assert_int_equal(cubinet_archive_find_global(made.archive, 0, "table", &global), CUBINET_OK);
    assert_true(cbn_archive_find_global_part(made.archive, 0, 1, global, &part));
    assert_int_equal(part, 0);
    made_free(&made);
}

static void reads_an_ordinary_image_as_its_part(void **state)
{
    (void)state;
    struct made made = make_three();
    char bytes[64] = {0};
    uint32_t part = 99;
    uint32_t kernel = kernel_number(made.archive, 0, "sort");
    cubinet_part_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_part(made.archive, 0, 0, 0, &info), CUBINET_OK);
    assert_int_equal(info.kernel_count, 2);
    assert_int_equal(cubinet_archive_find_part(made.archive, 0, 0, kernel, &part), CUBINET_OK);
    assert_int_equal(part, 0);
    assert_int_equal(cubinet_archive_read_part(made.archive, 0, 0, 0, bytes, sizeof(bytes)), CUBINET_OK);
    assert_string_equal(bytes, "code of all");
    made_free(&made);
}

static void refuses_what_is_not_there(void **state)
{
    (void)state;
    struct made made = make_three();
    char bytes[128];
    uint32_t part = 99;
    cubinet_part_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_part(made.archive, 0, 1, 3, &info), CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(
        cubinet_error_message(),
        "module 'giant' has 3 parts in its image for sm_90, numbered from 0: there is no number 3");
    assert_int_equal(cubinet_archive_get_part(made.archive, 0, 2, 0, &info), CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "module 'giant' has 2 images, numbered from 0: there is no number 2");
    assert_int_equal(cubinet_archive_get_part(made.archive, 2, 0, 0, &info), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(
        cubinet_archive_find_part(made.archive, 0, 0, kernel_number(made.archive, 0, "zero"), &part),
        CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_find_part(made.archive, 0, 0, 0, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(part, 99);
    assert_int_equal(cubinet_archive_read_part(made.archive, 0, 1, 3, bytes, sizeof(bytes)),
                     CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_read_image(made.archive, 0, 1, bytes, sizeof(bytes)),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(cubinet_error_message(),
                        "sm_90 of module 'giant' consists of 3 parts; read each with "
                        "cubinet_archive_read_part()");
    made_free(&made);
}

/* A draft of what an archive has is the same archive. */
static void goes_through_an_archive(void **state)
{
    (void)state;
    struct made made = make_three();
    struct draft draft = {0};
    assert_int_equal(draft_add_archive(&draft, made.archive, "before"), CUBINET_OK);
    assert_int_equal(draft.modules[0].image_count, 4);
    struct made again = make(&draft);
    assert_int_equal(again.size, made.size);
    assert_memory_equal(again.data, made.data, made.size);
    /* And once more is the same image. */
    assert_int_equal(draft_add_archive(&draft, made.archive, "before"), CUBINET_OK);
    assert_int_equal(draft.modules[0].image_count, 4);
    draft_free(&draft);
    made_free(&made);
    made_free(&again);
}

static void writes_the_same_format_without_parts(void **state)
{
    (void)state;
    struct made made = make_three();
    cubinet_archive_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_info(made.archive, &info), CUBINET_OK);
    assert_int_equal(info.format_minor, CBN_FORMAT_MINOR);
    made_free(&made);
    struct draft draft = {0};
    assert_int_equal(add(&draft, "m", sm_90, three, 1), CUBINET_OK);
    made = make(&draft);
    assert_int_equal(cubinet_archive_get_info(made.archive, &info), CUBINET_OK);
    assert_int_equal(info.format_minor, CBN_FORMAT_MINOR);
    made_free(&made);
    draft_free(&draft);
}

static void refuses_parts_that_make_no_image(void **state)
{
    (void)state;
    static const struct {
        cubinet_target target;
        struct piece pieces[2];
        const char *message;
    } cases[] = {
        {{CUBINET_IMAGE_CUBIN, 90, 0},
         {{.kernels = {"a"}, .bytes = "1"}, {.bytes = "2"}},
         "module 'm': the parts of sm_90 from 'a test': one of them has no kernel"},
        {{CUBINET_IMAGE_CUBIN, 90, 0},
         {{.kernels = {"a", "b"}, .bytes = "1"}, {.kernels = {"b"}, .bytes = "2"}},
         "module 'm': the parts of sm_90 from 'a test': two have the kernel 'b'"},
        {{CUBINET_IMAGE_CUBIN, 90, 0},
         {{.kernels = {"a"}, .global = "g", .bytes = "1"}, {.kernels = {"b"}, .global = "g", .bytes = "2"}},
         "module 'm': the parts of sm_90 from 'a test': two have the global 'g'"},
        {{CUBINET_IMAGE_CUBIN, 90, 0},
         {{.kernels = {"a"}, .bytes = "1"}, {.kernels = {"b"}, .bytes = "2", .toolkit = 12000}},
         "module 'm': the parts of sm_90 from 'a test': those with 'a' and 'b' are of different toolkits or "
         "versions of PTX"},
        {{CUBINET_IMAGE_LTOIR, 90, 0},
         {{.kernels = {"a"}, .bytes = "1"}, {.kernels = {"b"}, .bytes = "2"}},
         "module 'm': the parts of lto_90 from 'a test': only cubins and PTX can be parts"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct draft draft = {0};
        assert_int_equal(add(&draft, "m", cases[i].target, cases[i].pieces, 2),
                         CUBINET_ERROR_INVALID_ARGUMENT);
        assert_string_equal(cubinet_error_message(), cases[i].message);
        draft_free(&draft);
    }
}

static void refuses_another_image_for_the_target(void **state)
{
    (void)state;
    struct draft draft = make_draft();
    const char *message =
        "module 'giant' has two different images for sm_90: one from 'a test', one from 'a test'";
    assert_int_equal(add(&draft, "giant", sm_90, three, 3), CUBINET_OK);
    assert_int_equal(add(&draft, "giant", sm_90, three, 2), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(cubinet_error_message(), message);
    assert_int_equal(add(&draft, "giant", sm_90, three, 1), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(cubinet_error_message(), message);
    assert_int_equal(add(&draft, "giant", compute_90, three, 2), CUBINET_OK);
    draft_free(&draft);
}

/* PTX-like text that compresses well after another of its kind. */
static char *long_text(const char *kernel, unsigned seed)
{
    size_t size = 20000;
    char *text = malloc(size + 1);
    assert_non_null(text);
    uint32_t state = 12345u + (unsigned char)kernel[1]; /* kernels have nothing in common */
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223;
        text[i] = (char)('a' + (state >> 24) % 26);
        if (i % 70 == 69) {
            text[i] = '\n';
        }
    }
    snprintf(text, 64, "%s of %u", kernel, seed);
    text[strlen(text)] = ' ';
    text[size] = '\0';
    return text;
}

/* Versions of a module whose parts are much alike, and a module without parts that is, too. */
static struct draft make_versions(void)
{
    struct draft draft = {0};
    static const char *const modules[] = {"v1", "v2", "v3"};
    static const char *const kernels[] = {"add", "scan", "sort"};
    for (unsigned i = 0; i < COUNT(modules); i++) {
        struct piece pieces[3] = {{.bytes = NULL}};
        for (size_t j = 0; j < 3; j++) {
            /* The first is the same in two of them. */
            unsigned version = j == 0 && i == 1 ? 0 : i;
            pieces[j] = (struct piece){.kernels = {kernels[j]}, .bytes = long_text(kernels[j], version)};
        }
        assert_int_equal(add(&draft, modules[i], compute_90, pieces, 3), CUBINET_OK);
        for (size_t j = 0; j < 3; j++) {
            free((char *)pieces[j].bytes);
        }
    }
    struct piece whole = {.kernels = {"add"}, .bytes = long_text("add", 0)};
    assert_int_equal(add(&draft, "x", compute_90, &whole, 1), CUBINET_OK);
    whole = (struct piece){.kernels = {"add"}, .bytes = whole.bytes};
    assert_int_equal(add(&draft, "y", compute_90, &whole, 1), CUBINET_OK);
    free((char *)whole.bytes);
    return draft;
}

static cubinet_part_info part_info(const cubinet_archive *archive, uint32_t module, uint32_t part)
{
    cubinet_part_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_part(archive, module, 0, part, &info), CUBINET_OK);
    return info;
}

static void compresses_parts_after_others(void **state)
{
    (void)state;
    char path[] = "/tmp/cubinet-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct draft draft = make_versions();
    const struct archive_writer_options options = {.zstd_level = 3};
    assert_int_equal(archive_write_file(&draft, &options, path), CUBINET_OK);
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
    unlink(path);
    bool has_base = false;
    for (uint32_t module = 0; module < 3; module++) {
        for (uint32_t part = 0; part < 3; part++) {
            cubinet_part_info info = part_info(archive, module, part);
            char *bytes = malloc((size_t)info.raw_size);
            assert_non_null(bytes);
            assert_int_equal(
                cubinet_archive_read_part(archive, module, 0, part, bytes, (size_t)info.raw_size),
                CUBINET_OK);
            const struct draft_image *image = &draft.modules[module].images[part];
            assert_int_equal(info.raw_size, image->size);
            assert_memory_equal(bytes, image->data, image->size);
            has_base = has_base || info.base_part != CUBINET_UNKNOWN;
            free(bytes);
        }
    }
    assert_true(has_base);
    assert_int_equal(part_info(archive, 1, 1).base_part, 1);
    cubinet_image_info image = {.size = sizeof(image)};
    assert_int_not_equal(part_info(archive, 2, 0).base_module, CUBINET_UNKNOWN);
    assert_int_equal(cubinet_archive_get_image(archive, 2, 0, &image), CUBINET_OK);
    assert_int_equal(image.base_module, CUBINET_UNKNOWN); /* only its parts have some */
    assert_int_equal(image.base_image, CUBINET_UNKNOWN);
    assert_int_equal(image.base_part, CUBINET_UNKNOWN);
    /* Equal parts are stored once; but what older readers see does without what they do not. */
    assert_int_equal(part_info(archive, 0, 0).offset, part_info(archive, 1, 0).offset);
    assert_int_not_equal(part_info(archive, 0, 0).offset, part_info(archive, 3, 0).offset);
    assert_int_equal(part_info(archive, 3, 0).offset, part_info(archive, 4, 0).offset);
    assert_true(part_info(archive, 3, 0).base_module >= 3);
    cubinet_archive_close(archive);
    draft_free(&draft);
}

static cubinet_status open_and_read(const struct made *made)
{
    cubinet_archive *archive = NULL;
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_open_memory(made->data, made->size, NULL, &archive);
    status = status ? status : cubinet_archive_get_module(archive, 0, &info);
    cubinet_archive_close(archive);
    return status;
}

static void reports_each_failed_allocation(void **state)
{
    (void)state;
    struct made made = make_three();
    allocations_watch(0);
    assert_int_equal(open_and_read(&made), CUBINET_OK);
    unsigned int count = allocations_stop();
    for (unsigned int i = 1; i <= count; i++) {
        allocations_watch(i);
        cubinet_status status = open_and_read(&made);
        allocations_stop();
        assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
    }
    made_free(&made);
}

/* Adding parts to a draft, and filing them, fails or is whole. */
static void survives_each_failed_allocation_of_a_draft(void **state)
{
    (void)state;
    struct made made = make_three();
    for (unsigned int i = 1;; i++) {
        struct draft draft = {0};
        char *data = NULL;
        size_t size = 0;
        allocations_watch(i);
        cubinet_status status = draft_add_archive(&draft, made.archive, "before");
        status = status ? status : archive_make(&draft, &data, &size);
        draft_free(&draft);
        unsigned int count = allocations_stop();
        free(data);
        if (count < i) {
            assert_int_equal(status, CUBINET_OK);
            break;
        }
        assert_true(status == CUBINET_OK || status == CUBINET_ERROR_OUT_OF_MEMORY);
    }
    made_free(&made);
}

/* Going through all kernels and variables for each part would take minutes. */
static void has_as_many_parts_as_kernels(void **state)
{
    (void)state;
    enum { PARTS = 40000 };
    struct draft draft = {0};
    struct draft_part *parts = calloc(PARTS, sizeof(*parts));
    struct contents *contents = calloc(PARTS, sizeof(*contents));
    for (unsigned i = 0; i < PARTS; i++) {
        char *text = NULL;
        int size = asprintf(&text,
                            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 "
                            "g%06u;\n.visible .entry k%06u()\n{\nret;\n}\n",
                            i, i);
        assert_int_equal(ptx_read(text, (size_t)size, &contents[i]), CUBINET_OK);
        parts[i] = (struct draft_part){(unsigned char *)text, (size_t)size, &contents[i]};
    }
    assert_int_equal(draft_add_parts(draft_module(&draft, "m"), compute_90, parts, PARTS, "a test", NULL),
                     CUBINET_OK);
    char *bytes = NULL;
    size_t size;
    assert_int_equal(archive_make(&draft, &bytes, &size), CUBINET_OK);
    cubinet_archive *archive = NULL;
    struct listing listing;
    struct problems problems = {0};
    assert_int_equal(cubinet_archive_open_memory(bytes, size, NULL, &archive), CUBINET_OK);
    assert_int_equal(listing_read(archive, NULL, &listing), CUBINET_OK);
    assert_int_equal(check_archive(archive, &listing, 0, &problems), CUBINET_OK);
    assert_int_equal(problems.count, 0);
    problems_free(&problems);
    listing_free(&listing);
    cubinet_archive_close(archive);
    free(bytes);
    draft_free(&draft);
    for (unsigned i = 0; i < PARTS; i++) {
        contents_free(&contents[i]);
    }
    free(contents);
    free(parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_images_and_not_parts),
        cmocka_unit_test(sums_up_parts),
        cmocka_unit_test(gives_parts_back),
        cmocka_unit_test(says_which_part_has_a_global),
        cmocka_unit_test(reads_an_ordinary_image_as_its_part),
        cmocka_unit_test(refuses_what_is_not_there),
        cmocka_unit_test(goes_through_an_archive),
        cmocka_unit_test(reports_each_failed_allocation),
        cmocka_unit_test(survives_each_failed_allocation_of_a_draft),
        cmocka_unit_test(compresses_parts_after_others),
        cmocka_unit_test(writes_the_same_format_without_parts),
        cmocka_unit_test(refuses_parts_that_make_no_image),
        cmocka_unit_test(has_as_many_parts_as_kernels),
        cmocka_unit_test(refuses_another_image_for_the_target),
    };
    return cmocka_run_group_tests_name("draft_parts", tests, NULL, NULL);
}
