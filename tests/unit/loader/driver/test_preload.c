/* SPDX-License-Identifier: Apache-2.0 */
/* Preloading on the simulated driver: what is done, in which order, in which context, and what is left when
 * it is cancelled or fails. */
#include "allocations.h"
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <cubinet/preload.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MANY = 24, MEETING = 4 };

/* Threads of this program, and so of the library in it, start here (see CMakeLists.txt). */
#define WRAPPER __attribute__((visibility("default")))
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *user);
WRAPPER int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                                  void *user);

static int threads_left = -1; /* that may still be started; -1: any number */
static int threads_started;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *user)
{
    if (threads_left == 0) {
        return EAGAIN;
    }
    threads_left -= threads_left > 0;
    threads_started++;
    return __real_pthread_create(thread, how, run, user);
}

static void expect_message(const char *part)
{
    if (!strstr(cubinet_error_message(), part)) {
        print_error("'%s' is not in: %s\n", part, cubinet_error_message());
        fail();
    }
}

/* What a progress function was told, and what it answers. */
struct heard {
    pthread_t thread;
    size_t calls;
    size_t cancel_at; /* 0: never */
    size_t total;
    char names[1024]; /* a space after each */
};

static int hear(void *user, const cubinet_preload_result *result, size_t done, size_t total)
{
    struct heard *heard = user;
    size_t used = strlen(heard->names);
    assert_true(pthread_equal(heard->thread, pthread_self()));
    assert_int_equal(result->size, sizeof(*result));
    assert_int_equal(done, ++heard->calls);
    assert_int_equal(strlen(result->message) > 0, result->status != CUBINET_OK);
    assert_true(result->milliseconds >= 0);
    assert_null(result->module);
    heard->total = total;
    snprintf(heard->names + used, sizeof(heard->names) - used, "%s ", result->name);
    return done == heard->cancel_at;
}

static struct heard listener(size_t cancel_at)
{
    return (struct heard){.thread = pthread_self(), .cancel_at = cancel_at};
}

static cubinet_preload_options with(struct heard *heard, uint32_t threads)
{
    return (cubinet_preload_options){
        .size = sizeof(cubinet_preload_options),
        .threads = threads,
        .progress = heard ? hear : NULL,
        .progress_user = heard,
    };
}

static cubinet_preload_result result_of(const cubinet_preload *preloaded, size_t index)
{
    cubinet_preload_result result = {.size = sizeof(result)};
    assert_int_equal(cubinet_preload_get_result(preloaded, index, &result), CUBINET_OK);
    return result;
}

/* "compiled" is PTX alone, "linked" LTO-IR first where there is an nvJitLink, "refused" for another device.
 */
static const struct machine_module mixed[] = {
    {.name = "compiled", .images = "compute_80"},
    {.name = "finished", .images = "sm_90 compute_80"},
    {.name = "linked", .images = "lto_80 compute_80"},
    {.name = "refused", .images = "sm_80"},
};
enum { GOOD = 3, MIXED = COUNT(mixed) };

static cubinet_archive *many_archive(void)
{
    struct machine_module modules[MANY];
    char names[MANY][16];
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "module%02zu", i);
        modules[i] = (struct machine_module){.name = names[i], .images = i % 2 ? "sm_90" : "compute_80"};
    }
    return machine_modules(modules, MANY);
}

static void test_all_modules_of_an_archive_are_loaded(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_modules(mixed, GOOD);
    const cubinet_preload_item item = {.archive = archive};
    cubinet_preload *preloaded = NULL;
    assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, NULL, &preloaded), CUBINET_OK);
    cubinet_archive_close(archive);
    assert_int_equal(cubinet_preload_get_result_count(preloaded), GOOD);
    for (size_t i = 0; i < GOOD; i++) {
        const cubinet_preload_result result = result_of(preloaded, i);
        assert_string_equal(result.name, mixed[i].name); /* which are sorted, as archives are */
        assert_int_equal(result.status, CUBINET_OK);
        assert_string_equal(result.message, "");
        assert_ptr_equal(result.archive, archive);
        machine_kernel(result.module, "scale<float>");
    }
    assert_int_equal(simdriver_live_libraries(), GOOD);
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    machine_stop(driver);
}

