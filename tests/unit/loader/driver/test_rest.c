/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that `cubinet slice --used` made: what was left out of them is found in the rest, beside the
 * archive or in its catalog, or the error says that it was left out. */
#include "allocations.h"
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include "archive/archive_writer.h"
#include "loader/core/archive/cbn_archive.h"
#include "origin/signing_key.h"

#include <cubinet/catalog.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8, PATH_SIZE = 64 };

#define ID "0123456789abcdef0123456789abcdef"

static char folder[] = "/tmp/test_rest_XXXXXX";
static char used_path[PATH_SIZE];
static char rest_path[PATH_SIZE];

/* The images of a draft: of "demo" or, as the module `name`, of another archive. */
struct content {
    const char *name;
    const char *images;
};

static void add_content(struct draft *draft, const struct content *content)
{
    cubinet_archive *archive =
        machine_modules(&(struct machine_module){.name = content->name, .images = content->images}, 1);
    assert_int_equal(draft_add_archive(draft, archive, "a fixture"), CUBINET_OK);
    cubinet_archive_close(archive);
}

/* Writes an archive that lists kernels that none of its images has, and with properties, which end with a
 * NULL. */
static void write_archive(const struct content *contents, size_t count, const char *const *kernels,
                          const char *const *properties, const char *version, const char *path)
{
    struct draft draft = {.archive_version = strdup(version)};
    struct archive_writer_options options = {0};
    for (size_t i = 0; i < count; i++) {
        add_content(&draft, &contents[i]);
    }
    for (size_t i = 0; kernels[i]; i++) {
        assert_int_equal(draft_add_kernel(draft_module(&draft, DEMO), kernels[i], NULL), CUBINET_OK);
    }
    for (size_t i = 0; properties[i]; i++) {
        assert_int_equal(property_list_set(&draft.properties, properties[i]), CUBINET_OK);
    }
    assert_int_equal(archive_write_file(&draft, &options, path), CUBINET_OK);
    draft_free(&draft);
}

static const char *const dropped[] = {"direct", "through", "nowhere", NULL};
static const char *const kept[] = {"scale", "tile", "nowhere", NULL};

