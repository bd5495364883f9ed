/* SPDX-License-Identifier: Apache-2.0 */
/* Slicing modules whose images consist of parts by a record of use: what is kept and what the rest has. */
#include "unit.h"

#include "archive/archive_writer.h"
#include "archive/check_archive.h"
#include "command/slice_parts.h"
#include "command/slice_rest.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/rest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cubinet_target sm_90 = {CUBINET_IMAGE_CUBIN, 90, 0};
static const cubinet_target sm_80 = {CUBINET_IMAGE_CUBIN, 80, 0};

struct piece {
    const char *kernels[3];
    const char *global;
    const char *bytes;
};

static const struct piece three[] = {
    {.kernels = {"reduce", "scan"}, .global = "state", .bytes = "code of reduce and scan"},
    {.kernels = {"sort"}, .bytes = "code of sort"},
    {.kernels = {"add", "zero"}, .global = "table", .bytes = "code of add and zero"},
};

static void add_parts(struct draft *draft, cubinet_target target)
{
    struct contents contents[COUNT(three)];
    struct draft_part parts[COUNT(three)];
    for (size_t i = 0; i < COUNT(three); i++) {
        contents[i] = (struct contents){.target = target, .toolkit = 13000};
        for (size_t j = 0; j < COUNT(three[i].kernels) && three[i].kernels[j]; j++) {
            contents_add_kernel(&contents[i], three[i].kernels[j], strlen(three[i].kernels[j]));
        }
        if (three[i].global) {
            contents_add_global(&contents[i], three[i].global, strlen(three[i].global))->bytes = 4;
        }
        parts[i] = (struct draft_part){(unsigned char *)strdup(three[i].bytes), strlen(three[i].bytes),
                                       &contents[i]};
    }
    assert_int_equal(
        draft_add_parts(draft_module(draft, "giant"), target, parts, COUNT(three), "a test", NULL),
        CUBINET_OK);
    for (size_t i = 0; i < COUNT(three); i++) {
        contents_free(&contents[i]);
    }
}

/* An archive of "giant", for two targets, and what a slice of it is made with. */
struct fixture {
    char path[32];
    struct shown_archive shown;
    struct slice_used used;
    struct slice_marks marks;
    struct draft draft;
    struct draft rest;
};

static cubinet_status mark_sm_90(const void *user, const struct shown_archive *shown,
                                 const struct listing_module *module, bool *kept)
{
    (void)user;
    (void)shown;
    for (uint32_t i = 0; i < module->image_count; i++) {
        kept[i] = module->images[i].target.number == 90;
    }
    return CUBINET_OK;
}

static void slice(struct fixture *fixture, const char *record, bool has_rest)
{
    struct draft all = {0};
    struct archive_writer_options options = {0};
    char text[1024];
    memset(fixture, 0, sizeof(*fixture));
    strcpy(fixture->path, "/tmp/test_slice_XXXXXX");
    int file = mkstemp(fixture->path);
    assert_true(file >= 0);
    snprintf(text, sizeof(text), "%s", record);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    struct cbn_text_list paths = {0};
    cbn_text_list_add(&paths, fixture->path);
    assert_int_equal(slice_used_read(&fixture->used, &paths, has_rest), CUBINET_OK);
    cbn_text_list_free(&paths);

    add_parts(&all, sm_80);
    add_parts(&all, sm_90);
    if (archive_write_file(&all, &options, fixture->path)) {
        fail_msg("%s", cubinet_error_message());
    }
    draft_free(&all);
    assert_int_equal(shown_archive_open(fixture->path, NULL, &fixture->shown), CUBINET_OK);
    fixture->marks.divide_parts = true;
    assert_int_equal(slice_marks_make(&fixture->shown, mark_sm_90, NULL, &fixture->marks), CUBINET_OK);
    struct draft *rest = has_rest ? &fixture->rest : NULL;
    assert_int_equal(slice_marks_part(&fixture->shown, &fixture->marks, &fixture->draft, rest), CUBINET_OK);
    assert_int_equal(
        slice_parts_divide(&fixture->shown, &fixture->marks, &fixture->used, &fixture->draft, rest),
        CUBINET_OK);
    assert_int_equal(slice_rest_describe(&fixture->shown, &fixture->marks, &fixture->used,
                                         has_rest ? "rest.cubinet" : NULL, &fixture->draft, rest),
                     CUBINET_OK);
}

