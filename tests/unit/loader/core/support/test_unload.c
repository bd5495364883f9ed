/* SPDX-License-Identifier: Apache-2.0 */
/* The shared library as plugins have it, and a plugin that has the static one inside: opened and closed again
 * and again, while threads that used it go on. */
#include "unit.h"

#include <cubinet/archive.h>
#include <cubinet/status.h>

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>

/* More than a process has keys for its threads' memory (PTHREAD_KEYS_MAX), and every so many with a thread.
 */
enum { CYCLES = 1100, CYCLES_PER_THREAD = 50 };

/* What is opened and closed. */
struct kind {
    const char *path;
    const char *(*make_message)(void); /* leaves a message in this thread, and returns it */
    bool stays;
};

static const struct kind *kind;
static void *library;
static sem_t has_used;
static sem_t is_closed;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    assert_non_null(found);
    return found;
}

static const char *fail_in_library(void)
{
    cubinet_status (*open_archive)(const char *, const cubinet_archive_options *, cubinet_archive **) = NULL;
    const char *(*error_message)(void) = NULL;
    *(void **)&open_archive = function("cubinet_archive_open");
    *(void **)&error_message = function("cubinet_error_message");
    cubinet_archive *archive = NULL;
    assert_int_equal(open_archive("/nonexistent/kernels.cubinet", NULL, &archive), CUBINET_ERROR_IO);
    return error_message();
}

static const char *fail_in_plugin(void)
{
    const char *(*make_message)(void) = NULL;
    *(void **)&make_message = function("plugin_fail");
    return make_message();
}

static void use(void)
{
    assert_non_null(strstr(kind->make_message(), "/nonexistent/kernels.cubinet"));
}

/* Ends when the library has been closed. */
static void *use_and_stay(void *unused)
{
    use();
    sem_post(&has_used);
    sem_wait(&is_closed);
    return unused;
}

static void close_library(void)
{
    assert_int_equal(dlclose(library), 0);
    library = dlopen(kind->path, RTLD_NOW | RTLD_NOLOAD);
    assert_int_equal(library != NULL, kind->stays);
    if (library) {
        assert_int_equal(dlclose(library), 0);
    }
}

static void closes_while_a_thread_lives(void)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, use_and_stay, NULL), 0);
    sem_wait(&has_used);
    close_library();
    sem_post(&is_closed);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void is_opened_and_closed_any_number_of_times(const struct kind *tested)
{
    kind = tested;
    assert_int_equal(sem_init(&has_used, 0, 0), 0);
    assert_int_equal(sem_init(&is_closed, 0, 0), 0);
    for (int i = 0; i < CYCLES; i++) {
        library = dlopen(kind->path, RTLD_NOW);
        assert_non_null(library);
        use();
        if (i % CYCLES_PER_THREAD == 0) {
            closes_while_a_thread_lives();
        } else {
            close_library();
        }
    }
    pthread_key_t key;
    assert_int_equal(pthread_key_create(&key, NULL), 0);
    assert_int_equal(pthread_key_delete(key), 0);
}

static void the_shared_library_stays(void **state)
{
    (void)state;
    const struct kind shared = {LIBCUBINET_PATH, fail_in_library, .stays = true};
    is_opened_and_closed_any_number_of_times(&shared);
}

static void a_plugin_with_the_static_one_goes(void **state)
{
    (void)state;
    const struct kind plugin = {PLUGIN_PATH, fail_in_plugin, .stays = false};
    is_opened_and_closed_any_number_of_times(&plugin);
}

/* A thread that lives on when a plugin is closed keeps its last message. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shared_library_stays),
        cmocka_unit_test(a_plugin_with_the_static_one_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