static void test_modules_without_kernels_are_left_out(void **state)
{
    (void)state;
    static const struct machine_module modules[] = {
        {.name = "before", .images = "lto_80", .is_fragment = true},
        {.name = "between", .images = "sm_90"},
        {.name = "behind", .images = "lto_80", .is_fragment = true},
    };
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_modules(modules, COUNT(modules));
    const cubinet_preload_item item = {.archive = archive};
    cubinet_preload *preloaded = NULL;
    assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, NULL, &preloaded), CUBINET_OK);
    assert_int_equal(cubinet_preload_get_result_count(preloaded), 1);
    assert_string_equal(result_of(preloaded, 0).name, "between");
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_what_takes_longest_is_begun_first(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_modules(mixed, GOOD);
    const cubinet_preload_item items[] = {
        {.archive = archive, .name = "finished"},
        {.archive = archive, .name = "compiled"},
        {.archive = archive, .name = "linked"},
        {.archive = archive, .name = "compiled"},
    };
    struct heard heard = listener(0);
    const cubinet_preload_options options = with(&heard, 1);
    cubinet_preload *preloaded = NULL;
    threads_started = 0;
    assert_int_equal(cubinet_preload_run(driver, 0, items, COUNT(items), &options, &preloaded), CUBINET_OK);
    assert_string_equal(heard.names, "linked compiled compiled finished ");
    assert_int_equal(heard.total, COUNT(items));
    assert_int_equal(threads_started, 0);
    assert_string_equal(result_of(preloaded, 0).name, "finished");
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* Threads that a log function holds until all are there. */
struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    int there;
    bool failed;
};

static void meet(void *user, cubinet_log_level level, const char *line)
{
    struct meeting *meeting = user;
    struct timespec end;
    (void)level;
    if (!strstr(line, ": loaded ")) {
        return;
    }
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 1000;
    pthread_mutex_lock(&meeting->mutex);
    meeting->there++;
    pthread_cond_broadcast(&meeting->arrived);
    while (meeting->there < MEETING && !meeting->failed) {
        meeting->failed = pthread_cond_timedwait(&meeting->arrived, &meeting->mutex, &end) == ETIMEDOUT;
    }
    pthread_mutex_unlock(&meeting->mutex);
}

