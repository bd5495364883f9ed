/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses, and the messages that go with them. */
#include "allocations.h"
#include "loader/core/support/error.h"
#include "unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void names_every_status(void **state)
{
    (void)state;
    static const struct {
        int number;
        const char *name;
        cubinet_outcome outcome;
    } statuses[] = {
        {0, "CUBINET_OK", CUBINET_OUTCOME_OK},
        {1, "CUBINET_ERROR_INVALID_ARGUMENT", CUBINET_OUTCOME_FAILED},
        {2, "CUBINET_ERROR_NOT_FOUND", CUBINET_OUTCOME_FAILED},
        {3, "CUBINET_ERROR_LAUNCH_ARGUMENTS", CUBINET_OUTCOME_FAILED},
        {4, "CUBINET_ERROR_LIMIT", CUBINET_OUTCOME_FAILED},
        {5, "CUBINET_ERROR_CANCELLED", CUBINET_OUTCOME_RETRY},
        {20, "CUBINET_ERROR_OUT_OF_MEMORY", CUBINET_OUTCOME_RETRY},
        {21, "CUBINET_ERROR_IO", CUBINET_OUTCOME_FAILED},
        {40, "CUBINET_ERROR_NOT_ARCHIVE", CUBINET_OUTCOME_FAILED},
        {41, "CUBINET_ERROR_DAMAGED", CUBINET_OUTCOME_FAILED},
        {42, "CUBINET_ERROR_NEWER_FORMAT", CUBINET_OUTCOME_FAILED},
        {43, "CUBINET_ERROR_NO_IMAGE", CUBINET_OUTCOME_FAILED},
        {44, "CUBINET_ERROR_NOT_TRUSTED", CUBINET_OUTCOME_FAILED},
        {45, "CUBINET_ERROR_OTHER_VERSION", CUBINET_OUTCOME_FAILED},
        {60, "CUBINET_ERROR_NO_DRIVER", CUBINET_OUTCOME_FAILED},
        {61, "CUBINET_ERROR_DRIVER_TOO_OLD", CUBINET_OUTCOME_FAILED},
        {62, "CUBINET_ERROR_NO_DEVICE", CUBINET_OUTCOME_FAILED},
        {63, "CUBINET_ERROR_DRIVER", CUBINET_OUTCOME_FAILED},
        {64, "CUBINET_ERROR_DEVICE_MEMORY", CUBINET_OUTCOME_RETRY},
        {65, "CUBINET_ERROR_CONTEXT_DEAD", CUBINET_OUTCOME_DEAD},
        {80, "CUBINET_ERROR_TOOLKIT", CUBINET_OUTCOME_FAILED},
        {81, "CUBINET_ERROR_COMPILE", CUBINET_OUTCOME_FAILED},
        {82, "CUBINET_ERROR_LINK", CUBINET_OUTCOME_FAILED},
    };
    size_t known = 0;
    for (int number = -1; number < 200; number++) {
        cubinet_status status = (cubinet_status)number;
        if (known < COUNT(statuses) && statuses[known].number == number) {
            assert_string_equal(cubinet_status_name(status), statuses[known].name);
            assert_int_equal(cubinet_status_outcome(status), statuses[known].outcome);
            known++;
        } else {
            assert_string_equal(cubinet_status_name(status), "unknown status");
            assert_int_equal(cubinet_status_outcome(status), CUBINET_OUTCOME_FAILED);
        }
    }
    assert_int_equal(known, COUNT(statuses));
}

/* The program may still hold it. */
static void a_message_set_aside_stays_where_it_is(void **state)
{
    (void)state;
    cbn_error_driver(CUBINET_ERROR_DRIVER, 700, "the first");
    const char *first = cubinet_error_message();
    struct cbn_kept_error kept = cbn_error_keep();
    assert_string_equal(cubinet_error_message(), "");
    assert_int_equal(cubinet_error_driver_result(), 0);
    assert_string_equal(cbn_kept_text(&kept), "the first");
    assert_int_equal(cbn_kept_driver_result(&kept), 700);
    for (int i = 0; i < 100; i++) {
        cbn_error_context(CUBINET_ERROR_IO, "another, and longer than the first");
    }
    assert_int_equal(cbn_error_settle(&kept, CUBINET_OK), CUBINET_OK);
    assert_ptr_equal(cubinet_error_message(), first);
    assert_string_equal(first, "the first");
    assert_int_equal(cubinet_error_driver_result(), 700);
    assert_string_equal(cbn_kept_text(&kept), "");
}

static void a_failure_takes_the_place_of_what_was_set_aside(void **state)
{
    (void)state;
    cbn_error(CUBINET_ERROR_IO, "the first");
    struct cbn_kept_error kept = cbn_error_keep();
    cubinet_status status = cbn_error_settle(&kept, cbn_error(CUBINET_ERROR_LIMIT, "the second"));
    assert_int_equal(status, CUBINET_ERROR_LIMIT);
    assert_string_equal(cubinet_error_message(), "the second");
    kept = cbn_error_keep();
    cbn_error_put_back(&kept);
    cbn_error_put_back(&kept); /* nothing is left in it: the message is none */
    assert_string_equal(cubinet_error_message(), "");
}

