/* SPDX-License-Identifier: Apache-2.0 */
/* nvJitLink: finding one, telling builds apart, and what happens with one that is not there, is too old or
 * makes nothing of use. */
#include "cache_fixture.h"
#include "link_fixture.h"
#include "loader/link/library_build.h"
#include "loader/link/linker.h"
#include "loader/link/linker_search.h"
#include "machine.h"
#include "unit.h"

#include <elf.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cubinet_driver *driver;

static int start_machine(void **state)
{
    (void)state;
    driver = machine_start("9.0", NULL, NULL);
    return 0;
}

static int stop_machine(void **state)
{
    (void)state;
    machine_stop(driver);
    return 0;
}

/* Links "apply" and "twice" with a certain nvJitLink and expects that to fail. */
static void expect_failure(const struct made_module *modules, const char *nvjitlink, cubinet_status expected,
                           const char *message)
{
    const cubinet_link_options options = {
        .size = sizeof(options), .nvjitlink = nvjitlink, .flags = CUBINET_LINK_NO_CACHE};
    cubinet_archive *archive = link_archive(modules, 2);
    cubinet_link *link = NULL;
    cubinet_module *module = NULL;
    expect_ok(cubinet_link_create(driver, 0, &options, &link));
    expect_ok(cubinet_link_add_module(link, archive, modules[0].name));
    expect_ok(cubinet_link_add_module(link, archive, modules[1].name));
    assert_int_equal(cubinet_link_complete(link, &module), expected);
    expect_in(cubinet_error_message(), message);
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_expect_clean(NULL);
}

static void test_the_one_that_is_named_must_be_one(void **state)
{
    (void)state;
    const struct made_module modules[] = {apply_module, twice_module};
    expect_failure(modules, "/nonexistent/libnvJitLink.so.13", CUBINET_ERROR_TOOLKIT,
                   "/nonexistent/libnvJitLink.so.13, which the program names as nvJitLink, cannot be used: "
                   "/nonexistent/libnvJitLink.so.13: No such file or directory");
    expect_failure(modules, "/etc/passwd", CUBINET_ERROR_TOOLKIT, "it is not a shared library");
    expect_failure(modules, SIMCUDA_PATH, CUBINET_ERROR_TOOLKIT, "has no function nvJitLinkCreate");
    expect_failure(modules, "libnvJitLink.so.1", CUBINET_ERROR_TOOLKIT, "libnvJitLink.so.1");
    setenv("CUBINET_NVJITLINK", "/nonexistent/of-variable.so", 1);
    expect_failure(modules, NULL, CUBINET_ERROR_TOOLKIT,
                   "/nonexistent/of-variable.so, which CUBINET_NVJITLINK names");
}

static void test_an_old_one_is_refused_with_what_is_needed(void **state)
{
    (void)state;
    struct made_module modules[] = {apply_module, twice_module};
    modules[0].floor = 13000;
    modules[1].floor = 12010;
    expect_failure(modules, fake_old_nvjitlink(), CUBINET_ERROR_TOOLKIT,
                   "needs nvJitLink 13.0 or a later 13.x; ");
    expect_in(cubinet_error_message(), "fake_old_nvjitlink.so is 12.1");
    modules[0].floor = 12020;
    expect_failure(modules, fake_old_nvjitlink(), CUBINET_ERROR_TOOLKIT, "needs nvJitLink 12.2");
    /* LTO-IR of an older major is as foreign. */
    modules[0].floor = 12000;
    expect_failure(modules, fake_nvjitlink(), CUBINET_ERROR_TOOLKIT,
                   "needs nvJitLink 12.0 or a later 12.x; ");
}

