/* SPDX-License-Identifier: Apache-2.0 */
/* libsodium that is not there, lacks a function or does not start: nothing is trusted, and the next one who
 * asks tries again. */
#include "loader/core/archive/sodium_table.h"
#include "loader/core/archive/trust.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The library's way to it goes through here (see CMakeLists.txt). */
void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);

static bool is_missing;
static const char *lacking; /* the function that it lacks; NULL: none */
static bool is_stuck;
static void (*while_opening)(void); /* NULL: nothing happens meanwhile */
static int opened_times;

void *__wrap_dlopen(const char *name, int flags)
{
    void (*meanwhile)(void) = while_opening;
    while_opening = NULL;
    opened_times++;
    if (meanwhile) {
        meanwhile();
    }
    return __real_dlopen(is_missing ? "/nonexistent/libsodium.so" : name, flags);
}

static int do_not_start(void)
{
    return -1;
}

void *__wrap_dlsym(void *library, const char *name)
{
    if (lacking && strcmp(name, lacking) == 0) {
        return NULL;
    }
    return is_stuck && strcmp(name, "sodium_init") == 0 ? (void *)do_not_start : __real_dlsym(library, name);
}

/* Whoever needs it gets this error, and nothing else. */
static void expect_failure(const char *message)
{
    const struct cbn_sodium *sodium = NULL;
    const struct cbn_table none = {0};
    unsigned char root[64] = {0};
    unsigned char digest[CBN_SIGNED_DIGEST_SIZE] = {0};
    struct cbn_trust *trust = NULL;
    assert_int_equal(cbn_sodium_get(&sodium), CUBINET_ERROR_NOT_TRUSTED);
    assert_null(sodium);
    assert_non_null(strstr(cubinet_error_message(), message));
    assert_int_equal(cbn_trust_hash_root(root, sizeof(root), &none, digest), CUBINET_ERROR_NOT_TRUSTED);
    assert_int_equal(cbn_trust_create(NULL, 0, &trust), CUBINET_ERROR_NOT_TRUSTED);
    assert_null(trust);
}

static void trusts_nothing_without_it(void **state)
{
    (void)state;
    is_missing = true;
    expect_failure("libsodium, which checks signatures, cannot be opened");
    assert_non_null(strstr(cubinet_error_message(), "or open the archive without public keys; tried:"));
    is_missing = false;
}

static void wants_every_function(void **state)
{
    (void)state;
    static const char *const names[] = {
#define NAME(name, result, parameters) #name,
        CBN_SODIUM_FUNCTIONS(NAME)
#undef NAME
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        char message[100];
        snprintf(message, sizeof(message), "has no function %s", names[i]);
        lacking = names[i];
        expect_failure(message);
    }
    lacking = NULL;
}

static void wants_it_to_start(void **state)
{
    (void)state;
    is_stuck = true;
    expect_failure("does not start");
    is_stuck = false;
}

static pthread_t other;

static void *get_it_as_well(void *unused)
{
    const struct cbn_sodium *sodium = NULL;
    (void)unused;
    return cbn_sodium_get(&sodium) ? NULL : (void *)sodium;
}

static void start_other(void)
{
    assert_int_equal(pthread_create(&other, NULL, get_it_as_well, NULL), 0);
    usleep(20000); /* most likely it asks by then; if it does not, the test sees less */
}

static void opens_it_once_for_all_threads(void **state)
{
    (void)state;
    const struct cbn_sodium *sodium = NULL;
    void *theirs = NULL;
    opened_times = 0;
    while_opening = start_other;
    assert_int_equal(cbn_sodium_get(&sodium), CUBINET_OK);
    pthread_join(other, &theirs);
    assert_ptr_equal(theirs, sodium);
    assert_int_equal(opened_times, 1);
}

static void tries_again(void **state)
{
    (void)state;
    const struct cbn_sodium *sodium = NULL;
    const struct cbn_sodium *again = NULL;
    assert_int_equal(cbn_sodium_get(&sodium), CUBINET_OK);
    is_missing = true; /* it is open now, and stays */
    assert_int_equal(cbn_sodium_get(&again), CUBINET_OK);
    assert_ptr_equal(again, sodium);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trusts_nothing_without_it),
        cmocka_unit_test(wants_every_function),
        cmocka_unit_test(wants_it_to_start),
        cmocka_unit_test(opens_it_once_for_all_threads),
        cmocka_unit_test(tries_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
