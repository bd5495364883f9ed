/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a module are loaded after its archive was closed: from a file that stays open, and from memory
 * that was the program's and is gone. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <cubinet/catalog.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SURE   "sm_90=scale_90+tile_90+clustered_90"
#define AS_PTX "compute_80=scale+tile"

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        print_error("'%s' is not in: %s\n", part, text);
        fail();
    }
}

static cubinet_status find_status(cubinet_module *module, const char *name)
{
    cubinet_kernel *kernel = NULL;
    return cubinet_module_find_kernel(module, name, &kernel);
}

static void expect_image(const cubinet_module *module, const char *target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    assert_string_equal(machine_loaded(module, name), target);
}

/* Each kernel's own part is loaded, and has the kernel. */
static void use_all(cubinet_module *module)
{
    CUfunction function = NULL;
    CUdeviceptr table = 0;
    assert_int_equal(cubinet_kernel_get_function(machine_kernel(module, "scale"), &function), CUBINET_OK);
    assert_int_equal(cubinet_kernel_get_function(machine_kernel(module, "tile"), &function), CUBINET_OK);
    assert_int_equal(cubinet_module_find_global(module, "table", &table, NULL), CUBINET_OK);
}

static unsigned int count_descriptors(void)
{
    unsigned int count = 0;
    for (int i = 0; i < 256; i++) {
        count += fcntl(i, F_GETFD) >= 0;
    }
    return count;
}

/* A file of its own for each test. */
static void make_file(const char *images, char path[32])
{
    snprintf(path, 32, "/tmp/cubinet-test-XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    machine_archive_file(images, "1.0", path);
}

static void test_a_file_stays_open_as_long_as_it_may_be_needed(void **state)
{
    (void)state;
    char path[32];
    cubinet_archive *archive = NULL;
    make_file(SURE " sm_80 sm_75 sm_120", path);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    unsigned int before = count_descriptors();
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
    assert_int_equal(count_descriptors(), before + 1); /* it is more than what is read whole */
    cubinet_module *module = machine_load(driver, archive, 0);
    unlink(path);
    cubinet_archive_close(archive);
    use_all(module);
    assert_int_equal(count_descriptors(), before + 1);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    assert_int_equal(count_descriptors(), before);
    machine_stop(driver);
}

static void test_moves_on_after_a_file_was_closed(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90=scale_90+tile_80 " AS_PTX " sm_75 sm_120", 0);
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_archive_close(archive);
    expect_image(module, "sm_90");
    machine_kernel(module, "tile");
    expect_image(module, "compute_80");
    use_all(module);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
}

static void test_signed_archives_stay_trusted(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_lying_archive(SURE, NULL, SIGNATURE_KEYS "/plain");
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_archive_close(archive);
    use_all(module);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
}

static void test_the_module_outlives_its_catalog(void **state)
{
    (void)state;
    char folder[] = "/tmp/cubinet-test-XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.cubinet", folder);
    machine_archive_file(SURE " sm_75 sm_120", "1.0", path);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    const cubinet_catalog_options options = {.size = sizeof(options),
                                             .flags = CUBINET_CATALOG_NO_ENVIRONMENT};
    const cubinet_archive *archive = NULL;
    cubinet_catalog *catalog = NULL;
    assert_int_equal(cubinet_catalog_open(folder, &options, &catalog), CUBINET_OK);
    assert_int_equal(cubinet_catalog_find_module(catalog, DEMO, &archive, NULL), CUBINET_OK);
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_catalog_close(catalog);
    unlink(path);
    rmdir(folder);
    use_all(module);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
}

/* Archives in memory of their own, which is no more after the close: to read it ends the program. */
struct memory {
    void *bytes;
    size_t size;
    cubinet_archive *archive;
};