/* Programs print messages, and what is in them comes from anybody. */
static void escapes_what_cannot_be_shown(void **state)
{
    (void)state;
    cbn_error(CUBINET_ERROR_IO, "%s|%s|%s|%s", "\x1b[2J\r\x7f", "\xff\xc3", "\xe2\x80\xae\xc2\x9b",
              "\xc3\xa9\n\t\\");
    assert_string_equal(cubinet_error_message(),
                        "\\u001b[2J\\u000d\\u007f|\\xff\\xc3|\\u202e\\u009b|\xc3\xa9\n\t\\");
    cbn_error_context(CUBINET_ERROR_IO, "%s", "\a");
    assert_memory_equal(cubinet_error_message(), "\\u0007: \\u001b[2J", 16);
}

static void keeps_the_last_message(void **state)
{
    (void)state;
    assert_int_equal(cbn_error(CUBINET_ERROR_IO, "%s cannot be read: %d", "a file", 5), CUBINET_ERROR_IO);
    assert_string_equal(cubinet_error_message(), "a file cannot be read: 5");
    assert_int_equal(cubinet_error_driver_result(), 0);
    /* Its own text may be an argument of the next. */
    cbn_error(CUBINET_ERROR_IO, "%s, %s", cubinet_error_message(), "again");
    assert_string_equal(cubinet_error_message(), "a file cannot be read: 5, again");
}

static void adds_context(void **state)
{
    (void)state;
    cbn_error_driver(CUBINET_ERROR_DRIVER, 209, "CUDA_ERROR_NO_BINARY_FOR_GPU (%d)", 209);
    assert_int_equal(cubinet_error_driver_result(), 209);
    assert_int_equal(cbn_error_context(CUBINET_ERROR_NO_IMAGE, "module '%s'", "m"), CUBINET_ERROR_NO_IMAGE);
    assert_string_equal(cubinet_error_message(), "module 'm': CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
    assert_int_equal(cubinet_error_driver_result(), 209);
    cbn_error(CUBINET_ERROR_IO, "something else");
    assert_int_equal(cubinet_error_driver_result(), 0);
}

/* The first message of a thread needs memory of its own. */
static void *fail_first(void *data)
{
    char *messages = data;
    allocations_watch(1);
    cbn_error_driver(CUBINET_ERROR_DRIVER, 2, "a long story");
    allocations_stop();
    snprintf(messages, 64, "%s, %d, ", cubinet_error_message(), cubinet_error_driver_result());
    cbn_error_driver(CUBINET_ERROR_DRIVER, 2, "another");
    size_t size = strlen(messages);
    snprintf(messages + size, 64 - size, "%s, %d", cubinet_error_message(), cubinet_error_driver_result());
    return NULL;
}

static void has_a_message_where_there_was_no_memory_for_the_first(void **state)
{
    (void)state;
    pthread_t thread;
    char messages[64];
    assert_int_equal(pthread_create(&thread, NULL, fail_first, messages), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(messages, "out of memory, 0, another, 2");
}

static void has_a_message_without_memory(void **state)
{
    (void)state;
    cbn_error_driver(CUBINET_ERROR_DRIVER, 2, "a long story");
    assert_int_equal(cbn_error_memory(), CUBINET_ERROR_OUT_OF_MEMORY);
    assert_string_equal(cubinet_error_message(), "out of memory");
    assert_int_equal(cubinet_error_driver_result(), 0);
}

enum { THREADS = 8, ROUNDS = 200 };

struct talker {
    pthread_t thread;
    int number;
    int failures;
};

static void *talk(void *data)
{
    struct talker *talker = data;
    talker->failures += strcmp(cubinet_error_message(), "") != 0;
    for (int i = 0; i < ROUNDS; i++) {
        cbn_error_driver(CUBINET_ERROR_DRIVER, talker->number, "thread %d, round %d", talker->number, i);
        int number = -1, round = -1;
        int read = sscanf(cubinet_error_message(), "thread %d, round %d", &number, &round);
        talker->failures += read != 2 || number != talker->number || round != i;
        talker->failures += cubinet_error_driver_result() != talker->number;
    }
    return NULL;
}

static void keeps_threads_apart(void **state)
{
    (void)state;
    cbn_error(CUBINET_ERROR_IO, "of the first thread");
    struct talker talkers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        talkers[i] = (struct talker){.number = i};
        assert_int_equal(pthread_create(&talkers[i].thread, NULL, talk, &talkers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(talkers[i].thread, NULL);
        assert_int_equal(talkers[i].failures, 0);
    }
    assert_string_equal(cubinet_error_message(), "of the first thread");
}

int main(void)
{
    /* First: a thread without a failure has no message. */
    if (strcmp(cubinet_error_message(), "") != 0) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_every_status),
        cmocka_unit_test(a_message_set_aside_stays_where_it_is),
        cmocka_unit_test(a_failure_takes_the_place_of_what_was_set_aside),
        cmocka_unit_test(escapes_what_cannot_be_shown),
        cmocka_unit_test(keeps_the_last_message),
        cmocka_unit_test(adds_context),
        cmocka_unit_test(has_a_message_where_there_was_no_memory_for_the_first),
        cmocka_unit_test(has_a_message_without_memory),
        cmocka_unit_test(keeps_threads_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
