/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads ask for kernels of a module in parts, for the same and for different ones. Says most under the
 * thread sanitizer. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SURE "sm_90=scale_90+tile_90+clustered_90"

enum { THREADS = 12, ROUNDS = 15 };

struct shared {
    cubinet_module *modules[2];
    pthread_barrier_t start;
    atomic_uint failures;
    atomic_uint next_thread;
    bool may_lack_some; /* a kernel whose part the driver refuses */
};

static void expect(struct shared *shared, bool ok)
{
    if (!ok) {
        atomic_fetch_add(&shared->failures, 1);
    }
}

/* Asks for all kernels and a global, in an order of the thread's own. */
static void *ask(void *data)
{
    static const char *const names[] = {"scale", "tile", "clustered", "table"};
    struct shared *shared = data;
    unsigned int thread = atomic_fetch_add(&shared->next_thread, 1);
    cubinet_module *module = shared->modules[thread % 2];
    cubinet_image_info image = {.size = sizeof(image)};
    pthread_barrier_wait(&shared->start);
    for (unsigned int i = 0; i < 4; i++) {
        const char *name = names[(thread / 2 + i) % 4];
        cubinet_kernel *kernel = NULL;
        CUfunction function = NULL;
        CUdeviceptr table = 0;
        cubinet_status status = strcmp(name, "table") == 0
                                    ? cubinet_module_find_global(module, name, &table, NULL)
                                    : cubinet_module_find_kernel(module, name, &kernel);
        if (status && shared->may_lack_some) {
            continue;
        }
        expect(shared, status == CUBINET_OK);
        expect(shared, !kernel || cubinet_kernel_get_function(kernel, &function) == CUBINET_OK);
        expect(shared, cubinet_module_get_image(module, &image) == CUBINET_OK);
    }
    return NULL;
}

/* With the archive closed meanwhile, by this thread, and the memory gone that it lies in. */
static void run(struct shared *shared, cubinet_archive *archive, void *memory)
{
    pthread_t threads[THREADS];
    assert_int_equal(pthread_barrier_init(&shared->start, NULL, THREADS + 1), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask, shared), 0);
    }
    pthread_barrier_wait(&shared->start);
    cubinet_archive_close(archive);
    free(memory);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    pthread_barrier_destroy(&shared->start);
    assert_int_equal(atomic_load(&shared->failures), 0);
}

static void unload(struct shared *shared)
{
    assert_int_equal(cubinet_module_unload(shared->modules[0]), CUBINET_OK);
    assert_int_equal(cubinet_module_unload(shared->modules[1]), CUBINET_OK);
    machine_expect_clean(NULL);
}

/* The bytes of an archive, which the caller frees. */
static void *read_archive(const char *images, size_t *out_size)
{
    enum { ROOM = 64 << 10 };
    char path[] = "/tmp/cubinet-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    machine_archive_file(images, "1.0", path);
    FILE *file = fopen(path, "rb");
    close(descriptor);
    unlink(path);
    assert_non_null(file);
    void *bytes = malloc(ROOM);
    assert_non_null(bytes);
    *out_size = fread(bytes, 1, ROOM, file);
    assert_true(*out_size > 0 && feof(file));
    fclose(file);
    return bytes;
}

static void test_each_part_is_loaded_once(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    simdriver_delay("cuLibraryLoadData", 200);
    for (int round = 0; round < ROUNDS; round++) {
        cubinet_archive *archive = machine_archive(SURE " compute_80", round % 2 ? 19 : 0);
        struct shared shared = {
            .modules = {machine_load(driver, archive, 0), machine_load(driver, archive, 1)}};
        unsigned int before = simdriver_calls("cuLibraryLoadData");
        run(&shared, archive, NULL);
        assert_int_equal(simdriver_calls("cuLibraryLoadData") - before, 2 * 3);
        unload(&shared);
    }
    machine_stop(driver);
}

/* What is not loaded when the memory goes is copied before, while other threads load it. */
static void test_each_part_is_loaded_once_when_memory_goes(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    simdriver_delay("cuLibraryLoadData", 50);
    for (int round = 0; round < ROUNDS; round++) {
        size_t size = 0;
        void *memory =
            read_archive(round % 2 ? SURE : "sm_90=scale_80+tile_80+clustered_90 compute_90", &size);
        cubinet_archive *archive = NULL;
        assert_int_equal(cubinet_archive_open_memory(memory, size, NULL, &archive), CUBINET_OK);
        struct shared shared = {
            .modules = {machine_load(driver, archive, 0), machine_load(driver, archive, 1)}};
        /* Where "clustered" is first, the other two can't be had. */
        shared.may_lack_some = round % 2 == 0;
        run(&shared, archive, memory);
        unload(&shared);
    }
    machine_stop(driver);
}

static void test_devices_that_share_load_each_part_once(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    simdriver_delay("cuLibraryLoadData", 200);
    for (int round = 0; round < ROUNDS; round++) {
        cubinet_archive *archive = machine_archive(SURE, 0);
        struct shared shared = {.may_lack_some = false};
        unsigned int before = simdriver_calls("cuLibraryLoadData");
        assert_int_equal(cubinet_module_load_devices(driver, archive, DEMO, NULL, 2, NULL, shared.modules),
                         CUBINET_OK);
        run(&shared, archive, NULL);
        assert_int_equal(simdriver_calls("cuLibraryLoadData") - before, 3);
        unload(&shared);
    }
    machine_stop(driver);
}

/* Whoever is first decides: either the bad part is met first and all kernels come from the next image, or it
 * is not and the kernels of the bad part can't be had. Never both. */
static void test_all_threads_get_kernels_of_one_image(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    simdriver_delay("cuLibraryLoadData", 100);
    for (int round = 0; round < ROUNDS; round++) {
        cubinet_archive *archive = machine_archive("sm_90=scale_90+tile_80 compute_80", 0);
        struct shared shared = {
            .modules = {machine_load(driver, archive, 0), machine_load(driver, archive, 1)},
            .may_lack_some = true};
        run(&shared, archive, NULL);
        for (int i = 0; i < 2; i++) {
            char name[CUBINET_TARGET_NAME_SIZE];
            cubinet_kernel *scale = machine_kernel(shared.modules[i], "scale");
            cubinet_kernel *tile = NULL;
            cubinet_status status = cubinet_module_find_kernel(shared.modules[i], "tile", &tile);
            bool has_moved = strcmp(machine_loaded(shared.modules[i], name), "compute_80") == 0;
            assert_int_equal(status, has_moved ? CUBINET_OK : CUBINET_ERROR_NO_IMAGE);
            assert_true(!has_moved || cubinet_kernel_get_library(scale) == cubinet_kernel_get_library(tile));
        }
        unload(&shared);
    }
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_part_is_loaded_once),
        cmocka_unit_test(test_each_part_is_loaded_once_when_memory_goes),
        cmocka_unit_test(test_devices_that_share_load_each_part_once),
        cmocka_unit_test(test_all_threads_get_kernels_of_one_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