static void test_threads_work_at_the_same_time(void **state)
{
    (void)state;
    struct meeting meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false};
    cubinet_driver *driver = machine_start("9.0", meet, &meeting);
    cubinet_archive *archive = many_archive();
    const cubinet_preload_item item = {.archive = archive};
    struct heard heard = listener(0);
    const cubinet_preload_options options = with(&heard, MEETING);
    cubinet_preload *preloaded = NULL;
    threads_started = 0;
    assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded), CUBINET_OK);
    assert_false(meeting.failed);
    assert_int_equal(threads_started, MEETING);
    assert_int_equal(heard.calls, MANY);
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_one_thread_does_what_many_do(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = many_archive();
    const cubinet_preload_item item = {.archive = archive};
    cubinet_preload *preloaded[3] = {NULL};
    for (size_t i = 0; i < COUNT(preloaded); i++) {
        const cubinet_preload_options options = with(NULL, i == 0 ? 1 : i == 1 ? 8 : 0);
        assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded[i]), CUBINET_OK);
        assert_int_equal(cubinet_preload_get_result_count(preloaded[i]), MANY);
    }
    for (size_t i = 0; i < MANY; i++) {
        char first[CUBINET_TARGET_NAME_SIZE];
        char other[CUBINET_TARGET_NAME_SIZE];
        machine_loaded(result_of(preloaded[0], i).module, first);
        assert_string_equal(first, i % 2 ? "sm_90" : "compute_80");
        for (size_t j = 1; j < COUNT(preloaded); j++) {
            assert_string_equal(result_of(preloaded[j], i).name, result_of(preloaded[0], i).name);
            assert_string_equal(machine_loaded(result_of(preloaded[j], i).module, other), first);
        }
    }
    for (size_t i = 0; i < COUNT(preloaded); i++) {
        assert_int_equal(cubinet_preload_destroy(preloaded[i]), CUBINET_OK);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_all_is_done_where_threads_cannot_be_started(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = many_archive();
    const cubinet_preload_item item = {.archive = archive};
    for (int allowed = 0; allowed < 3; allowed++) {
        struct heard heard = listener(0);
        const cubinet_preload_options options = with(&heard, 4);
        cubinet_preload *preloaded = NULL;
        threads_left = allowed;
        assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded), CUBINET_OK);
        threads_left = -1;
        assert_int_equal(heard.calls, MANY);
        assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_the_program_cancels(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 4};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = many_archive();
    const cubinet_preload_item item = {.archive = archive};
    for (size_t i = 0; i < COUNT(threads); i++) {
        struct heard heard = listener(2);
        cubinet_preload_options options = with(&heard, threads[i]);
        cubinet_preload *preloaded = NULL;
        options.flags |= CUBINET_PRELOAD_KEEP_GOING;
        unsigned int before = simdriver_calls("cuLibraryLoadData");
        assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded),
                         CUBINET_ERROR_CANCELLED);
        expect_message("cancelled when 2 of 24 were done");
        assert_null(preloaded);
        assert_int_equal(heard.calls, 2); /* and never after it cancelled */
        machine_expect_clean(NULL);
        if (threads[i] == 1) {
            assert_int_equal(simdriver_calls("cuLibraryLoadData") - before, 2);
        }
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_a_failure_stops_it(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_modules(mixed, MIXED);
    const cubinet_preload_item items[] = {
        {.archive = archive, .name = "linked"},
        {.archive = archive, .name = "nowhere"},
        {.archive = archive, .name = "refused"},
    };
    cubinet_preload_options options = with(NULL, 1);
    cubinet_preload *preloaded = NULL;
    assert_int_equal(cubinet_preload_run(driver, 0, &items[0], 2, &options, &preloaded),
                     CUBINET_ERROR_NOT_FOUND);
    expect_message("'nowhere' of 2 is not ready: ");
    expect_message("has no module 'nowhere'");
    assert_int_equal(cubinet_preload_run(driver, 0, &items[2], 1, &options, &preloaded),
                     CUBINET_ERROR_NO_IMAGE);
    expect_message("'refused' of 1 is not ready: no image of module 'refused' runs on device 0");
    assert_null(preloaded);
    machine_expect_clean(NULL);

    /* Both are begun before either fails, or one after the other has. */
    options.threads = 2;
    cubinet_status status = cubinet_preload_run(driver, 0, &items[1], 2, &options, &preloaded);
    assert_true(status == CUBINET_ERROR_NOT_FOUND || status == CUBINET_ERROR_NO_IMAGE);
    expect_message("not ready: ");
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_nothing_is_begun_after_a_failure(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = many_archive();
    const cubinet_preload_item item = {.archive = archive};
    struct heard heard = listener(0);
    const cubinet_preload_options options = with(&heard, 1);
    cubinet_preload *preloaded = NULL;
    simdriver_fail("cuLibraryLoadData", 3, CBN_CU_OUT_OF_MEMORY, false);
    assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded),
                     CUBINET_ERROR_DEVICE_MEMORY);
    assert_int_equal(cubinet_error_driver_result(), CBN_CU_OUT_OF_MEMORY);
    assert_int_equal(simdriver_calls("cuLibraryLoadData"), 3);
    assert_int_equal(heard.calls, 3);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void expect_failed_result(cubinet_preload *preloaded, size_t index)
{
    cubinet_module *module = NULL;
    const cubinet_preload_result failed = result_of(preloaded, index);
    assert_int_equal(failed.status, CUBINET_ERROR_NO_IMAGE);
    assert_non_null(strstr(failed.message, "no image of module 'refused' runs on device 0"));
    assert_null(failed.module);
    assert_int_equal(cubinet_preload_take_module(preloaded, index, &module), CUBINET_ERROR_NOT_FOUND);
    expect_message("'refused' has no module: no image of module 'refused' runs");
}

