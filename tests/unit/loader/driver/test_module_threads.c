/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads at once: loading, launching, opting in and unloading on two devices of different
 * architectures. Says most under the thread sanitizer. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 16, ROUNDS = 20 };

struct shared {
    cubinet_driver *driver;
    cubinet_archive *archive;
    cubinet_module *modules[2]; /* one for each device, used by all threads */
    atomic_uint failures;
    atomic_uint next_thread;
};

/* cmocka's assertions are for the main thread. */
static void expect(struct shared *shared, bool ok)
{
    if (!ok) {
        atomic_fetch_add(&shared->failures, 1);
    }
}

static cubinet_status launch_tile(cubinet_module *module, uint32_t dynamic_shared_bytes)
{
    CUdeviceptr address = 0;
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {1}, .block = {32}, .dynamic_shared_bytes = dynamic_shared_bytes};
    cubinet_kernel *kernel = NULL;
    cubinet_status status = cubinet_module_find_kernel(module, "tile", &kernel);
    return status ? status : cubinet_kernel_launch(kernel, &config, args, COUNT(args));
}

static void one_round(struct shared *shared, unsigned int thread, unsigned int round)
{
    int device = (int)((thread + round) % 2);
    cubinet_module *own = NULL;
    CUdeviceptr table = 0;
    expect(shared,
           launch_tile(shared->modules[device], 48000 + 512 * ((thread * 7 + round) % 32)) == CUBINET_OK);
    expect(shared,
           cubinet_module_load(shared->driver, shared->archive, DEMO, device, NULL, &own) == CUBINET_OK);
    expect(shared, launch_tile(own, 50000) == CUBINET_OK);
    expect(shared, cubinet_module_find_global(own, "table", &table, NULL) == CUBINET_OK);
    /* An error of one thread is not seen by another. */
    char missing[32];
    snprintf(missing, sizeof(missing), "no kernel %u", thread);
    cubinet_kernel *kernel = NULL;
    expect(shared, cubinet_module_find_kernel(own, missing, &kernel) == CUBINET_ERROR_NOT_FOUND);
    expect(shared, strstr(cubinet_error_message(), missing) != NULL);
    expect(shared, cubinet_module_unload(own) == CUBINET_OK);
}

static void *work(void *data)
{
    struct shared *shared = data;
    unsigned int thread = atomic_fetch_add(&shared->next_thread, 1);
    CUcontext current = cubinet_module_get_context(shared->modules[thread % 2]);
    CUcontext found = NULL;
    if (thread % 3 == 0) { /* some threads have a context, some have none */
        expect(shared, cuCtxPushCurrent_v2(current) == 0);
    }
    for (unsigned int round = 0; round < ROUNDS; round++) {
        one_round(shared, thread, round);
        expect(shared, cuCtxGetCurrent(&found) == 0);
        expect(shared, found == (thread % 3 == 0 ? current : NULL));
    }
    return NULL;
}

static void test_sixteen_threads_on_two_devices(void **state)
{
    (void)state;
    struct shared shared = {.driver = machine_start("9.0,8.6", NULL, NULL),
                            .archive = machine_archive("sm_80 sm_90 compute_80", 19)};
    shared.modules[0] = machine_load(shared.driver, shared.archive, 0);
    shared.modules[1] = machine_load(shared.driver, shared.archive, 1);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &shared), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(atomic_load(&shared.failures), 0);
    assert_int_equal(cubinet_module_unload(shared.modules[0]), CUBINET_OK);
    assert_int_equal(cubinet_module_unload(shared.modules[1]), CUBINET_OK);
    cubinet_archive_close(shared.archive);
    machine_stop(shared.driver);
}

/* The largest request of any thread is what the kernel ends with. */
static void *raise_shared(void *data)
{
    struct shared *shared = data;
    unsigned int thread = atomic_fetch_add(&shared->next_thread, 1);
    for (unsigned int round = 0; round < ROUNDS; round++) {
        expect(shared, launch_tile(shared->modules[0], 50000 + 1000 * ((thread + 5 * round) % THREADS)) ==
                           CUBINET_OK);
    }
    return NULL;
}

static void test_opting_in_is_raised_and_never_lowered(void **state)
{
    (void)state;
    struct shared shared = {.driver = machine_start("9.0", NULL, NULL),
                            .archive = machine_archive("sm_90", 0)};
    shared.modules[0] = machine_load(shared.driver, shared.archive, 0);
    simdriver_delay("cuKernelSetAttribute", 500); /* so that threads ask while another is being served */
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, raise_shared, &shared), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(atomic_load(&shared.failures), 0);
    assert_int_equal(simdriver_dynamic_shared("tile", 0), 50000 + 1000 * (THREADS - 1));
    assert_int_equal(simdriver_lowered(), 0);
    assert_int_equal(cubinet_module_unload(shared.modules[0]), CUBINET_OK);
    cubinet_archive_close(shared.archive);
    machine_stop(shared.driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sixteen_threads_on_two_devices),
        cmocka_unit_test(test_opting_in_is_raised_and_never_lowered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