static void fixture_free(struct fixture *fixture)
{
    unlink(fixture->path);
    shown_archive_close(&fixture->shown);
    slice_used_free(&fixture->used);
    slice_marks_free(&fixture->marks);
    draft_free(&fixture->draft);
    draft_free(&fixture->rest);
}

/* What an archive of the draft has: "sm_90: reduce scan | sort", and that all is as an archive should be. */
static void expect_images(const struct draft *draft, const char *expected)
{
    char text[512] = "";
    struct archive_writer_options options = {0};
    char path[] = "/tmp/test_slice_XXXXXX";
    close(mkstemp(path));
    assert_int_equal(archive_write_file(draft, &options, path), CUBINET_OK);
    struct shown_archive shown;
    assert_int_equal(shown_archive_open(path, NULL, &shown), CUBINET_OK);
    const struct listing_module *module = &shown.listing.modules[0];
    assert_int_equal(module->kernel_count, 5); /* all names */
    for (uint32_t i = 0; i < module->image_count; i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        strcat(strcat(text, cubinet_target_name(module->images[i].target, name)), ":");
        for (uint32_t part = 0; part < module->images[i].part_count; part++) {
            strcat(text, part ? " |" : "");
            for (uint32_t kernel = 0; kernel < module->kernel_count; kernel++) {
                uint32_t found = UINT32_MAX;
                if (cbn_archive_image_has_kernel(shown.archive, 0, i, kernel) &&
                    !cubinet_archive_find_part(shown.archive, 0, i, kernel, &found) && found == part) {
                    strcat(strcat(text, " "), module->kernels[kernel].name);
                }
            }
        }
        strcat(text, "\n");
    }
    assert_string_equal(text, expected);
    shown_archive_close(&shown);
    unlink(path);
}

#define USE(use, what, name)                                                                                 \
    "{\"cubinet_record\":1,\"use\":\"" use "\",\"module\":\"giant\",\"" what "\":\"" name                    \
    "\",\"image\":\"sm_90\",\"archive_digest\":\"00\",\"time\":\"2026-11-25T00:00:00Z\"}\n"

static void test_parts_with_used_kernels_are_kept(void **state)
{
    (void)state;
    struct fixture fixture;
    slice(&fixture, USE("kernel", "kernel", "sort") USE("kernel", "kernel", "zero"), false);
    expect_images(&fixture.draft, "sm_90: add zero | sort\n");
    fixture_free(&fixture);
}

static void test_one_part_is_an_image(void **state)
{
    (void)state;
    struct fixture fixture;
    slice(&fixture, USE("found", "kernel", "sort"), false);
    expect_images(&fixture.draft, "sm_90: sort\n");
    fixture_free(&fixture);
}

static void test_parts_with_used_variables_are_kept(void **state)
{
    (void)state;
    struct fixture fixture;
    slice(&fixture, USE("global", "global", "state"), false);
    expect_images(&fixture.draft, "sm_90: reduce scan\n");
    fixture_free(&fixture);
}

static void test_of_a_module_that_was_only_loaded_one_part_is_kept(void **state)
{
    (void)state;
    struct fixture fixture;
    slice(&fixture, USE("module", "other", ""), false);
    expect_images(&fixture.draft, "sm_90: add zero\n");
    fixture_free(&fixture);
}

static void test_the_rest_has_the_other_parts(void **state)
{
    (void)state;
    struct fixture fixture;
    slice(&fixture, USE("kernel", "kernel", "sort") USE("found", "kernel", "zero"), true);
    expect_images(&fixture.draft, "sm_90: sort\n");
    expect_images(&fixture.rest, "sm_80: add zero | reduce scan | sort\nsm_90: add zero | reduce scan\n");
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_with_used_kernels_are_kept),
        cmocka_unit_test(test_one_part_is_an_image),
        cmocka_unit_test(test_parts_with_used_variables_are_kept),
        cmocka_unit_test(test_of_a_module_that_was_only_loaded_one_part_is_kept),
        cmocka_unit_test(test_the_rest_has_the_other_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
