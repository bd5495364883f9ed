/* SPDX-License-Identifier: Apache-2.0 */
/* Programmatic launches of kernels that never wait for the kernel before them. */
#include "base/file.h"
#include "image/contents.h"
#include "launch_setup.h"
#include "loader/core/archive/digest.h"
#include "loader/core/archive/format.h"
#include "loader/link/dependency.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static cubinet_status launch(cubinet_module *module, const char *name, uint32_t flags)
{
    CUdeviceptr address = 0x1234;
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}, .flags = flags};
    return cubinet_kernel_launch(machine_kernel(module, name), &config, args, 1);
}

static void expect_launched(cubinet_module *module, const char *name)
{
    if (launch(module, name, CUBINET_LAUNCH_PROGRAMMATIC)) {
        fail_msg("%s", cubinet_error_message());
    }
    assert_string_equal(simdriver_last_launch().kernel, name);
    assert_int_equal(simdriver_last_launch().attribute_count, 1);
}

static void expect_refused(cubinet_module *module, const char *name, const char *image)
{
    unsigned int before = simdriver_calls("cuLaunchKernelEx");
    assert_int_equal(launch(module, name, CUBINET_LAUNCH_PROGRAMMATIC), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message(name);
    expect_message("never waits for the kernel before it");
    expect_message(image);
    expect_message("CUBINET_LAUNCH_WITHOUT_WAIT");
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), before);
    assert_int_equal(launch(module, name, CUBINET_LAUNCH_PROGRAMMATIC | CUBINET_LAUNCH_WITHOUT_WAIT),
                     CUBINET_OK);
    assert_int_equal(launch(module, name, 0), CUBINET_OK);
}

static void expect_record(cubinet_module *module, const char *name, uint32_t flags)
{
    cubinet_launch_record record = {.size = sizeof(record)};
    assert_int_equal(cubinet_kernel_get_launch_record(machine_kernel(module, name), &record), CUBINET_OK);
    assert_int_equal(record.flags, flags);
}

static void expect_of_image(const char *device, const char *image, const char *name)
{
    cubinet_driver *driver = machine_start(device, NULL, NULL);
    cubinet_archive *archive = machine_archive(image, 0);
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_archive_close(archive);
    expect_launched(module, "waits");
    expect_launched(module, "both");
    expect_refused(module, "triggers", name);
    expect_refused(module, "neither", name);
    expect_record(module, "waits", CUBINET_RECORD_WAITS);
    expect_record(module, "triggers", CUBINET_RECORD_TRIGGERS);
    expect_record(module, "both", CUBINET_RECORD_WAITS | CUBINET_RECORD_TRIGGERS);
    expect_record(module, "neither", 0);
    assert_int_equal(launch(module, "waits", CUBINET_LAUNCH_WITHOUT_WAIT), CUBINET_ERROR_INVALID_ARGUMENT);
    expect_message("is for launches with CUBINET_LAUNCH_PROGRAMMATIC");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
}

static void test_images(void **state)
{
    (void)state;
    expect_of_image("9.0", "sm_90=waiting_90", "sm_90");
    expect_of_image("12.0", "sm_120=waiting_120", "sm_120");
    expect_of_image("10.0", "compute_90=waiting", "compute_90");
}

/* Functions in sections of their own may be called by every kernel. PTX tells which do. */
static void test_functions(void **state)
{
    (void)state;
    static const char *const images[] = {"sm_90=waiting_function_90", "compute_90=waiting_function"};
    for (size_t i = 0; i < COUNT(images); i++) {
        struct setup setup = set_up("9.0", images[i]);
        expect_launched(setup.module, "through");
        expect_record(setup.module, "through", CUBINET_RECORD_WAITS);
        if (i == 0) {
            expect_launched(setup.module, "alone");
        } else {
            expect_refused(setup.module, "alone", "compute_90");
        }
        tear_down(&setup);
    }
}

/* Devices before 9.0 start no kernel early. */
static void test_older_devices(void **state)
{
    (void)state;
    struct setup setup = set_up("8.0", "sm_80");
    expect_launched(setup.module, "tile");
    tear_down(&setup);
    setup = set_up("9.0", "compute_80");
    expect_refused(setup.module, "tile", "compute_80");
    tear_down(&setup);
}

