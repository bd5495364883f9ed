/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/error.h"

#include "loader/core/support/text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What remains of a message when there is no memory for it. */
enum { SHORT_MESSAGE = 256 };

struct message {
    char *text; /* NULL, or heap memory: messages can list every image of a module */
    char shortened[SHORT_MESSAGE];
    int driver_result;
};

static pthread_key_t message_key;
static pthread_once_t message_once = PTHREAD_ONCE_INIT;
static int message_key_failed;
/* Where a thread without memory for its own message finds one. Never written. */
static const char no_memory[] = "out of memory";

static void message_free(void *data)
{
    struct message *message = data;
    free(message->text);
    free(message);
}

static void message_key_create(void)
{
    message_key_failed = pthread_key_create(&message_key, message_free);
}

static struct message *thread_message(int create)
{
    pthread_once(&message_once, message_key_create);
    if (message_key_failed) {
        return NULL;
    }
    struct message *message = pthread_getspecific(message_key);
    if (!message && create) {
        message = calloc(1, sizeof(*message));
        if (message && pthread_setspecific(message_key, message)) {
            free(message);
            message = NULL;
        }
    }
    return message;
}

static void set_text(struct message *message, const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0 || !(text = cbn_text_shown(text, CBN_TEXT_LINE | CBN_TEXT_TAB))) {
        text = NULL;
        snprintf(message->shortened, sizeof(message->shortened), "%s", no_memory);
    }
    free(message->text);
    message->text = text;
}

cubinet_status cbn_verror(cubinet_status status, const char *format, va_list args)
{
    struct message *message = thread_message(1);
    if (message) {
        set_text(message, format, args);
        message->driver_result = 0;
    }
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
    cbn_verror(status, format, args);
    va_end(args);
    struct message *message = thread_message(0);
    if (message) {
        message->driver_result = result;
    }
    return status;
}

cubinet_status cbn_error_memory(void)
{
    struct message *message = thread_message(1);
    if (message) {
        free(message->text);
        message->text = NULL;
        message->driver_result = 0;
        memcpy(message->shortened, no_memory, sizeof(no_memory));
    }
    return CUBINET_ERROR_OUT_OF_MEMORY;
}

struct cbn_kept_error cbn_error_keep(void)
{
    return (struct cbn_kept_error){
        .text = strdup(cubinet_error_message()),
        .driver_result = cubinet_error_driver_result(),
    };
}

void cbn_error_put_back(struct cbn_kept_error *kept)
{
    cbn_error_driver(CUBINET_OK, kept->driver_result, "%s", kept->text ? kept->text : "");
    free(kept->text);
    kept->text = NULL;
}

const char *cubinet_error_message(void)
{
    const struct message *message = thread_message(0);
    if (!message) {
        return "";
    }
    return message->text ? message->text : message->shortened;
}

int cubinet_error_driver_result(void)
{
    const struct message *message = thread_message(0);
    return message ? message->driver_result : 0;
}