static struct memory open_memory(const char *images)
{
    struct memory memory = {0};
    char path[32];
    make_file(images, path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unlink(path);
    fseek(file, 0, SEEK_END);
    memory.size = (size_t)ftell(file);
    rewind(file);
    memory.bytes = mmap(NULL, memory.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory.bytes != MAP_FAILED);
    assert_int_equal(fread(memory.bytes, 1, memory.size, file), memory.size);
    fclose(file);
    assert_int_equal(cubinet_archive_open_memory(memory.bytes, memory.size, NULL, &memory.archive),
                     CUBINET_OK);
    return memory;
}

static void close_memory(struct memory *memory)
{
    cubinet_archive_close(memory->archive);
    assert_int_equal(mprotect(memory->bytes, memory->size, PROT_NONE), 0);
}

static void free_memory(struct memory *memory)
{
    munmap(memory->bytes, memory->size);
}

static void test_what_is_left_of_memory_is_kept(void **state)
{
    (void)state;
    static const char *const images[] = {SURE, AS_PTX};
    for (size_t i = 0; i < COUNT(images); i++) {
        cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
        struct memory memory = open_memory(images[i]);
        cubinet_module *unused = machine_load(driver, memory.archive, 0);
        cubinet_module *used = machine_load(driver, memory.archive, 1);
        cubinet_module *gone = machine_load(driver, memory.archive, 1);
        cubinet_module *shared[2];
        machine_kernel(used, "scale");
        assert_int_equal(cubinet_module_load_devices(driver, memory.archive, DEMO, NULL, 2, NULL, shared),
                         CUBINET_OK);
        assert_int_equal(cubinet_module_unload(gone), CUBINET_OK);
        machine_expect_current(NULL);
        close_memory(&memory);
        machine_expect_current(NULL);
        use_all(unused);
        use_all(used);
        use_all(shared[1]);
        use_all(shared[0]);
        assert_int_equal(cubinet_module_unload(unused), CUBINET_OK);
        assert_int_equal(cubinet_module_unload(used), CUBINET_OK);
        assert_int_equal(cubinet_module_unload(shared[0]), CUBINET_OK);
        assert_int_equal(cubinet_module_unload(shared[1]), CUBINET_OK);
        free_memory(&memory);
        machine_stop(driver);
    }
}

/* Other images are gone afterwards. */
static void test_the_image_is_decided_before_memory_goes(void **state)
{
    (void)state;
    static const char *const next[] = {"sm_90=scale_80+tile_80 " AS_PTX, "sm_90=scale_80+tile_80 compute_80"};
    for (size_t i = 0; i < COUNT(next); i++) {
        cubinet_driver *driver = machine_start("9.0", NULL, NULL);
        struct memory memory = open_memory(next[i]);
        cubinet_module *module = machine_load(driver, memory.archive, 0);
        expect_image(module, "sm_90");
        close_memory(&memory);
        expect_image(module, "compute_80");
        use_all(module);
        assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
        free_memory(&memory);
        machine_stop(driver);
    }
}

static void test_a_part_that_is_refused_after_memory_went_is_an_error(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    struct memory memory = open_memory("sm_90=scale_90+tile_80 compute_80");
    cubinet_module *module = machine_load(driver, memory.archive, 0);
    close_memory(&memory);
    assert_int_equal(find_status(module, "tile"), CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), "which the module already uses");
    machine_kernel(module, "scale");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    free_memory(&memory);
    machine_stop(driver);
}

static void test_no_image_that_runs_when_memory_goes(void **state)
{
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    struct memory memory = open_memory("sm_90=scale_80+tile_80");
    cubinet_module *module = machine_load(driver, memory.archive, 0);
    CUdeviceptr table = 0;
    if (*state) { /* as before, after a call that found none either */
        assert_int_equal(find_status(module, "tile"), CUBINET_ERROR_NO_IMAGE);
    }
    close_memory(&memory);
    assert_int_equal(find_status(module, "tile"), CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), "when the archive of module 'demo' was closed, which ends the choice "
                                       "of its image: no image of module "
                                       "'demo' runs on device 0");
    expect_in(cubinet_error_message(), "sm_90: part 0: cuLibraryGetKernel of 'scale' failed: ");
    assert_int_equal(cubinet_module_find_global(module, "table", &table, NULL), CUBINET_ERROR_NO_IMAGE);
    expect_image(module, "sm_90");
    assert_null(cubinet_module_get_library(module));
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    free_memory(&memory);
    machine_stop(driver);
}

/* Trouble of the driver's at the close is nobody's; the part is loaded when it is asked for. */
static void test_trouble_at_the_close_is_not_heard_of(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    struct memory memory = open_memory(SURE);
    cubinet_module *module = machine_load(driver, memory.archive, 0);
    assert_int_equal(find_status(module, "scaling"), CUBINET_ERROR_NOT_FOUND);
    char before[256];
    snprintf(before, sizeof(before), "%s", cubinet_error_message());
    simdriver_fail("cuLibraryLoadData", 1, CBN_CU_OUT_OF_MEMORY, false);
    close_memory(&memory);
    assert_string_equal(cubinet_error_message(), before);
    use_all(module);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    free_memory(&memory);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_stays_open_as_long_as_it_may_be_needed),
        cmocka_unit_test(test_moves_on_after_a_file_was_closed),
        cmocka_unit_test(test_signed_archives_stay_trusted),
        cmocka_unit_test(test_the_module_outlives_its_catalog),
        cmocka_unit_test(test_what_is_left_of_memory_is_kept),
        cmocka_unit_test(test_the_image_is_decided_before_memory_goes),
        cmocka_unit_test(test_a_part_that_is_refused_after_memory_went_is_an_error),
        cmocka_unit_test(test_no_image_that_runs_when_memory_goes),
        cmocka_unit_test_prestate(test_no_image_that_runs_when_memory_goes, "asked before"),
        cmocka_unit_test(test_trouble_at_the_close_is_not_heard_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
