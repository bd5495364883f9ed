/* SPDX-License-Identifier: Apache-2.0 */
/* Two libcubinets in one process, a program's and a plugin's, whose functions have the same names. */
#include "archive_sample.h"
#include "unit.h"

#include <cubinet/archive.h>
#include <cubinet/status.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The functions of one of them. */
struct copy {
    void *handle;
    cubinet_status (*open_memory)(const void *, size_t, const cubinet_archive_options *, cubinet_archive **);
    cubinet_status (*get_module)(const cubinet_archive *, uint32_t, cubinet_module_info *);
    void (*close)(cubinet_archive *);
    const char *(*error_message)(void);
};

static void *function(const struct copy *copy, const char *name)
{
    void *found = dlsym(copy->handle, name);
    assert_non_null(found);
    return found;
}

static struct copy open_copy(const char *path)
{
    struct copy copy = {.handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL)};
    assert_non_null(copy.handle);
    *(void **)&copy.open_memory = function(&copy, "cubinet_archive_open_memory");
    *(void **)&copy.get_module = function(&copy, "cubinet_archive_get_module");
    *(void **)&copy.close = function(&copy, "cubinet_archive_close");
    *(void **)&copy.error_message = function(&copy, "cubinet_error_message");
    return copy;
}

/* What a copy says of the first module of an archive, which is damaged. */
static char *message_of(const struct copy *copy, const struct built *built)
{
    cubinet_archive *archive = NULL;
    assert_int_equal(copy->open_memory(built->bytes, built->size, NULL, &archive), CUBINET_OK);
    cubinet_module_info info = {.size = sizeof(info)};
    assert_int_equal(copy->get_module(archive, 0, &info), CUBINET_ERROR_DAMAGED);
    char *message = strdup(copy->error_message());
    assert_non_null(message);
    copy->close(archive);
    return message;
}

/* What is damaged is told by asking cubinet_error_message() for the reason, and each has its own. */
static void each_calls_its_own_functions(void **state)
{
    (void)state;
    struct copy first = open_copy(LIBCUBINET_PATH);
    struct copy second = open_copy(LIBCUBINET_COPY_PATH);
    assert_ptr_not_equal(first.error_message, second.error_message);

    struct built built = build(&sample_archive);
    built.bytes[built_row(&built, 0, 0x8020, 0)] ^= 1;
    char *expected = message_of(&first, &built);
    assert_non_null(strstr(expected, "is damaged: "));
    assert_int_not_equal(first.open_memory("other", 5, NULL, &(cubinet_archive *){NULL}), CUBINET_OK);
    char *found = message_of(&second, &built);
    assert_string_equal(found, expected);
    assert_null(strstr(first.error_message(), "is damaged"));
    free(expected);
    free(found);
    built_free(&built);
    dlclose(second.handle);
    dlclose(first.handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_calls_its_own_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
