/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/error.h"

#include "loader/core/support/text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One block of memory, so that free() is all that a thread that ends has to call. */
struct cbn_message {
    int driver_result;
    char text[]; /* with room for `no_memory` at least */
};

static pthread_key_t message_key;
static pthread_once_t message_once = PTHREAD_ONCE_INIT;
static atomic_bool has_message_key;
/* Takes the place of a message that memory runs out for. */
static const char no_memory[] = "out of memory";

/* The C library's free(), and no function from here: a plugin that has this file inside may be closed while
 * threads that called it go on; such a thread would call a function that is no longer mapped. */
static void message_key_create(void)
{
    atomic_store(&has_message_key, pthread_key_create(&message_key, free) == 0);
}

/* When it is closed, and when the process ends. After the destructors of a plugin's own objects, which may
 * still call the library: 101 is the last to run of those that are free to use. */
__attribute__((destructor(101))) static void message_key_delete(void)
{
    if (atomic_exchange(&has_message_key, false)) {
        free(pthread_getspecific(message_key));
        pthread_key_delete(message_key);
    }
}

static bool find_message_key(void)
{
    pthread_once(&message_once, message_key_create);
    return atomic_load(&has_message_key);
}

static struct cbn_message *thread_message(void)
{
    return find_message_key() ? pthread_getspecific(message_key) : NULL;
}

/* The thread's message, made or moved to have that much room; NULL if that fails. Then one that was there
 * stays as it was. */
static struct cbn_message *make_room(size_t room)
{
    struct cbn_message *old = thread_message();
    bool is_new = !old;
    struct cbn_message *message = find_message_key() ? realloc(old, sizeof(*message) + room) : NULL;
    if (message && pthread_setspecific(message_key, message)) {
        free(message);
        message = NULL;
    }
    if (message && is_new) {
        message->driver_result = 0;
        message->text[0] = '\0';
    }
    return message;
}

static void set_message(const char *text, int driver_result)
{
    size_t size = strlen(text) + 1;
    struct cbn_message *message = make_room(size > sizeof(no_memory) ? size : sizeof(no_memory));
    if (message) {
        memcpy(message->text, text, size);
        message->driver_result = driver_result;
    } else {
        cbn_error_memory();
    }
}

static void format_message(int driver_result, const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0) {
        text = NULL;
    } else {
        text = cbn_text_shown(text, CBN_TEXT_LINE | CBN_TEXT_TAB);
    }
    set_message(text ? text : no_memory, driver_result);
    free(text);
}

cubinet_status cbn_verror(cubinet_status status, const char *format, va_list args)
{
    format_message(0, format, args);
    return status;
}

cubinet_status cbn_error(cubinet_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cbn_verror(status, format, args);
    va_end(args);
    return status;
}

cubinet_status cbn_error_context(cubinet_status status, const char *format, ...)
{
    char *prefix = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&prefix, format, args);
    va_end(args);
    if (length >= 0) {
        int result = cubinet_error_driver_result();
        cbn_error_driver(status, result, "%s: %s", prefix, cubinet_error_message());
        free(prefix);
    }
    return status;
}

cubinet_status cbn_error_driver(cubinet_status status, int result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    format_message(result, format, args);
    va_end(args);
    return status;
}

cubinet_status cbn_error_memory(void)
{
    struct cbn_message *message = thread_message();
    if (!message) {
        message = make_room(sizeof(no_memory));
    }
    if (message) {
        memcpy(message->text, no_memory, sizeof(no_memory));
        message->driver_result = 0;
    }
    return CUBINET_ERROR_OUT_OF_MEMORY;
}

struct cbn_kept_error cbn_error_keep(void)
{
    struct cbn_kept_error kept = {.message = thread_message()};
    if (kept.message) {
        pthread_setspecific(message_key, NULL);
    }
    return kept;
}

void cbn_error_put_back(struct cbn_kept_error *kept)
{
    struct cbn_message *now = thread_message();
    if (now != kept->message && !pthread_setspecific(message_key, kept->message)) {
        kept->message = now;
    }
    cbn_error_drop(kept);
}

void cbn_error_drop(struct cbn_kept_error *kept)
{
    free(kept->message);
    kept->message = NULL;
}

cubinet_status cbn_error_settle(struct cbn_kept_error *kept, cubinet_status status)
{
    if (status) {
        cbn_error_drop(kept);
    } else {
        cbn_error_put_back(kept);
    }
    return status;
}

static const char *text_of(const struct cbn_message *message)
{
    return message ? message->text : "";
}

static int driver_result_of(const struct cbn_message *message)
{
    return message ? message->driver_result : 0;
}

const char *cbn_kept_text(const struct cbn_kept_error *kept)
{
    return text_of(kept->message);
}

int cbn_kept_driver_result(const struct cbn_kept_error *kept)
{
    return driver_result_of(kept->message);
}

const char *cubinet_error_message(void)
{
    return text_of(thread_message());
}

int cubinet_error_driver_result(void)
{
    return driver_result_of(thread_message());
}