static void test_every_call_is_checked(void **state)
{
    (void)state;
    const struct made_module modules[] = {apply_module, twice_module};
    fake_set(FAKE_REFUSES_PIECES, NULL, 0);
    expect_failure(modules, fake_nvjitlink(), CUBINET_ERROR_LINK,
                   "nvJitLinkAddData: NVJITLINK_ERROR_INVALID_INPUT (3): no such piece");
    fake_set(FAKE_IS_OUTDATED, NULL, 0);
    expect_failure(modules, fake_nvjitlink(), CUBINET_ERROR_LINK,
                   "NVJITLINK_ERROR_OUTDATED_LIBRARY (14); this nvJitLink is of CUDA 13.0, and the code of a "
                   "newer release: take that release's nvJitLink, or a later one's");
    fake_set(FAKE_LOGS_OUTDATED, NULL, 0);
    expect_failure(modules, fake_nvjitlink(), CUBINET_ERROR_LINK,
                   "NVJITLINK_ERROR_INTERNAL (6); this nvJitLink is of CUDA 13.0, and the code of a newer "
                   "release: take that release's nvJitLink, or a later one's");
    fake_set(FAKE_MAKES_NOTHING, NULL, 0);
    expect_failure(modules, fake_nvjitlink(), CUBINET_ERROR_LINK, "nvJitLink made nothing");
    fake_set(FAKE_WORKS, "no cubin", 8);
    expect_failure(modules, fake_nvjitlink(), CUBINET_ERROR_LINK, "what nvJitLink made: not a cubin");
}

static void test_the_kernels_must_be_in_the_result(void **state)
{
    (void)state;
    const struct made_module functions[] = {twice_module,
                                            {.name = "zero",
                                             .source = "extern \"C\" __device__ int zero() { return 0; }",
                                             .symbols = {{.name = "zero", .type = "b32()"}}}};
    expect_failure(functions, real_nvjitlink(), CUBINET_ERROR_LINK, "made a cubin without kernels");

    const struct made_module other = {
        .name = "other", .source = "extern \"C\" __global__ void other() {}", .kernel = "other"};
    const cubinet_link_options options = {
        .size = sizeof(options), .nvjitlink = real_nvjitlink(), .flags = CUBINET_LINK_NO_CACHE};
    cubinet_archive *archive = link_archive(&other, 1);
    cubinet_link *link = NULL;
    const void *cubin = NULL;
    size_t size = 0;
    expect_ok(cubinet_link_create(driver, 0, &options, &link));
    expect_ok(cubinet_link_add_module(link, archive, "other"));
    expect_ok(cubinet_link_get_cubin(link, &cubin, &size));
    fake_set(FAKE_WORKS, cubin, size);
    const struct made_module modules[] = {apply_module, twice_module};
    expect_failure(modules, fake_nvjitlink(), CUBINET_ERROR_LINK, "lacks kernel '" APPLY_KERNEL "'");
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
}

/* A link that is run in a thread whose stack is too small for nvJitLink. */
struct small_thread {
    cubinet_link *link;
    cubinet_status status;
    char message[256];
};

static void *run_link(void *data)
{
    struct small_thread *thread = data;
    const void *cubin = NULL;
    size_t size = 0;
    thread->status = cubinet_link_get_cubin(thread->link, &cubin, &size);
    snprintf(thread->message, sizeof(thread->message), "%s", cubinet_error_message());
    return NULL;
}

static struct small_thread link_in_small_thread(const char *nvjitlink)
{
    enum { STACK_BYTES = 256 << 10 }; /* of which the sanitizers take most */
    const struct made_module modules[] = {apply_module, twice_module};
    const cubinet_link_options options = {
        .size = sizeof(options), .nvjitlink = nvjitlink, .flags = CUBINET_LINK_NO_CACHE};
    cubinet_archive *archive = link_archive(modules, 2);
    struct small_thread small = {0};
    pthread_attr_t attributes;
    pthread_t thread;
    expect_ok(cubinet_link_create(driver, 0, &options, &small.link));
    expect_ok(cubinet_link_add_module(small.link, archive, modules[0].name));
    expect_ok(cubinet_link_add_module(small.link, archive, modules[1].name));
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run_link, &small), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    cubinet_link_destroy(small.link);
    cubinet_archive_close(archive);
    return small;
}