static void test_the_others_are_loaded_where_it_keeps_going(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 4};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_modules(mixed, MIXED);
    const cubinet_preload_item item = {.archive = archive};
    for (size_t i = 0; i < COUNT(threads); i++) {
        struct heard heard = listener(0);
        cubinet_preload_options options = with(&heard, threads[i]);
        cubinet_preload *preloaded = NULL;
        cubinet_kernel_info nothing = {.size = sizeof(nothing)};
        options.flags |= CUBINET_PRELOAD_KEEP_GOING;
        assert_int_equal(cubinet_kernel_get_info(NULL, &nothing), CUBINET_ERROR_INVALID_ARGUMENT);
        char *before = strdup(cubinet_error_message());
        assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded), CUBINET_OK);
        assert_string_equal(cubinet_error_message(), before); /* calls that succeed leave it alone */
        free(before);
        assert_int_equal(heard.calls, MIXED);
        for (size_t j = 0; j < GOOD; j++) {
            machine_kernel(result_of(preloaded, j).module, "scale<float>");
        }
        expect_failed_result(preloaded, GOOD);
        assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_modules_are_found_and_taken(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_modules(mixed, GOOD);
    const cubinet_preload_item item = {.archive = archive};
    cubinet_preload *preloaded = NULL;
    cubinet_module *module = NULL;
    cubinet_module *again = NULL;
    size_t index = MANY;
    assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, NULL, &preloaded), CUBINET_OK);
    assert_int_equal(cubinet_preload_find_result(preloaded, "finish", &index), CUBINET_ERROR_NOT_FOUND);
    expect_message("nothing called 'finish' was preloaded; the nearest is 'finished'");
    assert_int_equal(cubinet_preload_find_result(preloaded, "finished", &index), CUBINET_OK);
    assert_int_equal(index, 1);
    assert_int_equal(cubinet_preload_take_module(preloaded, index, &module), CUBINET_OK);
    assert_int_equal(cubinet_preload_take_module(preloaded, index, &again), CUBINET_ERROR_NOT_FOUND);
    expect_message("'finished' has no module: it was not kept, or taken out before");
    assert_null(result_of(preloaded, index).module);
    assert_int_equal(cubinet_preload_take_module(preloaded, GOOD, &again), CUBINET_ERROR_NOT_FOUND);
    expect_message("there is no result 3: there are 3, numbered from 0");
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    assert_int_equal(simdriver_live_libraries(), 1);
    machine_kernel(module, "scale<float>");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_modules_are_not_kept_on_request(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_modules(mixed, GOOD);
    const cubinet_preload_item item = {.archive = archive};
    cubinet_preload_options options = with(NULL, 2);
    cubinet_preload *preloaded = NULL;
    options.flags |= CUBINET_PRELOAD_NO_MODULES;
    assert_int_equal(cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded), CUBINET_OK);
    machine_expect_clean(NULL);
    assert_int_equal(simdriver_calls("cuLibraryLoadData"), GOOD);
    for (size_t i = 0; i < GOOD; i++) {
        assert_int_equal(result_of(preloaded, i).status, CUBINET_OK);
        assert_null(result_of(preloaded, i).module);
    }
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_modules_live_where_the_calling_thread_is(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    cubinet_archive *archive = many_archive();
    const cubinet_preload_item item = {.archive = archive};
    const cubinet_preload_options options = with(NULL, 4);
    CUcontext context = simdriver_create_context(0);
    CUcontext popped = NULL;
    cubinet_preload *preloaded[2] = {NULL};
    assert_int_equal(cuCtxPushCurrent_v2(context), 0);
    for (int device = 0; device < 2; device++) {
        assert_int_equal(cubinet_preload_run(driver, device, &item, 1, &options, &preloaded[device]),
                         CUBINET_OK);
        machine_expect_current(context);
    }
    for (size_t i = 0; i < MANY; i++) {
        assert_ptr_equal(cubinet_module_get_context(result_of(preloaded[0], i).module), context);
        assert_ptr_not_equal(cubinet_module_get_context(result_of(preloaded[1], i).module), context);
    }
    assert_int_equal(simdriver_retained_contexts(), MANY); /* each module for itself */
    assert_int_equal(cubinet_preload_destroy(preloaded[0]), CUBINET_OK);
    assert_int_equal(cubinet_preload_destroy(preloaded[1]), CUBINET_OK);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    simdriver_destroy_context(context);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void expect_invalid(cubinet_driver *driver, const cubinet_preload_item *items, size_t count,
                           const char *message)
{
    cubinet_preload *preloaded = NULL;
    assert_int_equal(cubinet_preload_run(driver, 0, items, count, NULL, &preloaded),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message(message);
    assert_null(preloaded);
}

static void test_wrong_arguments_are_told(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_modules(mixed, GOOD);
    cubinet_link *links[2] = {NULL};
    cubinet_preload *preloaded = NULL;
    for (int device = 0; device < 2; device++) {
        assert_int_equal(cubinet_link_create(driver, device, NULL, &links[device]), CUBINET_OK);
    }
    const cubinet_preload_item neither = {.name = "demo"};
    const cubinet_preload_item both = {.archive = archive, .link = links[0]};
    const cubinet_preload_item elsewhere = {.link = links[1]};
    const cubinet_preload_item twice[] = {{.link = links[0]}, {.archive = archive}, {.link = links[0]}};
    expect_invalid(NULL, &neither, 1, "driver is NULL");
    expect_invalid(driver, NULL, 1, "items is NULL");
    expect_invalid(driver, &neither, 1, "item 0 needs an archive or a link, and has neither");
    expect_invalid(driver, &both, 1, "item 0 needs an archive or a link, and has both");
    expect_invalid(driver, &elsewhere, 1, "is a link for device 1 of this driver, and this is for device 0");
    expect_invalid(driver, twice, 3, "items 0 and 2 are the same link");
    assert_int_equal(cubinet_preload_run(driver, 2, &neither, 1, NULL, &preloaded), CUBINET_ERROR_NO_DEVICE);
    assert_int_equal(cubinet_preload_run(driver, 0, NULL, 0, NULL, &preloaded), CUBINET_OK);
    assert_int_equal(cubinet_preload_get_result_count(preloaded), 0);
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    assert_int_equal(cubinet_preload_destroy(NULL), CUBINET_OK);
    cubinet_link_destroy(links[0]);
    cubinet_link_destroy(links[1]);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_a_link_that_fails_is_named(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_link *links[2] = {NULL};
    for (size_t i = 0; i < COUNT(links); i++) {
        assert_int_equal(cubinet_link_create(driver, 0, NULL, &links[i]), CUBINET_OK);
    }
    const cubinet_preload_item items[] = {{.link = links[0], .name = "bias"}, {.link = links[1]}};
    cubinet_preload_options options = with(NULL, 2);
    cubinet_preload *preloaded = NULL;
    options.flags |= CUBINET_PRELOAD_KEEP_GOING;
    assert_int_equal(cubinet_preload_run(driver, 0, items, COUNT(items), &options, &preloaded), CUBINET_OK);
    assert_string_equal(result_of(preloaded, 0).name, "bias");
    assert_string_equal(result_of(preloaded, 1).name, "link 2");
    assert_ptr_equal(result_of(preloaded, 1).link, links[1]);
    assert_int_not_equal(result_of(preloaded, 1).status, CUBINET_OK); /* without pieces */
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    options.flags = 0;
    options.threads = 1;
    assert_int_not_equal(cubinet_preload_run(driver, 0, items, COUNT(items), &options, &preloaded),
                         CUBINET_OK);
    expect_message("'bias' of 2 is not ready: ");
    cubinet_link_destroy(links[0]);
    cubinet_link_destroy(links[1]);
    machine_stop(driver);
}

/* All driver calls of a preload, one after another. */
static void test_every_driver_call_fails_in_turn(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_modules(mixed, GOOD);
    const cubinet_preload_item item = {.archive = archive};
    const cubinet_preload_options options = with(NULL, 1);
    for (unsigned int call = 1;; call++) {
        cubinet_preload *preloaded = NULL;
        unsigned int before = simdriver_calls(NULL);
        simdriver_fail_none();
        simdriver_fail(NULL, call, CBN_CU_OUT_OF_MEMORY, false);
        cubinet_status status = cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded);
        unsigned int calls = simdriver_calls(NULL) - before;
        simdriver_fail_none();
        if (calls < call) {
            assert_int_equal(status, CUBINET_OK);
            assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
            assert_true(calls > 10);
            break;
        }
        if (status) {
            assert_int_equal(status, CUBINET_ERROR_DEVICE_MEMORY);
            assert_null(preloaded);
            machine_expect_clean(NULL);
        } else { /* of the contexts, which are let go of in the end */
            assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
        }
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* Those whose failure costs no more than the best order, or a message, may fail unnoticed. */
static void test_every_allocation_fails_in_turn(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_modules(mixed, GOOD);
    const cubinet_preload_item item = {.archive = archive};
    const cubinet_preload_options options = with(NULL, 1);
    unsigned int failures = 0;
    for (unsigned int number = 1;; number++) {
        cubinet_preload *preloaded = NULL;
        allocations_watch(number);
        cubinet_status status = cubinet_preload_run(driver, 0, &item, 1, &options, &preloaded);
        bool is_over = allocations_stop() < number;
        assert_true(status == CUBINET_OK || status == CUBINET_ERROR_OUT_OF_MEMORY);
        assert_int_equal(preloaded != NULL, status == CUBINET_OK);
        failures += status != CUBINET_OK;
        assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
        machine_expect_clean(NULL);
        if (is_over) {
            assert_int_equal(status, CUBINET_OK);
            break;
        }
    }
    assert_true(failures > 10);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_modules_of_an_archive_are_loaded),
        cmocka_unit_test(test_modules_without_kernels_are_left_out),
        cmocka_unit_test(test_what_takes_longest_is_begun_first),
        cmocka_unit_test(test_threads_work_at_the_same_time),
        cmocka_unit_test(test_one_thread_does_what_many_do),
        cmocka_unit_test(test_all_is_done_where_threads_cannot_be_started),
        cmocka_unit_test(test_the_program_cancels),
        cmocka_unit_test(test_a_failure_stops_it),
        cmocka_unit_test(test_nothing_is_begun_after_a_failure),
        cmocka_unit_test(test_the_others_are_loaded_where_it_keeps_going),
        cmocka_unit_test(test_modules_are_found_and_taken),
        cmocka_unit_test(test_modules_are_not_kept_on_request),
        cmocka_unit_test(test_modules_live_where_the_calling_thread_is),
        cmocka_unit_test(test_wrong_arguments_are_told),
        cmocka_unit_test(test_a_link_that_fails_is_named),
        cmocka_unit_test(test_every_driver_call_fails_in_turn),
        cmocka_unit_test(test_every_allocation_fails_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