/* "demo" with two kernels in the one archive, and others in the rest, which has "other", too. */
static void write_both(const char *rest_of)
{
    const struct content used = {DEMO, "compute_80"};
    const struct content rest[] = {{DEMO, "compute_80=dynamic"}, {"other", "compute_80"}};
    char named[PATH_SIZE + 64];
    char of[64];
    snprintf(named, sizeof(named), "cubinet.rest=" ID " rest.cubinet");
    snprintf(of, sizeof(of), "cubinet.rest-of=%s", rest_of);
    const char *const properties[] = {"cubinet.used=2026-11-25", "cubinet.left-out=[\"else\", \"other\"]",
                                      named, NULL};
    const char *const rest_properties[] = {of, NULL};
    write_archive(&used, 1, dropped, properties, "1.4", used_path);
    write_archive(rest, COUNT(rest), kept, rest_properties, "1.4", rest_path);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test_rest_XXXXXX");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(used_path, sizeof(used_path), "%s/used.cubinet", folder);
    snprintf(rest_path, sizeof(rest_path), "%s/rest.cubinet", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[PATH_SIZE + 16];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static void expect_message(const char *part)
{
    if (!strstr(cubinet_error_message(), part)) {
        print_error("'%s' is not in: %s\n", part, cubinet_error_message());
        fail();
    }
}

static cubinet_archive *open_used(void)
{
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open(used_path, NULL, &archive), CUBINET_OK);
    return archive;
}

static void test_kernels_come_from_the_rest_when_they_are_asked_for(void **state)
{
    (void)state;
    write_both(ID);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = open_used();
    cubinet_module *module = machine_load(driver, archive, 0);
    machine_kernel(module, "tile");
    assert_int_equal(simdriver_live_libraries(), 1);
    cubinet_kernel *direct = machine_kernel(module, "direct");
    assert_int_equal(simdriver_live_libraries(), 2);
    machine_kernel(module, "through");
    assert_int_equal(simdriver_live_libraries(), 2);
    assert_ptr_equal(machine_kernel(module, "direct"), direct);
    CUfunction function = NULL;
    assert_int_equal(cubinet_kernel_get_function(direct, &function), CUBINET_OK);
    cubinet_archive_close(archive); /* what was loaded stays */
    machine_kernel(module, "through");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
}

static void test_the_archive_may_be_closed_before_the_rest_is_opened(void **state)
{
    (void)state;
    write_both(ID);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = open_used();
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_archive_close(archive);
    machine_kernel(module, "direct");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
}

static void test_modules_come_from_the_rest(void **state)
{
    (void)state;
    write_both(ID);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = open_used();
    cubinet_module *module = NULL;
    assert_int_equal(cubinet_module_load(driver, archive, "other", 0, NULL, &module), CUBINET_OK);
    machine_kernel(module, "tile");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    assert_int_equal(cubinet_module_load(driver, archive, "anything", 0, NULL, &module),
                     CUBINET_ERROR_NOT_FOUND);
    expect_message("has no module 'anything'");
    assert_int_equal(cubinet_module_load(driver, archive, "else", 0, NULL, &module), CUBINET_ERROR_NOT_FOUND);
    expect_message("module 'else' was left out of");
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_images_for_other_gpus_come_from_the_rest(void **state)
{
    (void)state;
    const struct content used = {DEMO, "sm_90"};
    const struct content rest = {DEMO, "sm_80"};
    static const char *const none[] = {NULL};
    static const char *const properties[] = {"cubinet.used=2026-11-25", "cubinet.rest=" ID " rest.cubinet",
                                             NULL};
    static const char *const rest_properties[] = {"cubinet.rest-of=" ID, NULL};
    write_archive(&used, 1, none, properties, "1.4", used_path);
    write_archive(&rest, 1, none, rest_properties, "1.4", rest_path);
    cubinet_driver *driver = machine_start("8.0,7.5", NULL, NULL);
    cubinet_archive *archive = open_used();
    cubinet_module *module = machine_load(driver, archive, 0);
    char name[CUBINET_TARGET_NAME_SIZE];
    assert_string_equal(machine_loaded(module, name), "sm_80");
    machine_kernel(module, "tile");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, 1, NULL, &module), CUBINET_ERROR_NO_IMAGE);
    cubinet_archive_close(archive);
    unlink(rest_path);
    archive = open_used();
    assert_int_equal(cubinet_module_load(driver, archive, DEMO, 0, NULL, &module), CUBINET_ERROR_NO_IMAGE);
    expect_message("no image of module 'demo' runs on device 0");
    expect_message("what was left out of");
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_what_no_rest_has_is_an_error_with_the_date(void **state)
{
    (void)state;
    const struct content used = {DEMO, "compute_80"};
    static const char *const properties[] = {"cubinet.used=2026-11-25", "cubinet.left-out=[\"other\"]", NULL};
    write_archive(&used, 1, dropped, properties, "1.4", used_path);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = open_used();
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_kernel *kernel = NULL;
    assert_int_equal(cubinet_module_find_kernel(module, "direct", &kernel), CUBINET_ERROR_NOT_FOUND);
    expect_message("kernel 'direct' was left out of");
    expect_message("used.cubinet': it was not used in the record of 2026-11-25;");
    expect_message("cubinet slice --rest");
    assert_int_equal(cubinet_module_find_kernel(module, "nonsense", &kernel), CUBINET_ERROR_NOT_FOUND);
    expect_message("has no kernel 'nonsense'");
    cubinet_module *other = NULL;
    assert_int_equal(cubinet_module_load(driver, archive, "other", 0, NULL, &other), CUBINET_ERROR_NOT_FOUND);
    expect_message("module 'other' was left out of");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void expect_not_found(const char *message)
{
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = open_used();
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_kernel *kernel = NULL;
    assert_int_not_equal(cubinet_module_find_kernel(module, "direct", &kernel), CUBINET_OK);
    expect_message("kernel 'direct' was left out of");
    expect_message(message);
    machine_kernel(module, "tile");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_rests_that_are_none(void **state)
{
    (void)state;
    write_both("another");
    expect_not_found("another slice wrote it");
    unlink(rest_path);
    expect_not_found("No such file");
    const struct content used = {DEMO, "compute_80"};
    /* A name that leads elsewhere, and an archive that is its own rest. */
    static const char *const elsewhere[] = {"cubinet.used=2026-11-25", "cubinet.rest=" ID " ../rest.cubinet",
                                            NULL};
    write_archive(&used, 1, dropped, elsewhere, "1.4", used_path);
    expect_not_found("which only a catalog can find");
    static const char *const circle[] = {"cubinet.used=2026-11-25", "cubinet.rest=" ID " used.cubinet",
                                         "cubinet.rest-of=" ID, NULL};
    write_archive(&used, 1, dropped, circle, "1.4", used_path);
    expect_not_found("another slice wrote it");
    static const char *const nameless[] = {"cubinet.used=2026-11-25", "cubinet.rest=" ID, NULL};
    write_archive(&used, 1, dropped, nameless, "1.4", used_path);
    expect_not_found("which only a catalog can find");
    /* The rest has the module, and not the kernel. */
    const struct content rest = {DEMO, "compute_80"};
    static const char *const named[] = {"cubinet.used=2026-11-25", "cubinet.rest=" ID " rest.cubinet", NULL};
    static const char *const of[] = {"cubinet.rest-of=" ID, NULL};
    write_archive(&used, 1, dropped, named, "1.4", used_path);
    write_archive(&rest, 1, kept, of, "1.4", rest_path);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = open_used();
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_kernel *kernel = NULL;
    assert_int_equal(cubinet_module_find_kernel(module, "direct", &kernel), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_module_find_kernel(module, "nowhere", &kernel), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* In whatever order the path has them, and from folders of their own. */
static void test_a_catalog_pairs_them(void **state)
{
    (void)state;
    char elsewhere[PATH_SIZE + 16];
    char rest[PATH_SIZE + 32];
    char paths[4 * PATH_SIZE];
    write_both(ID);
    snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", folder);
    snprintf(rest, sizeof(rest), "%s/zzz.cubinet", elsewhere);
    snprintf(paths, sizeof(paths), "mkdir %s", elsewhere);
    assert_int_equal(system(paths), 0);
    assert_int_equal(rename(rest_path, rest), 0);
    for (int order = 0; order < 2; order++) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        const cubinet_catalog_options options = {.size = sizeof(options),
                                                 .flags = CUBINET_CATALOG_NO_ENVIRONMENT};
        cubinet_catalog *catalog = NULL;
        const cubinet_archive *archive = NULL;
        snprintf(paths, sizeof(paths), "%s:%s", order ? folder : elsewhere, order ? elsewhere : folder);
        assert_int_equal(cubinet_catalog_open(paths, &options, &catalog), CUBINET_OK);
        assert_int_equal(cubinet_catalog_find_module(catalog, DEMO, &archive, NULL), CUBINET_OK);
        assert_non_null(strstr(cbn_archive_name(archive), "used.cubinet"));
        cubinet_module *module = machine_load(driver, archive, 0);
        assert_int_equal(cubinet_catalog_find_module(catalog, "other", &archive, NULL), CUBINET_OK);
        assert_non_null(strstr(cbn_archive_name(archive), "zzz.cubinet"));
        cubinet_catalog_close(catalog);
        machine_kernel(module, "tile");
        machine_kernel(module, "direct");
        assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
        machine_stop(driver);
    }
}

static void test_failures_of_the_driver_leave_nothing(void **state)
{
    (void)state;
    write_both(ID);
    static const char *const calls[] = {"cuLibraryLoadData", "cuLibraryGetKernel", "cuKernelGetFunction"};
    for (size_t i = 0; i < COUNT(calls); i++) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        cubinet_archive *archive = open_used();
        cubinet_module *module = machine_load(driver, archive, 0);
        cubinet_kernel *kernel = NULL;
        simdriver_fail(calls[i], 1, CBN_CU_OUT_OF_MEMORY, false);
        assert_int_not_equal(cubinet_module_find_kernel(module, "direct", &kernel), CUBINET_OK);
        assert_int_equal(simdriver_live_libraries(), 1);
        machine_kernel(module, "direct"); /* another try */
        assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
        cubinet_archive_close(archive);
        machine_stop(driver);
    }
}

/* The rest is in parts, and the driver refuses one when a kernel of it is asked for. */
static void test_refusals_name_what_was_sought_and_the_rest(void **state)
{
    (void)state;
    const struct content used = {DEMO, "sm_80=scale_80+tile_80 sm_90=scale_90"};
    const struct content rest = {DEMO, "sm_80 sm_90=clustered_90+tile_90 compute_80=scale+tile"};
    static const char *const left_out[] = {"clustered", NULL};
    static const char *const none[] = {NULL};
    static const char *const properties[] = {"cubinet.used=2026-11-25", "cubinet.rest=" ID " rest.cubinet",
                                             NULL};
    static const char *const rest_properties[] = {"cubinet.rest-of=" ID, NULL};
    write_archive(&used, 1, left_out, properties, "1.4", used_path);
    write_archive(&rest, 1, none, rest_properties, "1.4", rest_path);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = open_used();
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_kernel *kernel = NULL;
    machine_kernel(module, "scale<float>");
    simdriver_fail("cuLibraryLoadData", 1, CBN_CU_INVALID_IMAGE, true);
    assert_int_equal(cubinet_module_find_kernel(module, "clustered", &kernel), CUBINET_ERROR_NO_IMAGE);
    expect_message("kernel 'clustered' was left out of '");
    expect_message("used.cubinet': its rest, '");
    expect_message("rest.cubinet': no image of module 'demo' runs on device 0");
    expect_message("\n  sm_90: part 0: cuLibraryLoadData failed: CUDA_ERROR_INVALID_IMAGE");
    expect_message("\n  sm_80 is not sm_90, which the module runs");
    expect_message("\n  compute_80 is not sm_90, which the module runs");
    assert_null(strstr(cubinet_error_message(), "policy"));
    CUdeviceptr address = 0;
    assert_int_equal(cubinet_module_find_global(module, "table", &address, NULL), CUBINET_ERROR_NO_IMAGE);
    expect_message("global 'table' was sought in the rest of '");
    expect_message("rest.cubinet': no image of module 'demo'");
    simdriver_fail_none();
    machine_kernel(module, "clustered");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void sign(const char *path, const char *key_path)
{
    struct draft draft = {0};
    struct signing_key key;
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
    assert_int_equal(signing_key_read(key_path, &key), CUBINET_OK);
    const struct archive_writer_options options = {.keys = &key, .key_count = 1};
    assert_int_equal(draft_add_archive(&draft, archive, path), CUBINET_OK);
    assert_int_equal(property_list_keep(&draft.properties, archive, path), CUBINET_OK);
    cubinet_archive_close(archive);
    /* draft_add_archive() lists kernels of images alone. */
    for (size_t i = 0; dropped[i]; i++) {
        assert_int_equal(draft_add_kernel(draft_module(&draft, DEMO), dropped[i], NULL), CUBINET_OK);
    }
    assert_int_equal(archive_write_file(&draft, &options, path), CUBINET_OK);
    signing_key_forget(&key);
    draft_free(&draft);
}

static void read_public_key(char *key, size_t room)
{
    FILE *file = fopen(SIGNATURE_KEYS "/plain.pub", "r");
    assert_non_null(file);
    assert_true(fread(key, 1, room - 1, file) > 0);
    fclose(file);
}

/* Who trusts keys for the archive trusts the same for what was left out. */
static void test_a_rest_is_trusted_as_the_archive_is(void **state)
{
    (void)state;
    char public_key[512] = "";
    read_public_key(public_key, sizeof(public_key));
    const char *const keys[] = {public_key};
    const cubinet_archive_options trusted = {
        .size = sizeof(trusted), .public_keys = keys, .public_key_count = 1};
    write_both(ID);
    sign(used_path, SIGNATURE_KEYS "/plain.key");
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        cubinet_archive *archive = NULL;
        cubinet_kernel *kernel = NULL;
        assert_int_equal(cubinet_archive_open(used_path, &trusted, &archive), CUBINET_OK);
        cubinet_module *module = machine_load(driver, archive, 0);
        assert_int_equal(cubinet_module_find_kernel(module, "direct", &kernel),
                         is_signed ? CUBINET_OK : CUBINET_ERROR_NOT_TRUSTED);
        assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
        cubinet_archive_close(archive);
        machine_stop(driver);
        if (!is_signed) {
            sign(rest_path, SIGNATURE_KEYS "/plain.key");
        }
    }
}

/* The bytes of a file, which the caller frees. */
static void *read_file(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *out_size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*out_size);
    assert_int_equal(fread(bytes, 1, *out_size, file), *out_size);
    fclose(file);
    return bytes;
}

static void test_an_archive_in_memory_has_no_file_beside_it(void **state)
{
    (void)state;
    write_both(ID);
    size_t size = 0;
    void *bytes = read_file(used_path, &size);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = NULL;
    cubinet_kernel *kernel = NULL;
    assert_int_equal(cubinet_archive_open_memory(bytes, size, NULL, &archive), CUBINET_OK);
    cubinet_module *module = machine_load(driver, archive, 0);
    assert_int_equal(cubinet_module_find_kernel(module, "direct", &kernel), CUBINET_ERROR_NOT_FOUND);
    expect_message("which only a catalog can find");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
    free(bytes);
}

/* Finds "direct" in the rest while an allocation fails; whether all were made. */
static bool find_without_memory(const cubinet_archive_options *options, unsigned int failing)
{
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = NULL;
    cubinet_kernel *kernel = NULL;
    assert_int_equal(cubinet_archive_open(used_path, options, &archive), CUBINET_OK);
    cubinet_module *module = machine_load(driver, archive, 0);
    allocations_watch(failing);
    cubinet_status status = cubinet_module_find_kernel(module, "direct", &kernel);
    bool is_whole = allocations_stop() < failing;
    assert_true(status == CUBINET_OK || (!is_whole && status == CUBINET_ERROR_OUT_OF_MEMORY));
    if (status) {
        machine_kernel(module, "direct"); /* another try */
    }
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
    return is_whole;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    char public_key[512] = "";
    const char *const keys[] = {public_key};
    const cubinet_archive_options trusted = {
        .size = sizeof(trusted), .public_keys = keys, .public_key_count = 1};
    read_public_key(public_key, sizeof(public_key));
    write_both(ID);
    sign(used_path, SIGNATURE_KEYS "/plain.key");
    sign(rest_path, SIGNATURE_KEYS "/plain.key");
    unsigned int failing = 1;
    while (!find_without_memory(&trusted, failing)) {
        failing++;
    }
    assert_in_range(failing, 5, 1000);
}

struct asking {
    cubinet_module *module;
    pthread_barrier_t *start;
    cubinet_kernel *kernel;
};

static void *ask(void *user)
{
    struct asking *asking = user;
    pthread_barrier_wait(asking->start);
    if (cubinet_module_find_kernel(asking->module, "direct", &asking->kernel)) {
        asking->kernel = NULL;
    }
    return NULL;
}

static void test_threads_get_the_same_rest(void **state)
{
    (void)state;
    write_both(ID);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = open_used();
    cubinet_module *module = machine_load(driver, archive, 0);
    pthread_barrier_t start;
    pthread_t threads[THREADS];
    struct asking asking[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        asking[i] = (struct asking){module, &start, NULL};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &asking[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_non_null(asking[i].kernel);
        assert_ptr_equal(asking[i].kernel, asking[0].kernel);
    }
    pthread_barrier_destroy(&start);
    assert_int_equal(simdriver_live_libraries(), 2);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kernels_come_from_the_rest_when_they_are_asked_for, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_the_archive_may_be_closed_before_the_rest_is_opened, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_modules_come_from_the_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_images_for_other_gpus_come_from_the_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_no_rest_has_is_an_error_with_the_date, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rests_that_are_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_catalog_pairs_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failures_of_the_driver_leave_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refusals_name_what_was_sought_and_the_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_rest_is_trusted_as_the_archive_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_archive_in_memory_has_no_file_beside_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_each_allocation_may_fail, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads_get_the_same_rest, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