static void test_threads_with_small_stacks_link(void **state)
{
    (void)state;
    assert_int_equal(link_in_small_thread(real_nvjitlink()).status, CUBINET_OK);
    fake_set(FAKE_MAKES_NOTHING, NULL, 0); /* and uses more stack than the thread has */
    struct small_thread small = link_in_small_thread(fake_nvjitlink());
    assert_int_equal(small.status, CUBINET_ERROR_LINK);
    expect_in(small.message, "nvJitLink made nothing");
    assert_int_equal(fake_links(), 1);
}

static void copy_file(const char *from, const char *to)
{
    char command[4096];
    snprintf(command, sizeof(command),
             "mkdir -p \"$(dirname '%s')\" && cp -f '%s' '%s.new' && mv '%s.new' '%s'", to, from, to, to, to);
    assert_int_equal(system(command), 0);
}

static void test_builds_are_told_apart_wherever_they_lie(void **state)
{
    char path[128];
    struct cbn_library_build real;
    struct cbn_library_build fake;
    struct cbn_library_build copy;
    struct cbn_library_build old;
    snprintf(path, sizeof(path), "%s/libnvJitLink.so.13", (const char *)*state);
    copy_file(fake_nvjitlink(), path);
    assert_true(cbn_library_build_read(real_nvjitlink(), &real));
    assert_true(cbn_library_build_read(fake_nvjitlink(), &fake));
    assert_true(cbn_library_build_read(path, &copy));
    assert_true(cbn_library_build_read(fake_old_nvjitlink(), &old));
    assert_int_equal(fake.release, 13000);
    assert_int_equal(old.release, 12010);
    assert_true(real.release >= 12000);
    assert_memory_equal(&copy.identity, &fake.identity, sizeof(fake.identity));
    assert_memory_not_equal(&real.identity, &fake.identity, sizeof(fake.identity));
    assert_memory_not_equal(&old.identity, &fake.identity, sizeof(fake.identity));
    struct cbn_sha256 alone;
    assert_true(cbn_library_identity_read(path, &alone));
    assert_memory_equal(&alone, &fake.identity, sizeof(alone));
}