static void test_devices_that_share_code(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90=waiting_90", 0);
    cubinet_module *modules[2];
    assert_int_equal(cubinet_module_load_devices(driver, archive, DEMO, NULL, 2, NULL, modules), CUBINET_OK);
    for (int i = 0; i < 2; i++) {
        expect_launched(modules[i], "waits");
        expect_refused(modules[i], "neither", "sm_90");
        expect_record(modules[i], "both", CUBINET_RECORD_WAITS | CUBINET_RECORD_TRIGGERS);
        assert_int_equal(cubinet_module_unload(modules[i]), CUBINET_OK);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* Has an archive say that it is of version 1.5, whose readers and writers knew no such flags. */
static void make_older(const char *path)
{
    enum { INDEX = 30 + sizeof(CBN_INDEX_ENTRY) - 1 };
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(file_read(path, &bytes, &size), CUBINET_OK);
    unsigned char *root = (unsigned char *)bytes + INDEX;
    cbn_put16(root + CBN_HEADER_FORMAT_MINOR, 5);
    struct cbn_digest digest = cbn_digest_two(root, CBN_HEADER_ROOT_DIGEST, root + CBN_HEADER_SIZE,
                                              cbn_get32(root + CBN_HEADER_ROOT_SIZE) - CBN_HEADER_SIZE);
    memcpy(root + CBN_HEADER_ROOT_DIGEST, digest.bytes, CBN_DIGEST_SIZE);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

/* Of what an older archive does not record, the code is asked when it is loaded. */
static void test_older_archives(void **state)
{
    (void)state;
    static const char *const images[] = {"sm_90=waiting_90", "compute_90=waiting"};
    for (size_t i = 0; i < COUNT(images); i++) {
        char path[] = "/tmp/cubinet-test-XXXXXX";
        int descriptor = mkstemp(path);
        assert_true(descriptor >= 0);
        close(descriptor);
        cubinet_archive *archive = NULL;
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        machine_archive_file(images[i], "1", path);
        make_older(path);
        assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
        cubinet_module *module = machine_load(driver, archive, 0);
        expect_launched(module, "waits");
        expect_refused(module, "neither", i == 0 ? "sm_90" : "compute_90");
        expect_record(module, "triggers", CUBINET_RECORD_TRIGGERS);
        assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
        cubinet_archive_close(archive);
        unlink(path);
        machine_stop(driver);
    }
}

struct found {
    char text[256];
    bool has_kernels; /* what is found is a kernel */
};

static bool append(void *user, const char *name, size_t size, unsigned flags)
{
    struct found *found = user;
    size_t used = strlen(found->text);
    snprintf(found->text + used, sizeof(found->text) - used, "%s%.*s %u", used ? ", " : "",
             name ? (int)size : 3, name ? name : "all", flags);
    return found->has_kernels;
}

static void test_ptx_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *found;
    } cases[] = {
        {"", ""},
        {".entry k() { griddepcontrol.wait; }", "k 1"},
        {".entry k() { griddepcontrol.launch_dependents; }", "k 2"},
        {".entry k() { @%p griddepcontrol.wait; griddepcontrol.launch_dependents; }", "k 3"},
        {".entry k() { // griddepcontrol.wait;\n }", ""},
        {".entry k() { griddepcontrol.other; }", ""},
        {".entry griddepcontrol() { ret; }", ""},
        {".func f() { griddepcontrol.wait; }\n.entry k() { call f; }\n.entry l() { ret; }", "k 1"},
        {".func f();\n.entry k() { call f; }\n.func f() { griddepcontrol.wait; }", "k 1"},
        {".func f();\n.func g() { call f; }\n.func f() { griddepcontrol.wait; }\n.entry k() { call g; }",
         "k 1"},
        {".func f() { griddepcontrol.wait; }\n.entry k() { p: .callprototype _ (); call %r, (), p; }", "k 1"},
        {".func f() { griddepcontrol.wait; }\n.entry k() { p: .calltargets f; call %r, (), p; }", "k 1"},
        {".entry k() { griddepcontrol.wait; }\n.entry l() { \"", "k 1"},
        {".entry k() { griddepcontrol", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct found found = {.has_kernels = true};
        cbn_dependency_of_ptx(cases[i].text, strlen(cases[i].text), append, &found);
        assert_string_equal(found.text, cases[i].found);
    }
}

/* More functions than are kept: any kernel may call one, whatever it does. */
static void test_ptx_with_many_functions(void **state)
{
    (void)state;
    char text[8192] = "";
    size_t used = 0;
    for (int i = 0; i < 70; i++) {
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, ".func f%d() { griddepcontrol.wait; }\n", i);
    }
    snprintf(text + used, sizeof(text) - used, ".entry k() { call f69; }");
    struct found found = {.has_kernels = true};
    cbn_dependency_of_ptx(text, strlen(text), append, &found);
    assert_string_equal(found.text, "all 3");
}

/* Each function names the one after it, so that each pass over the text finds one more. */
static void test_ptx_that_is_made_to_be_slow(void **state)
{
    (void)state;
    char text[8192] = "";
    size_t used = 0;
    for (int i = 0; i < 50; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, ".func f%d() { call f%d; }\n", i, i + 1);
    }
    snprintf(text + used, sizeof(text) - used,
             ".func f50() { griddepcontrol.launch_dependents; }\n.entry k() { call f0; }");
    struct found found = {.has_kernels = true};
    cbn_dependency_of_ptx(text, strlen(text), append, &found);
    assert_string_equal(found.text, "all 2");
}

static void test_ptx_that_is_cut_off(void **state)
{
    (void)state;
    static const char text[] = ".func f(.param .b32 p) { griddepcontrol.wait; }\n"
                               ".visible .entry k() { call f; griddepcontrol.launch_dependents; /* */ }\n";
    for (size_t size = 0; size < sizeof(text); size++) {
        struct found found = {.has_kernels = true};
        char *cut = malloc(size + 1);
        assert_non_null(cut);
        memcpy(cut, text, size);
        cut[size] = '\0';
        cbn_dependency_of_ptx(cut, size, append, &found);
        free(cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_older_devices),
        cmocka_unit_test(test_devices_that_share_code),
        cmocka_unit_test(test_older_archives),
        cmocka_unit_test(test_ptx_texts),
        cmocka_unit_test(test_ptx_with_many_functions),
        cmocka_unit_test(test_ptx_that_is_made_to_be_slow),
        cmocka_unit_test(test_ptx_that_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
