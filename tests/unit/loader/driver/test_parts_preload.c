/* SPDX-License-Identifier: Apache-2.0 */
/* Preloading modules whose images consist of parts: all parts, in several threads, and what is left when one
 * is refused or fails, or the program cancels. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <cubinet/preload.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SURE   "sm_90=scale_90+tile_90+clustered_90"
#define AS_PTX "compute_80=scale+tile"
/* Compiling takes long enough for threads to be worth it. */
#define SLOW "compute_90=scale+tile+clustered"
enum { PARTS = 3 };

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        print_error("'%s' is not in: %s\n", part, text);
        fail();
    }
}

static unsigned int loads(void)
{
    return simdriver_calls("cuLibraryLoadData");
}

static cubinet_preload_result result_of(const cubinet_preload *preload, size_t index)
{
    cubinet_preload_result result = {.size = sizeof(result)};
    assert_int_equal(cubinet_preload_get_result(preload, index, &result), CUBINET_OK);
    return result;
}

static void expect_image(const cubinet_module *module, const char *target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    assert_string_equal(machine_loaded(module, name), target);
}

/* Nothing is left to be loaded, nor to be made when a kernel is launched first. */
static void expect_ready(cubinet_module *module, const char *const *kernels, size_t count)
{
    unsigned int before = loads();
    unsigned int functions = simdriver_calls("cuKernelGetFunction");
    for (size_t i = 0; i < count; i++) {
        CUfunction function = NULL;
        assert_int_equal(cubinet_kernel_get_function(machine_kernel(module, kernels[i]), &function),
                         CUBINET_OK);
    }
    assert_int_equal(loads(), before);
    assert_int_equal(simdriver_calls("cuKernelGetFunction"), functions);
}

static const char *const all_kernels[PARTS] = {"scale", "tile", "clustered"};
static const uint32_t thread_counts[] = {1, 2, 8, 0};

static void test_all_parts_are_ready(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(thread_counts) * 2; i++) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        cubinet_archive *archive = machine_archive(i % 2 ? SLOW : SURE, 0);
        const cubinet_preload_item item = {.archive = archive};
        const cubinet_preload_options options = {.size = sizeof(options), .threads = thread_counts[i / 2]};
        cubinet_preload *preload = NULL;
        assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preload), CUBINET_OK);
        cubinet_archive_close(archive);
        machine_expect_current(NULL);
        assert_int_equal(loads(), PARTS);
        assert_int_equal(cubinet_preload_get_result_count(preload), 1);
        expect_ready(result_of(preload, 0).module, all_kernels, PARTS);
        assert_int_equal(cubinet_preload_destroy(preload), CUBINET_OK);
        machine_stop(driver);
    }
}

/* Threads that load parts wait for each other here, in the log's function: each part that is loaded says so.
 */
struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    unsigned int there;
    unsigned int expected;
    bool failed;
};

static void meet(void *user, cubinet_log_level level, const char *line)
{
    (void)level;
    struct meeting *meeting = user;
    struct timespec end;
    if (!strstr(line, "loaded part") || strstr(line, "loaded part 0")) {
        return; /* the first part is loaded alone */
    }
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 1000;
    pthread_mutex_lock(&meeting->mutex);
    meeting->there++;
    pthread_cond_broadcast(&meeting->arrived);
    while (meeting->there < meeting->expected && !meeting->failed) {
        meeting->failed = pthread_cond_timedwait(&meeting->arrived, &meeting->mutex, &end) == ETIMEDOUT;
    }
    pthread_mutex_unlock(&meeting->mutex);
}

static void test_threads_load_the_parts_of_one_module(void **state)
{
    (void)state;
    struct meeting meeting = {
        .mutex = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER, .expected = PARTS - 1};
    cubinet_driver *driver = machine_start("9.0", meet, &meeting);
    cubinet_archive *archive = machine_archive(SLOW, 0);
    const cubinet_preload_item item = {.archive = archive, .name = DEMO};
    const cubinet_preload_options options = {.size = sizeof(options), .threads = 8};
    cubinet_preload *preload = NULL;
    assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preload), CUBINET_OK);
    assert_false(meeting.failed);
    assert_int_equal(meeting.there, PARTS - 1);
    assert_int_equal(cubinet_preload_destroy(preload), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static const struct machine_module several[] = {
    {.name = "first", .images = SURE},
    {.name = "second", .images = AS_PTX},
    {.name = "third", .images = "sm_90"},
};

struct heard {
    size_t calls;
    size_t cancel_at; /* 0: never */
};

static int hear(void *user, const cubinet_preload_result *result, size_t done, size_t total)
{
    struct heard *heard = user;
    assert_int_equal(total, COUNT(several));
    assert_int_equal(done, ++heard->calls);
    assert_true(result->status != CUBINET_ERROR_CANCELLED);
    return done == heard->cancel_at;
}

static void test_progress_is_by_module(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(thread_counts); i++) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        cubinet_archive *archive = machine_modules(several, COUNT(several));
        struct heard heard = {0};
        const cubinet_preload_item item = {.archive = archive};
        const cubinet_preload_options options = {.size = sizeof(options),
                                                 .threads = thread_counts[i],
                                                 .progress = hear,
                                                 .progress_user = &heard,
                                                 .flags = i % 2 ? CUBINET_PRELOAD_NO_MODULES : 0};
        cubinet_preload *preload = NULL;
        assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preload), CUBINET_OK);
        assert_int_equal(heard.calls, COUNT(several));
        assert_int_equal(loads(), PARTS + 2 + 1);
        if (i % 2) {
            machine_expect_clean(NULL);
        } else {
            expect_ready(result_of(preload, 0).module, all_kernels, PARTS);
            expect_ready(result_of(preload, 1).module, all_kernels, 2);
        }
        assert_int_equal(cubinet_preload_destroy(preload), CUBINET_OK);
        cubinet_archive_close(archive);
        machine_stop(driver);
    }
}

