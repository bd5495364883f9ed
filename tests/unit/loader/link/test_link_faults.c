/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation and every call of nvJitLink fails in turn while a program links and loads: each time a
 * status, nothing that leaks, and the next attempt works. */
#include "allocations.h"
#include "link_fixture.h"
#include "machine.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* What the program below works with. */
static cubinet_driver *driver;
static cubinet_archive *archive;
static struct compiled piece;
static cubinet_link *keeps_cubin;

static int start(void **state)
{
    const struct made_module modules[] = {apply_module, twice_module};
    if (link_tools_open(state)) {
        return -1;
    }
    driver = machine_start("9.0", NULL, NULL);
    archive = link_archive(modules, 2);
    piece = compile_ltoir("extern \"C\" __device__ int extra() { return 1; }", "75");
    const cubinet_link_options options = {
        .size = sizeof(options), .nvjitlink = real_nvjitlink(), .flags = CUBINET_LINK_NO_CACHE};
    const void *cubin = NULL;
    size_t size = 0;
    expect_ok(cubinet_link_create(driver, 0, &options, &keeps_cubin));
    expect_ok(cubinet_link_add_module(keeps_cubin, archive, "apply"));
    expect_ok(cubinet_link_add_archive(keeps_cubin, archive));
    expect_ok(cubinet_link_get_cubin(keeps_cubin, &cubin, &size));
    fake_set(FAKE_WORKS, cubin, size);
    return 0;
}

static int stop(void **state)
{
    cubinet_link_destroy(keeps_cubin);
    free(piece.data);
    cubinet_archive_close(archive);
    machine_stop(driver);
    return link_tools_close(state);
}

/* A program that asks for a link. */
static cubinet_status link_pieces(void)
{
    static const char *const kept[] = {"factors"};
    const cubinet_link_options options = {
        .size = sizeof(options),
        .variables_used = kept,
        .variables_used_count = 1,
        .nvjitlink = fake_nvjitlink(),
        .flags = CUBINET_LINK_DROP_UNUSED_VARIABLES | CUBINET_LINK_NO_CACHE,
    };
    cubinet_link *link = NULL;
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    cubinet_status status = cubinet_link_create(driver, 0, &options, &link);
    if (!status) {
        status = cubinet_link_add_module(link, archive, "apply");
    }
    if (!status) {
        status = cubinet_link_add_data(link, CUBINET_PIECE_LTOIR, piece.data, piece.size, NULL);
    }
    if (!status) {
        status = cubinet_link_add_archive(link, archive);
    }
    if (!status) {
        status = cubinet_link_complete(link, &module);
    }
    if (!status) {
        status = cubinet_module_find_kernel(module, "apply<float>", &kernel);
    }
    cubinet_link_destroy(link);
    cubinet_module_unload(module);
    return status;
}

/* One that only loads. */
static cubinet_status load(void)
{
    const cubinet_load_options options = {
        .size = sizeof(options), .nvjitlink = fake_nvjitlink(), .flags = CUBINET_LOAD_NO_CACHE};
    cubinet_module *module = NULL;
    cubinet_status status = cubinet_module_load(driver, archive, "apply", 0, &options, &module);
    cubinet_module_unload(module);
    return status;
}

typedef cubinet_status live_fn(void);

/* Some memory is only for messages, and its loss fails nothing. */
static void fail_each_allocation(live_fn *live)
{
    expect_ok(live());
    unsigned int failures = 0;
    for (unsigned int number = 1;; number++) {
        allocations_watch(number);
        cubinet_status status = live();
        bool is_over = allocations_stop() < number;
        machine_expect_clean(NULL);
        if (is_over) {
            expect_ok(status);
            break;
        }
        failures += status != CUBINET_OK;
        if (status && status != CUBINET_ERROR_OUT_OF_MEMORY) {
            print_error("allocation %u: %s\n", number, cubinet_error_message());
            fail();
        }
    }
    assert_true(failures > 20);
}

static void test_each_allocation_of_a_link(void **state)
{
    (void)state;
    fail_each_allocation(link_pieces);
}

static void test_each_allocation_of_a_load(void **state)
{
    (void)state;
    fail_each_allocation(load);
}

static cubinet_status add_what_cannot_be_linked(void *modules)
{
    const cubinet_link_options options = {
        .size = sizeof(options), .nvjitlink = fake_nvjitlink(), .flags = CUBINET_LINK_NO_CACHE};
    cubinet_link *link = NULL;
    cubinet_status status = cubinet_link_create(driver, 0, &options, &link);
    if (!status) {
        status = cubinet_link_add_module(link, modules, "apply");
    }
    cubinet_link_destroy(link);
    return status;
}

static void test_each_allocation_for_a_message(void **state)
{
    (void)state;
    struct made_module specific = apply_module;
    specific.architecture = "100a";
    cubinet_archive *modules = link_archive(&specific, 1);
    assert_true(allocations_fail_each(add_what_cannot_be_linked, modules, CUBINET_ERROR_NO_IMAGE) > 3);
    cubinet_archive_close(modules);
}

static void fail_each_call(live_fn *live, int calls, cubinet_status expected)
{
    for (int call = 1; call <= calls; call++) {
        fake_fail_call(call);
        assert_int_equal(live(), expected);
        expect_in(cubinet_error_message(), "NVJITLINK_ERROR_INTERNAL (6)");
        machine_expect_clean(NULL);
    }
    fake_fail_call(calls + 1);
    expect_ok(live());
    fake_fail_call(0);
}

static void test_each_call_of_nvjitlink(void **state)
{
    (void)state;
    /* Create, a piece each, complete, the cubin's size, the cubin. */
    fail_each_call(link_pieces, 7, CUBINET_ERROR_LINK);
    fail_each_call(load, 6, CUBINET_ERROR_NO_IMAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation_of_a_link),
        cmocka_unit_test(test_each_allocation_of_a_load),
        cmocka_unit_test(test_each_allocation_for_a_message),
        cmocka_unit_test(test_each_call_of_nvjitlink),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
