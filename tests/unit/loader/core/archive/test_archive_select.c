/* SPDX-License-Identifier: Apache-2.0 */
/* The image that a device gets, chosen by the archive's number of a module, and what is said where none fits.
 */
#include "allocations.h"
#include "archive_sample.h"
#include "select_cases.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <string.h>

static cubinet_archive *archive;
static struct built built;

static int open_sample(void **state)
{
    (void)state;
    built = build(&sample_archive);
    return (int)cubinet_archive_open_memory(built.bytes, built.size, NULL, &archive);
}

static int close_sample(void **state)
{
    (void)state;
    cubinet_archive_close(archive);
    built_free(&built);
    return 0;
}

static cubinet_status choose(int compute, const cubinet_policy *policy, uint32_t *out_image)
{
    const cubinet_device_profile device = device_of(compute, 13000, 0);
    return cubinet_archive_select_image(archive, SAMPLE_SEGSUM, &device, policy, out_image);
}

static void chooses_what_selection_puts_first(void **state)
{
    (void)state;
    uint32_t image = UINT32_MAX;
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(choose(90, NULL, &image), CUBINET_OK);
    assert_int_equal(cubinet_archive_get_image(archive, SAMPLE_SEGSUM, image, &info), CUBINET_OK);
    assert_int_equal(info.target.number, 90);
}

static void says_why_no_image_fits(void **state)
{
    (void)state;
    uint32_t image = 7;
    const cubinet_policy policy = {.size = sizeof(policy), .kind = CUBINET_IMAGE_CUBIN};
    assert_int_equal(choose(30, NULL, &image), CUBINET_ERROR_NO_IMAGE);
    assert_non_null(strstr(cubinet_error_message(),
                           "no image of module 'segmented_sum' in the archive in memory "
                           "is for compute capability 3.0:\n"));
    size_t lines = 0;
    for (const char *at = cubinet_error_message(); (at = strstr(at, "\n  ")) != NULL; at++) {
        lines++;
    }
    assert_int_equal(lines, sample_modules[SAMPLE_SEGSUM].image_count + 1);
    assert_non_null(
        strstr(cubinet_error_message(), "To fix this, build the module for compute capability 3.0"));
    assert_int_equal(choose(30, &policy, &image), CUBINET_ERROR_NO_IMAGE);
    assert_non_null(strstr(cubinet_error_message(), "3.0 and of the requested kind:\n"));
    assert_int_equal(image, 7);
}

static void refuses_what_is_missing(void **state)
{
    (void)state;
    uint32_t image = 7;
    const cubinet_device_profile device = device_of(90, 13000, 0);
    const cubinet_device_profile newer = {.size = 1};
    const cubinet_policy odd = {.size = sizeof(odd), .only = "none"};
    assert_int_equal(cubinet_archive_select_image(NULL, SAMPLE_SEGSUM, &device, NULL, &image),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_select_image(archive, SAMPLE_SEGSUM, NULL, NULL, &image),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_select_image(archive, SAMPLE_SEGSUM, &device, NULL, NULL),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_select_image(archive, SAMPLE_SEGSUM, &newer, NULL, &image),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(choose(90, &odd, &image), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_select_image(archive, 999, &device, NULL, &image),
                     CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(image, 7);
}

static void says_that_memory_is_out(void **state)
{
    (void)state;
    uint32_t image = 7;
    cubinet_status status = CUBINET_ERROR_OUT_OF_MEMORY;
    unsigned int failed = 0;
    while (status == CUBINET_ERROR_OUT_OF_MEMORY) {
        allocations_watch(++failed);
        status = choose(30, NULL, &image);
        allocations_stop();
    }
    assert_int_equal(status, CUBINET_ERROR_NO_IMAGE);
    assert_int_equal(failed, 6); /* images, verdicts, two for the list, one for more of it, and none */
    assert_int_equal(image, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_what_selection_puts_first),
        cmocka_unit_test(says_why_no_image_fits),
        cmocka_unit_test(refuses_what_is_missing),
        cmocka_unit_test(says_that_memory_is_out),
    };
    return cmocka_run_group_tests(tests, open_sample, close_sample);
}