/* The place of a number of the ELF header. */
static void put_far(const char *path, long place, uint64_t number)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, place, SEEK_SET), 0);
    assert_int_equal(fwrite(&number, sizeof(number), 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

/* Its programs may stand anywhere in the file, and what says that they stand beyond it is not a library. */
static void test_programs_need_not_follow_the_header(void **state)
{
    char path[128];
    struct cbn_sha256 near;
    struct cbn_sha256 far;
    Elf64_Ehdr header;
    unsigned char programs[4096];
    snprintf(path, sizeof(path), "%s/far.so", (const char *)*state);
    copy_file(fake_nvjitlink(), path);
    assert_true(cbn_library_identity_read(path, &near));
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
    size_t size = (size_t)header.e_phnum * header.e_phentsize;
    assert_true(size <= sizeof(programs));
    assert_int_equal(fseek(file, (long)header.e_phoff, SEEK_SET), 0);
    assert_int_equal(fread(programs, size, 1, file), 1);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long end = ftell(file);
    assert_int_equal(fwrite(programs, size, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    put_far(path, offsetof(Elf64_Ehdr, e_phoff), (uint64_t)end);
    assert_true(cbn_library_identity_read(path, &far));
    assert_memory_equal(&far, &near, sizeof(far));
    put_far(path, offsetof(Elf64_Ehdr, e_phoff), (uint64_t)end + 1);
    assert_false(cbn_library_identity_read(path, &far));
    put_far(path, offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX - 8);
    assert_false(cbn_library_identity_read(path, &far));
}

static void test_cut_off_files_are_no_libraries(void **state)
{
    char path[128];
    char command[512];
    struct cbn_library_build build;
    snprintf(path, sizeof(path), "%s/cut.so", (const char *)*state);
    for (int size = 0; size < 8192; size += 64) {
        snprintf(command, sizeof(command), "head -c %d '%s' > '%s'", size, fake_nvjitlink(), path);
        assert_int_equal(system(command), 0);
        if (cbn_library_build_read(path, &build)) {
            assert_true(build.release == 13000 || build.release == 0);
        }
    }
}

static void test_one_that_was_replaced_is_not_taken_for_the_old(void **state)
{
    char path[128];
    const struct cbn_linker *linker = NULL;
    const struct cbn_nvjitlink *opened = NULL;
    bool fits = false;
    snprintf(path, sizeof(path), "%s/libnvJitLink.so.13", (const char *)*state);
    copy_file(fake_nvjitlink(), path);
    const struct cbn_linker_need need = {.path = path, .floor = 13000, .compute = 90};
    expect_ok(cbn_linker_find(&need, &linker, &fits));
    assert_true(fits);
    copy_file(fake_old_nvjitlink(), path);
    assert_int_equal(cbn_linker_open(linker, &opened), CUBINET_ERROR_TOOLKIT);
    expect_in(cubinet_error_message(), "was replaced by another nvJitLink");
    /* The dynamic loader keeps the one that it opened, whatever lies there now. */
    copy_file(fake_nvjitlink(), path);
    assert_int_equal(cbn_linker_open(linker, &opened), CUBINET_ERROR_TOOLKIT);
}

static void test_one_whose_code_the_driver_refuses_does_not_fit(void **state)
{
    (void)state;
    struct cbn_linker_need need = {.path = fake_nvjitlink(), .compute = 90, .driver = 13000};
    const struct cbn_linker *linker = NULL;
    bool fits = false;
    expect_ok(cbn_linker_find(&need, &linker, &fits));
    assert_true(fits);
    need.driver = 12080;
    expect_ok(cbn_linker_find(&need, &linker, &fits));
    assert_false(fits);
    /* Nor does one that makes no code for the device. */
    need.driver = 0;
    need.compute = 70;
    expect_ok(cbn_linker_find(&need, &linker, &fits));
    assert_false(fits);
}

static void test_environments_are_looked_into(void **state)
{
    static const char *const places[] = {
        "lib/libnvJitLink.so.13",
        "lib/python3.11/site-packages/nvidia/cu13/lib/libnvJitLink.so.13",
        "lib/python3.11/site-packages/nvidia/nvjitlink/lib/libnvJitLink.so.12",
    };
    char path[256];
    for (size_t i = 0; i < COUNT(places); i++) {
        snprintf(path, sizeof(path), "%s/%s", (const char *)*state, places[i]);
        copy_file(fake_nvjitlink(), path);
    }
    setenv("VIRTUAL_ENV", *state, 1);
    struct cbn_text_list paths = {0};
    struct cbn_text_list attempts = {0};
    expect_ok(cbn_linker_search(&paths, &attempts));
    for (size_t i = 0; i < COUNT(places); i++) {
        snprintf(path, sizeof(path), "%s/%s", (const char *)*state, places[i]);
        assert_true(cbn_text_list_has(&paths, path));
    }
    assert_true(attempts.count > 0);
    cbn_text_list_free(&paths);
    cbn_text_list_free(&attempts);
    unsetenv("VIRTUAL_ENV");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_one_that_is_named_must_be_one, start_machine, stop_machine),
        cmocka_unit_test_setup_teardown(test_an_old_one_is_refused_with_what_is_needed, start_machine,
                                        stop_machine),
        cmocka_unit_test_setup_teardown(test_every_call_is_checked, start_machine, stop_machine),
        cmocka_unit_test_setup_teardown(test_the_kernels_must_be_in_the_result, start_machine, stop_machine),
        cmocka_unit_test_setup_teardown(test_threads_with_small_stacks_link, start_machine, stop_machine),
        cmocka_unit_test_setup_teardown(test_builds_are_told_apart_wherever_they_lie, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(test_programs_need_not_follow_the_header, folder_create,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(test_cut_off_files_are_no_libraries, folder_create, folder_remove),
        cmocka_unit_test_setup_teardown(test_one_that_was_replaced_is_not_taken_for_the_old, folder_create,
                                        folder_remove),
        cmocka_unit_test(test_one_whose_code_the_driver_refuses_does_not_fit),
        cmocka_unit_test_setup_teardown(test_environments_are_looked_into, folder_create, folder_remove),
    };
    return cmocka_run_group_tests(tests, link_tools_open, link_tools_close);
}
