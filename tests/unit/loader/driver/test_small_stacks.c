/* SPDX-License-Identifier: Apache-2.0 */
/* Threads with half of the stack that <cubinet/cubinet.h> asks for: each call runs in one, below which lies
 * memory that ends the program when it is touched. */
#include "machine.h"
#include "unit.h"

#include <cubinet/cubinet.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
enum { STACK = 256 << 10 }; /* the sanitizers, and compilers that do not optimize, take most of it */
#else
enum { STACK = 16 << 10 };
#endif
enum { GUARD = 64 << 10 };

#define KEY "RWTpyQnZm24TnvY9eC+YtXlX7PJSzjpuogCQROpW11s12wevdKvS2FLi"

static struct {
    cubinet_driver *driver;
    cubinet_archive *raw, *packed;
    char folder[32];
    char path[64]; /* of an archive in it */
} world;

static void must(cubinet_status status)
{
    if (status) {
        print_error("%s\n", cubinet_error_message());
    }
    assert_int_equal(status, CUBINET_OK);
}

static void *open_a_file(void *unused)
{
    (void)unused;
    cubinet_archive *archive = NULL;
    char missing[96];
    must(cubinet_archive_open(world.path, NULL, &archive));
    cubinet_archive_close(archive);
    snprintf(missing, sizeof(missing), "%s#kernels", world.path);
    assert_int_equal(cubinet_archive_open(missing, NULL, &archive), CUBINET_ERROR_NOT_ARCHIVE);
    assert_int_equal(cubinet_archive_open("/proc/self/exe", NULL, &archive), CUBINET_ERROR_NOT_ARCHIVE);
    must(cubinet_archive_open_near(NULL, world.path, NULL, &archive));
    cubinet_archive_close(archive);
    assert_int_equal(cubinet_archive_open_near(NULL, "nothing", NULL, &archive), CUBINET_ERROR_IO);
    return NULL;
}

static void *open_with_keys(void *unused)
{
    (void)unused;
    const char *keys[] = {KEY};
    const cubinet_archive_options options = {
        .size = sizeof(options), .public_keys = keys, .public_key_count = 1};
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open(world.path, &options, &archive), CUBINET_ERROR_NOT_TRUSTED);
    return NULL;
}

static void *open_a_catalog(void *unused)
{
    (void)unused;
    cubinet_catalog *catalog = NULL;
    const cubinet_archive *archive = NULL;
    const cubinet_catalog_options near = {.size = sizeof(near),
                                          .flags = CUBINET_CATALOG_NEAR | CUBINET_CATALOG_NO_ENVIRONMENT};
    must(cubinet_catalog_open(world.folder, &near, &catalog));
    must(cubinet_catalog_find_module(catalog, DEMO, &archive, NULL));
    assert_int_equal(cubinet_catalog_find_module(catalog, "demos", &archive, NULL), CUBINET_ERROR_NOT_FOUND);
    cubinet_catalog_close(catalog);
    return NULL;
}

static void *open_the_driver(void *unused)
{
    (void)unused;
    cubinet_driver *driver = NULL;
    cubinet_driver_options options = {.size = sizeof(options), .library = SIMCUDA_12_0_PATH};
    must(cubinet_driver_open(&options, &driver));
    cubinet_driver_close(driver);
    options.library = "/nonexistent/libcuda.so";
    assert_int_equal(cubinet_driver_open(&options, &driver), CUBINET_ERROR_NO_DRIVER);
    return NULL;
}

static void load(const cubinet_archive *archive)
{
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    CUfunction function = NULL;
    must(cubinet_module_load(world.driver, archive, DEMO, 0, NULL, &module));
    must(cubinet_module_find_kernel(module, "scale< float >", &kernel));
    must(cubinet_kernel_get_function(kernel, &function));
    assert_int_equal(cubinet_module_find_kernel(module, "skale<float>", &kernel), CUBINET_ERROR_NOT_FOUND);
    must(cubinet_module_unload(module));
    assert_int_equal(cubinet_module_load(world.driver, archive, DEMO, 1, NULL, &module),
                     CUBINET_ERROR_NO_IMAGE);
}

static void *load_raw(void *unused)
{
    (void)unused;
    load(world.raw);
    return NULL;
}

static void *load_packed(void *unused)
{
    (void)unused;
    load(world.packed);
    return NULL;
}

static void *launch(void *unused)
{
    (void)unused;
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    CUdeviceptr values = 0;
    float factor = 2;
    unsigned count = 0;
    const cubinet_arg arguments[] = {
        {&values, sizeof(values)}, {&factor, sizeof(factor)}, {&count, sizeof(count)}};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1, 1, 1}, .block = {32, 1, 1}};
    must(cubinet_module_load(world.driver, world.raw, DEMO, 0, NULL, &module));
    must(cubinet_module_find_kernel(module, "scale<float>", &kernel));
    must(cubinet_kernel_launch(kernel, &config, arguments, 3));
    must(cubinet_module_unload(module));
    return NULL;
}

static void *preload(void *unused)
{
    (void)unused;
    const cubinet_preload_item item = {.archive = world.packed};
    cubinet_preload *result = NULL;
    must(cubinet_preload_run(world.driver, 0, &item, 1, NULL, &result));
    must(cubinet_preload_destroy(result));
    return NULL;
}

static void *open_a_cache(void *unused)
{
    (void)unused;
    cubinet_cache *cache = NULL;
    const cubinet_cache_options options = {.size = sizeof(options), .directory = world.folder};
    cubinet_cache_usage usage = {.size = sizeof(usage)};
    must(cubinet_cache_open(&options, &cache));
    must(cubinet_cache_get_usage(cache, &usage));
    cubinet_cache_close(cache);
    return NULL;
}

/* Runs a function on a stack of its own, and prints how much of it was used. */
static void run(const char *what, void *(*function)(void *unused))
{
    size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN); /* larger on some processors */
    size_t stack = least > STACK ? least : STACK;
    unsigned char *memory =
        mmap(NULL, GUARD + stack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(mprotect(memory + GUARD, stack, PROT_READ | PROT_WRITE), 0);
    memset(memory + GUARD, 0xa5, stack);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, memory + GUARD, stack), 0);
    assert_int_equal(pthread_create(&thread, &attributes, function, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    size_t unused = 0;
    while (unused < stack && memory[GUARD + unused] == 0xa5) {
        unused++;
    }
    print_message("%s: %zu of %zu bytes\n", what, stack - unused, stack);
    munmap(memory, GUARD + stack);
}

static void calls_run_on_small_stacks(void **state)
{
    (void)state;
    strcpy(world.folder, "/tmp/cubinet-test-XXXXXX");
    assert_non_null(mkdtemp(world.folder));
    snprintf(world.path, sizeof(world.path), "%s/a.cubinet", world.folder);
    machine_archive_file("sm_80 sm_90 compute_90", "1.0", world.path);
    world.driver = machine_start("8.0,7.5", NULL, NULL);
    world.raw = machine_archive("sm_80", 0);
    world.packed = machine_archive("sm_80", 19);
    run("open a file", open_a_file);
    run("open with keys", open_with_keys);
    run("open a catalog", open_a_catalog);
    run("open the driver", open_the_driver);
    run("load", load_raw);
    run("load what is compressed", load_packed);
    run("launch", launch);
    run("preload", preload);
    run("open a cache", open_a_cache);
    cubinet_archive_close(world.raw);
    cubinet_archive_close(world.packed);
    machine_stop(world.driver);
    char command[64];
    snprintf(command, sizeof(command), "rm -rf '%s'", world.folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_run_on_small_stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
