/* SPDX-License-Identifier: Apache-2.0 */
/* Which header a file finds, by who asks; and which headers need -default-device. */
#include "interpose/hidden_files.h"
#include "interpose/hidden_headers.h"
#include "toolkit/default_device.h"
#include "toolkit/device_headers.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CUDA, TOOLKITS, TOOLKIT_ONLY, HOST_ONLY, STANDARD, FOLDERS };

struct fixture {
    char folder[64];
    char paths[FOLDERS][128]; /* of the folders of headers: shipped cuda, the toolkit's, shipped toolkit_only,
                                 host_only, standard */
    char *includes[FOLDERS];
    struct toolkit toolkit;
};

static void make_file(const struct fixture *fixture, int folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", fixture->paths[folder], name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static int set_up(void **state)
{
    static const char *const names[] = {"shipped/cuda", "include", "shipped/toolkit_only",
                                        "shipped/host_only", "shipped/standard"};
    static struct fixture fixture;
    fixture = (struct fixture){.folder = "/tmp/test_hidden_headers.XXXXXX"};
    char shipped[128];
    /* What refers to hidden_files.c is linked with its stat(), not with a sanitizer's. */
    hidden_files_hide(true);
    hidden_files_hide(false);
    assert_non_null(mkdtemp(fixture.folder));
    snprintf(shipped, sizeof(shipped), "%s/shipped", fixture.folder);
    mkdir(shipped, 0700);
    for (int i = 0; i < FOLDERS; i++) {
        snprintf(fixture.paths[i], sizeof(fixture.paths[i]), "%s/%s", fixture.folder, names[i]);
        mkdir(fixture.paths[i], 0700);
        fixture.includes[i] = fixture.paths[i];
    }
    make_file(&fixture, CUDA, "cub/cub.cuh");
    make_file(&fixture, CUDA, "thrust/sort.h");
    make_file(&fixture, TOOLKITS, "thrust/sort.h");
    make_file(&fixture, TOOLKITS, "thrust/device_vector.h");
    make_file(&fixture, TOOLKIT_ONLY, "iostream");
    make_file(&fixture, HOST_ONLY, "iostream");
    make_file(&fixture, HOST_ONLY, "cublas_v2.h");
    make_file(&fixture, TOOLKITS, "cublas_v2.h");
    make_file(&fixture, STANDARD, "memory");
    make_file(&fixture, TOOLKIT_ONLY, "stdexcept");
    fixture.toolkit = (struct toolkit){
        .includes = fixture.includes, .include_count = FOLDERS, .shipped_headers = strdup(shipped)};
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    char command[128];
    hidden_headers_stop();
    snprintf(command, sizeof(command), "rm -r '%s'", fixture->folder);
    assert_int_equal(system(command), 0);
    free(fixture->toolkit.shipped_headers);
    return 0;
}

/* As NVRTC looks for a file that is included: it opens one that it found. */
static bool finds(const struct fixture *fixture, int folder, const char *name)
{
    char path[256];
    struct stat about;
    snprintf(path, sizeof(path), "%s/%s", fixture->paths[folder], name);
    if (stat(path, &about) != 0) {
        return false;
    }
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fclose(file);
    return true;
}

static FILE *read_from(const struct fixture *fixture, int folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", fixture->paths[folder], name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static void the_users_files_do_not_find_what_the_toolkits_do(void **state)
{
    const struct fixture *fixture = *state;
    assert_true(finds(fixture, TOOLKIT_ONLY, "iostream")); /* nothing is hidden yet */
    device_headers_hide(&fixture->toolkit);
    assert_false(finds(fixture, TOOLKIT_ONLY, "iostream"));
    assert_false(finds(fixture, TOOLKITS, "thrust/device_vector.h"));
    assert_true(finds(fixture, TOOLKITS, "thrust/sort.h"));
    assert_true(finds(fixture, HOST_ONLY, "iostream"));

    FILE *users = fopen("/etc/passwd", "r");
    FILE *toolkits = read_from(fixture, TOOLKITS, "thrust/sort.h");
    assert_true(finds(fixture, TOOLKIT_ONLY, "iostream"));
    assert_true(finds(fixture, TOOLKITS, "thrust/device_vector.h"));
    FILE *inner = read_from(fixture, TOOLKIT_ONLY, "iostream");
    assert_true(finds(fixture, TOOLKIT_ONLY, "iostream"));
    fclose(inner);
    fclose(toolkits);
    assert_false(finds(fixture, TOOLKIT_ONLY, "iostream"));
    FILE *wrapper = read_from(fixture, CUDA, "thrust/sort.h");
    assert_true(finds(fixture, TOOLKIT_ONLY, "iostream"));
    fclose(wrapper);
    fclose(users);

    hidden_headers_stop();
    assert_true(finds(fixture, TOOLKIT_ONLY, "iostream"));
}

static void the_toolkits_files_do_not_find_hosts_types(void **state)
{
    const struct fixture *fixture = *state;
    device_headers_hide(&fixture->toolkit);
    assert_true(finds(fixture, HOST_ONLY, "cublas_v2.h"));
    assert_false(finds(fixture, TOOLKITS, "cublas_v2.h"));
    assert_true(finds(fixture, STANDARD, "../host_only/iostream"));

    FILE *toolkits = read_from(fixture, TOOLKITS, "thrust/sort.h");
    assert_true(finds(fixture, HOST_ONLY, "iostream")); /* there is one in toolkit_only, too */
    assert_false(finds(fixture, HOST_ONLY, "cublas_v2.h"));
    assert_true(finds(fixture, TOOLKITS, "cublas_v2.h"));
    FILE *known =
        read_from(fixture, HOST_ONLY, "cublas_v2.h"); /* NVRTC has the path from an earlier include */
    fclose(known);
    FILE *wrapper = read_from(fixture, CUDA, "thrust/sort.h");
    assert_true(finds(fixture, HOST_ONLY, "cublas_v2.h"));
    fclose(wrapper);
    FILE *standard = read_from(fixture, STANDARD, "memory");
    assert_true(finds(fixture, STANDARD, "../host_only/iostream"));
    fclose(standard);
    fclose(toolkits);
}

static void hosts_types_are_hidden_where_they_are_not_searched(void **state)
{
    const struct fixture *fixture = *state;
    struct toolkit toolkit = fixture->toolkit;
    toolkit.include_count = HOST_ONLY;
    device_headers_hide(&toolkit);
    assert_false(finds(fixture, HOST_ONLY, "iostream"));
    assert_false(finds(fixture, STANDARD, "../host_only/iostream"));
    assert_false(finds(fixture, TOOLKITS, "cublas_v2.h"));
}

/* NVRTC closes what is deep within others while it reads what that includes. */
static void what_is_read_on_is_opened_again(void **state)
{
    const struct fixture *fixture = *state;
    char path[256];
    device_headers_hide(&fixture->toolkit);
    snprintf(path, sizeof(path), "%s/stdexcept", fixture->paths[TOOLKIT_ONLY]);
    assert_null(fopen(path, "r"));
    FILE *toolkits = read_from(fixture, TOOLKITS, "thrust/sort.h");
    FILE *only = read_from(fixture, TOOLKIT_ONLY, "stdexcept");
    fclose(toolkits);
    FILE *within = read_from(fixture, STANDARD, "memory");
    fclose(only);
    fclose(within);
    only = fopen(path, "r");
    assert_non_null(only);
    fclose(only);
    assert_null(fopen(path, "r"));
    assert_false(finds(fixture, TOOLKIT_ONLY, "stdexcept"));
}

static void a_wrapper_is_there_if_what_it_wraps_is(void **state)
{
    const struct fixture *fixture = *state;
    device_headers_hide(&fixture->toolkit);
    assert_true(finds(fixture, CUDA, "thrust/sort.h"));
    assert_false(finds(fixture, CUDA, "cub/cub.cuh"));
}

static void hides_nothing_without_shipped_headers(void **state)
{
    const struct fixture *fixture = *state;
    struct toolkit toolkit = fixture->toolkit;
    toolkit.shipped_headers = NULL;
    device_headers_hide(&toolkit);
    assert_true(finds(fixture, TOOLKITS, "thrust/device_vector.h"));
}

static void default_device_is_for_the_toolkits_headers(void **state)
{
    (void)state;
    char *folders[] = {"/cuda/include"};
    char *given[] = {"-default-device"};
    const struct cbn_text_list list = {.items = folders, .count = 1};
    const struct cbn_text_list none = {0};
    const struct cbn_text_list already = {.items = given, .count = 1};
    static const char toolkits[] = "k.cu(1): warning: w\n/cuda/include/thrust/sort.h(3): error: A function "
                                   "without execution space annotations (";
    assert_true(default_device_is_needed(toolkits, &list, &none));
    assert_false(default_device_is_needed(toolkits, &list, &already));
    assert_false(default_device_is_needed(
        "/cuda/include2/h.h(3): error: A function without execution space annotations (", &list, &none));
    assert_false(
        default_device_is_needed("/cuda/include/h.h(3): error: expected a declaration", &list, &none));
    assert_false(default_device_is_needed("", &list, &none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_users_files_do_not_find_what_the_toolkits_do, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_toolkits_files_do_not_find_hosts_types, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hosts_types_are_hidden_where_they_are_not_searched, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_read_on_is_opened_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrapper_is_there_if_what_it_wraps_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hides_nothing_without_shipped_headers, set_up, tear_down),
        cmocka_unit_test(default_device_is_for_the_toolkits_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
