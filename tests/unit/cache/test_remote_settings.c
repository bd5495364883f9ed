/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a remote cache: what the environment and the option say, and messages without secrets. */
#include "cache/remote_settings.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    "CUBINET_REMOTE_CACHE",
    "CUBINET_REMOTE_CACHE_READ_ONLY",
    "CUBINET_REMOTE_CACHE_USER",
    "CUBINET_REMOTE_CACHE_PASSWORD",
    "CUBINET_REMOTE_CACHE_TOKEN",
    "CUBINET_REMOTE_CACHE_NETRC",
    "CUBINET_REMOTE_CACHE_TIMEOUT",
    "CUBINET_REMOTE_CACHE_CONNECT_TIMEOUT",
    "CUBINET_REMOTE_CACHE_CA",
    "NETRC",
    "CUBINET_REMOTE_CACHE_CERTIFICATE",
    "CUBINET_REMOTE_CACHE_KEY",
};

static int clear_environment(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        unsetenv(names[i]);
    }
    return 0;
}

static struct remote_settings read_sound(const char *option)
{
    struct remote_settings settings;
    assert_int_equal(remote_settings_read(option, &settings), CUBINET_OK);
    return settings;
}

/* Refuses, and says something. */
static void assert_refused(const char *option, const char *message_part)
{
    struct remote_settings settings;
    assert_int_equal(remote_settings_read(option, &settings), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(cubinet_error_message(), message_part));
}

static void there_is_none_by_default(void **state)
{
    (void)state;
    assert_null(read_sound(NULL).url);
    setenv("CUBINET_REMOTE_CACHE", "", 1);
    assert_null(read_sound(NULL).url);
    setenv("CUBINET_REMOTE_CACHE", "http://host", 1);
    assert_null(read_sound("").url);
}

static void the_option_comes_first(void **state)
{
    (void)state;
    setenv("CUBINET_REMOTE_CACHE", "http://one/cache", 1);
    struct remote_settings settings = read_sound(NULL);
    assert_string_equal(settings.url, "http://one/cache");
    remote_settings_free(&settings);
    settings = read_sound("https://two:8443/a/b//");
    assert_string_equal(settings.url, "https://two:8443/a/b");
    remote_settings_free(&settings);
}

static void settings_have_defaults(void **state)
{
    (void)state;
    struct remote_settings settings = read_sound("http://[::1]:80");
    assert_false(settings.read_only);
    assert_int_equal(settings.timeout_ms, 10000);
    assert_int_equal(settings.http.connect_timeout_ms, 2000);
    assert_null(settings.http.user);
    assert_null(settings.http.token);
    assert_null(settings.http.netrc);
    remote_settings_free(&settings);
}

static void the_environment_sets_the_rest(void **state)
{
    (void)state;
    setenv("CUBINET_REMOTE_CACHE_READ_ONLY", "1", 1);
    setenv("CUBINET_REMOTE_CACHE_TIMEOUT", "0.25", 1);
    setenv("CUBINET_REMOTE_CACHE_CONNECT_TIMEOUT", "3600", 1);
    setenv("CUBINET_REMOTE_CACHE_TOKEN", "t", 1);
    setenv("NETRC", "n", 1);
    setenv("CUBINET_REMOTE_CACHE_CERTIFICATE", "c", 1);
    setenv("CUBINET_REMOTE_CACHE_KEY", "k", 1);
    struct remote_settings settings = read_sound("HTTP://host");
    assert_true(settings.read_only);
    assert_int_equal(settings.timeout_ms, 250);
    assert_int_equal(settings.http.connect_timeout_ms, 3600000);
    assert_string_equal(settings.http.token, "t");
    assert_string_equal(settings.http.netrc, "n");
    assert_string_equal(settings.http.certificate, "c");
    assert_string_equal(settings.http.key, "k");
    remote_settings_free(&settings);
}

static void addresses_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        const char *message_part;
    } cases[] = {
        {"host:8080", "does not start with http:// or https://"},
        {"ftp://host/", "does not start with http:// or https://"},
        {"file:///etc/passwd", "does not start with http:// or https://"},
        {"http://", "names no host"},
        {"http:///cache", "names no host"},
        {"http://host/cache?token=1", "more in it than a host and a path"},
        {"http://host?x", "more in it than a host and a path"},
        {"http://host/#top", "more in it than a host and a path"},
        {"http://host/a b", "more in it than a host and a path"},
        {"http://host/\r\nX-Header: 1", "more in it than a host and a path"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_refused(cases[i].url, cases[i].message_part);
    }
}

static void secrets_in_addresses_are_refused_and_not_shown(void **state)
{
    (void)state;
    static const char *const urls[] = {"http://ann:hunter2@host/cache", "https://hunter2@host",
                                       "ann:hunter2@host"};
    for (size_t i = 0; i < COUNT(urls); i++) {
        setenv("CUBINET_REMOTE_CACHE", urls[i], 1);
        assert_refused(NULL, "CUBINET_REMOTE_CACHE is not an address of a remote cache: ");
        assert_null(strstr(cubinet_error_message(), "hunter2"));
    }
}

static void other_settings_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *value;
    } cases[] = {
        {"CUBINET_REMOTE_CACHE_READ_ONLY", "yes"},     {"CUBINET_REMOTE_CACHE_READ_ONLY", "10"},
        {"CUBINET_REMOTE_CACHE_TIMEOUT", "0"},         {"CUBINET_REMOTE_CACHE_TIMEOUT", "-1"},
        {"CUBINET_REMOTE_CACHE_TIMEOUT", "nan"},       {"CUBINET_REMOTE_CACHE_TIMEOUT", "5s"},
        {"CUBINET_REMOTE_CACHE_TIMEOUT", "1e9"},       {"CUBINET_REMOTE_CACHE_CONNECT_TIMEOUT", "soon"},
        {"CUBINET_REMOTE_CACHE_CONNECT_TIMEOUT", " "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        setenv(cases[i].name, cases[i].value, 1);
        assert_refused("http://host", cases[i].name);
        unsetenv(cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(there_is_none_by_default, clear_environment),
        cmocka_unit_test_setup(the_option_comes_first, clear_environment),
        cmocka_unit_test_setup(settings_have_defaults, clear_environment),
        cmocka_unit_test_setup(the_environment_sets_the_rest, clear_environment),
        cmocka_unit_test_setup(addresses_that_are_none_are_refused, clear_environment),
        cmocka_unit_test_setup(secrets_in_addresses_are_refused_and_not_shown, clear_environment),
        cmocka_unit_test_setup(other_settings_that_are_none_are_refused, clear_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
