/* SPDX-License-Identifier: Apache-2.0 */
/* Reading tuning records, without memory and of archives that nobody should have made. */
#include "allocations.h"
#include "archive/archive_writer.h"
#include "loader/core/archive/digest.h"
#include "ptx/reading/ptx.h"
#include "unit.h"

#include <cubinet/tuning.h>

#include <stdlib.h>
#include <string.h>

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p)\n{\nret;\n}\n";

/* An archive of one kernel with so many records of something that is called so. The writer reads what it has
 * made, and refuses what no reader takes. */
static cubinet_status try_to_make(const char *what, const char *gpu, uint32_t records, char **out_bytes,
                                  size_t *out_size)
{
    struct draft draft = {0};
    struct contents contents = {0};
    struct draft_module *module = draft_module(&draft, "m");
    const struct cbn_digest digest = cbn_digest(ptx, strlen(ptx));
    assert_int_equal(ptx_read(ptx, strlen(ptx), &contents), CUBINET_OK);
    assert_int_equal(draft_add_image(module, contents.target, (unsigned char *)strdup(ptx), strlen(ptx),
                                     &contents, "a test", NULL),
                     CUBINET_OK);
    contents_free(&contents);
    for (uint32_t i = 0; i < records; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning),
                                 .what = what,
                                 .kernel = "k",
                                 .default_kernel = "k",
                                 .gpu = gpu,
                                 .compute = 90,
                                 .multiprocessor_count = 1,
                                 .extent = {i + 1, 1, 1},
                                 .target = {CUBINET_IMAGE_PTX, 80, 0},
                                 .block = {32, 1, 1},
                                 .grid_rule = CUBINET_GRID_FIXED,
                                 .time_ns = 1,
                                 .candidate_count = 1,
                                 .driver_version = 13000};
        memcpy(tuning.digest, digest.bytes, sizeof(tuning.digest));
        assert_int_equal(draft_put_tuning(module, &tuning), CUBINET_OK);
    }
    cubinet_status status = archive_make(&draft, out_bytes, out_size);
    draft_free(&draft);
    return status;
}

static char *make(const char *what, uint32_t records, size_t *out_size)
{
    char *bytes = NULL;
    assert_int_equal(try_to_make(what, "GPU", records, &bytes, out_size), CUBINET_OK);
    return bytes;
}

static cubinet_archive *open_bytes(const char *bytes, size_t size)
{
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(bytes, size, NULL, &archive), CUBINET_OK);
    return archive;
}

static void test_reads_records(void **state)
{
    (void)state;
    size_t size;
    char *bytes = make("k", 3, &size);
    cubinet_archive *archive = open_bytes(bytes, size);
    uint32_t count = 0;
    cubinet_tuning tuning = {.size = sizeof(tuning)};
    uint8_t digest[16] = {0};
    assert_int_equal(cubinet_archive_get_tuning_count(archive, 0, &count), CUBINET_OK);
    assert_int_equal(count, 3);
    assert_int_equal(cubinet_archive_get_tuning(archive, 0, 2, &tuning), CUBINET_OK);
    assert_int_equal(tuning.extent[0], 3);
    assert_int_equal(tuning.flags, 0);
    assert_int_equal(cubinet_archive_get_code_digest(archive, 0, 0, 0, digest), CUBINET_OK);
    assert_memory_equal(digest, tuning.digest, sizeof(digest));

    assert_int_equal(cubinet_archive_get_tuning_count(archive, 1, &count), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_tuning_count(archive, 0, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_get_tuning_count(NULL, 0, &count), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_get_tuning(archive, 0, 3, &tuning), CUBINET_ERROR_NOT_FOUND);
    assert_non_null(strstr(cubinet_error_message(),
                           "module 'm' has 3 tuning records, numbered from 0: there is no number 3"));
    assert_int_equal(cubinet_archive_get_tuning(archive, 1, 0, &tuning), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_tuning(archive, 0, 0, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_get_code_digest(archive, 0, 0, 0, NULL), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_get_code_digest(archive, 0, 0, 1, digest), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_code_digest(archive, 0, 1, 0, digest), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(count, 3);
    assert_memory_equal(digest, tuning.digest, sizeof(digest)); /* which failures leave alone */
    cubinet_archive_close(archive);
    free(bytes);
}

/* A few bytes could otherwise keep whoever prints them busy for hours. */
static void test_refuses_names_that_are_told_too_often(void **state)
{
    (void)state;
    enum { LONG = 20000, RECORDS = 200 };
    char what[LONG + 1];
    size_t size;
    char *bytes = NULL;
    memset(what, 'x', LONG);
    what[LONG] = '\0';
    assert_int_not_equal(try_to_make(what, "GPU", RECORDS, &bytes, &size), CUBINET_OK);
    assert_non_null(strstr(cubinet_error_message(), "names that are too long for so many"));
    assert_int_equal(try_to_make(what, "GPU", RECORDS / 2, &bytes, &size), CUBINET_OK);
    free(bytes);
}

/* So many records of a set with a name of that length. */
static cubinet_status make_named(size_t length, uint32_t records)
{
    char what[10000];
    char *bytes = NULL;
    size_t size;
    memset(what, 'x', length);
    what[length] = '\0';
    cubinet_status status = try_to_make(what, "GPU", records, &bytes, &size);
    if (!status) {
        free(bytes);
    }
    return status;
}

/* An archive without large images, such as a slice of one that has some. */
static void test_reads_as_many_records_as_there_are(void **state)
{
    (void)state;
    assert_int_equal(make_named(2500, 3000), CUBINET_OK);
    assert_int_equal(make_named(4000, 2000), CUBINET_OK);
    assert_int_equal(make_named(9000, 1000), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "the same kernels, parameters, sources and tuned sets"));
}

static void test_memory_may_be_out(void **state)
{
    (void)state;
    size_t size;
    char *bytes = make("k", 3, &size);
    for (unsigned failing = 1;; failing++) {
        cubinet_archive *archive = open_bytes(bytes, size);
        uint32_t count;
        allocations_watch(failing);
        cubinet_status status = cubinet_archive_get_tuning_count(archive, 0, &count);
        unsigned made = allocations_stop();
        if (made < failing) {
            assert_int_equal(status, CUBINET_OK);
            cubinet_archive_close(archive);
            break;
        }
        assert_int_equal(status, CUBINET_ERROR_OUT_OF_MEMORY);
        cubinet_archive_close(archive);
    }
    free(bytes);
}

/* As long as it may be. */
static void test_reads_long_names(void **state)
{
    (void)state;
    char gpu[CBN_GPU_NAME_MAX + 1] = {0};
    char *bytes = NULL;
    size_t size;
    cubinet_tuning tuning = {.size = sizeof(tuning)};
    memset(gpu, 'g', CBN_GPU_NAME_MAX);
    assert_int_equal(try_to_make("k", gpu, 1, &bytes, &size), CUBINET_OK);
    cubinet_archive *archive = open_bytes(bytes, size);
    assert_int_equal(cubinet_archive_get_tuning(archive, 0, 0, &tuning), CUBINET_OK);
    assert_string_equal(tuning.gpu, gpu);
    cubinet_archive_close(archive);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_records),
        cmocka_unit_test(test_reads_long_names),
        cmocka_unit_test(test_refuses_names_that_are_told_too_often),
        cmocka_unit_test(test_reads_as_many_records_as_there_are),
        cmocka_unit_test(test_memory_may_be_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