static void test_cancelling_begins_no_more_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(thread_counts); i++) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        cubinet_archive *archive = machine_modules(several, COUNT(several));
        struct heard heard = {.cancel_at = 1};
        const cubinet_preload_item item = {.archive = archive};
        const cubinet_preload_options options = {
            .size = sizeof(options), .threads = thread_counts[i], .progress = hear, .progress_user = &heard};
        cubinet_preload *preload = NULL;
        assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preload),
                         CUBINET_ERROR_CANCELLED);
        expect_in(cubinet_error_message(), "the program cancelled when 1 of 3 were done");
        assert_null(preload);
        assert_int_equal(heard.calls, 1);
        if (thread_counts[i] == 1) {
            assert_int_equal(loads(), 2); /* of the PTX, which takes longest */
        }
        cubinet_archive_close(archive);
        machine_stop(driver);
    }
}

static void test_a_refused_part_moves_the_module_on(void **state)
{
    (void)state;
    static const struct {
        const char *images;
        const char *loaded;
    } cases[] = {
        {"sm_90=scale_90+tile_80 " AS_PTX, "compute_80"},
        {"sm_90=scale_90+tile_80 compute_80", "compute_80"},
        {"sm_90a=scale_90a+tile_80+clustered_90a " SURE, "sm_90"},
    };
    for (size_t i = 0; i < COUNT(cases) * COUNT(thread_counts); i++) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        cubinet_archive *archive = machine_archive(cases[i % COUNT(cases)].images, 0);
        const cubinet_preload_item item = {.archive = archive};
        const cubinet_preload_options options = {.size = sizeof(options),
                                                 .threads = thread_counts[i / COUNT(cases)]};
        cubinet_preload *preload = NULL;
        assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preload), CUBINET_OK);
        cubinet_archive_close(archive);
        cubinet_module *module = result_of(preload, 0).module;
        expect_image(module, cases[i % COUNT(cases)].loaded);
        unsigned int before = loads();
        machine_kernel(module, "tile");
        machine_kernel(module, "scale");
        assert_int_equal(loads(), before);
        assert_int_equal(cubinet_preload_destroy(preload), CUBINET_OK);
        machine_stop(driver);
    }
}

/* Whichever thread meets it: asked again, the driver takes the part. */
static void test_a_part_that_is_refused_once_is_asked_for_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(thread_counts) * 2; i++) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        cubinet_archive *archive = machine_archive(SLOW " compute_75", 0);
        const cubinet_preload_item item = {.archive = archive};
        const cubinet_preload_options options = {.size = sizeof(options), .threads = thread_counts[i / 2]};
        cubinet_preload *preload = NULL;
        simdriver_fail("cuLibraryLoadData", 2 + i % 2, CBN_CU_INVALID_PTX, false);
        assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preload), CUBINET_OK);
        expect_image(result_of(preload, 0).module, "compute_90");
        unsigned int before = loads();
        machine_kernel(result_of(preload, 0).module, "tile");
        machine_kernel(result_of(preload, 0).module, "scale");
        assert_int_equal(loads(), before);
        assert_int_equal(cubinet_preload_destroy(preload), CUBINET_OK);
        cubinet_archive_close(archive);
        machine_stop(driver);
    }
}

static void test_a_part_that_fails_fails_its_module(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(thread_counts) * 2; i++) {
        bool keep_going = i % 2;
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        cubinet_archive *archive = machine_archive(SLOW, 0);
        const cubinet_preload_item item = {.archive = archive};
        const cubinet_preload_options options = {.size = sizeof(options),
                                                 .threads = thread_counts[i / 2],
                                                 .flags = keep_going ? CUBINET_PRELOAD_KEEP_GOING : 0};
        cubinet_preload *preload = NULL;
        simdriver_fail("cuLibraryLoadData", 3, CBN_CU_OUT_OF_MEMORY, false);
        cubinet_status status = cubinet_preload_run(driver, 0, &item, 1, &options, &preload);
        if (keep_going) {
            assert_int_equal(status, CUBINET_OK);
            cubinet_preload_result result = result_of(preload, 0);
            assert_int_equal(result.status, CUBINET_ERROR_DEVICE_MEMORY);
            assert_null(result.module);
            expect_in(result.message, "cuLibraryLoadData on device 0");
        } else {
            assert_int_equal(status, CUBINET_ERROR_DEVICE_MEMORY);
            expect_in(cubinet_error_message(), "'demo' of 1 is not ready: cuLibraryLoadData on device 0");
            assert_int_equal(cubinet_error_driver_result(), CBN_CU_OUT_OF_MEMORY);
            assert_null(preload);
        }
        machine_expect_clean(NULL);
        assert_int_equal(cubinet_preload_destroy(preload), CUBINET_OK);
        cubinet_archive_close(archive);
        machine_stop(driver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_parts_are_ready),
        cmocka_unit_test(test_threads_load_the_parts_of_one_module),
        cmocka_unit_test(test_progress_is_by_module),
        cmocka_unit_test(test_cancelling_begins_no_more_parts),
        cmocka_unit_test(test_a_refused_part_moves_the_module_on),
        cmocka_unit_test(test_a_part_that_is_refused_once_is_asked_for_again),
        cmocka_unit_test(test_a_part_that_fails_fails_its_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
