/* SPDX-License-Identifier: Apache-2.0 */
/* Links the kernel of link_step.cu with link_rest.cu, here and ahead of time: its results are those of the
 * same code compiled whole, what is recorded of it is what the driver says, and a function that the program
 * brings takes the other's place. Prints how long runs and loads take. */
#include "gpu_test.h"

#include <cubinet/link.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1 << 24, RUNS = 50, LOADS = 21 };

static struct gpu_calls calls;

/* rest() as another compiler might have made it: x - i, and a call that stays one. */
static const char difference[] = ".version 8.0\n"
                                 ".target sm_75\n"
                                 ".address_size 64\n"
                                 ".visible .func (.param .b32 result) rest(.param .b32 x, .param .b32 i)\n"
                                 "{\n"
                                 "    .reg .f32 %f<4>;\n"
                                 "    .reg .s32 %r<2>;\n"
                                 "    ld.param.f32 %f1, [x];\n"
                                 "    ld.param.s32 %r1, [i];\n"
                                 "    cvt.rn.f32.s32 %f2, %r1;\n"
                                 "    sub.f32 %f3, %f1, %f2;\n"
                                 "    st.param.f32 [result], %f3;\n"
                                 "    ret;\n"
                                 "}\n";

struct arrays {
    float *host_in;
    float *host_out;
    CUdeviceptr in;
    CUdeviceptr out;
};

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void launch(const cubinet_kernel *kernel, const struct arrays *arrays)
{
    int count = COUNT;
    const cubinet_arg args[] = {CUBINET_ARG(arrays->in), CUBINET_ARG(arrays->out), CUBINET_ARG(count)};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {COUNT / 256}, .block = {256}};
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, 3));
}

/* Runs the module's kernel, fetches what it made, and says how long a run takes. */
static void run(cubinet_module *module, const struct arrays *arrays, const char *what)
{
    cubinet_kernel *kernel = NULL;
    GPU_OK(cubinet_module_find_kernel(module, "step<float>", &kernel));
    launch(kernel, arrays);
    GPU_DRIVER(calls.cuMemcpyDtoH(arrays->host_out, arrays->out, COUNT * sizeof(float)));
    double start = now_us();
    for (int i = 0; i < RUNS; i++) {
        launch(kernel, arrays);
    }
    GPU_DRIVER(calls.cuStreamSynchronize(NULL));
    printf("%-28s %8.2f us a run\n", what, (now_us() - start) / RUNS);
}

static void expect_squares(const struct arrays *arrays)
{
    for (int i = 0; i < COUNT; i++) {
        float x = arrays->host_in[i] * 0.5f;
        GPU_TRUE(arrays->host_out[i] == x * x + (float)(i % 7)); /* exact: all are small whole numbers */
    }
}

static void expect_differences(const struct arrays *arrays)
{
    for (int i = 0; i < COUNT; i++) {
        GPU_TRUE(arrays->host_out[i] == arrays->host_in[i] * 0.5f - (float)i);
    }
}

/* What was read of the linked cubin against what the driver says. */
static void check_record(cubinet_module *module)
{
    static const unsigned int attributes[] = {CBN_CU_FUNC_NUM_REGS, CBN_CU_FUNC_SHARED_SIZE_BYTES,
                                              CBN_CU_FUNC_LOCAL_SIZE_BYTES, CBN_CU_FUNC_CONST_SIZE_BYTES,
                                              CBN_CU_FUNC_MAX_THREADS_PER_BLOCK};
    cubinet_kernel *kernel = NULL;
    CUfunction function = NULL;
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    GPU_OK(cubinet_module_find_kernel(module, "step<float>", &kernel));
    GPU_OK(cubinet_kernel_get_function(kernel, &function));
    GPU_OK(cubinet_kernel_get_resources(kernel, &resources));
    const uint32_t recorded[] = {resources.registers, resources.static_shared_bytes, resources.local_bytes,
                                 resources.constant_bytes, resources.max_threads_per_block};
    for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
        int value = 0;
        GPU_DRIVER(calls.cuFuncGetAttribute(&value, attributes[i], function));
        GPU_TRUE((uint32_t)value == recorded[i]);
    }
    GPU_TRUE(resources.param_count == 3 && resources.param_bytes == 20);
}

static cubinet_module *link_difference(cubinet_driver *driver, const cubinet_archive *archive)
{
    const cubinet_link_options options = {.size = sizeof(options), .flags = CUBINET_LINK_NO_CACHE};
    cubinet_link *link = NULL;
    cubinet_module *module = NULL;
    GPU_OK(cubinet_link_create(driver, 0, &options, &link));
    GPU_OK(cubinet_link_add_module(link, archive, "link_step"));
    GPU_OK(cubinet_link_add_data(link, CUBINET_PIECE_PTX, difference, sizeof(difference), "difference"));
    GPU_OK(cubinet_link_complete(link, &module));
    cubinet_link_destroy(link);
    return module;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The median of several loads; `folder`: of a cache that is opened anew for each, so that its memory is
 * empty. */
static double load_time(cubinet_driver *driver, const cubinet_archive *archive, const char *name,
                        cubinet_cache *cache, const char *folder)
{
    double times[LOADS];
    for (int i = 0; i < LOADS; i++) {
        const cubinet_cache_options options = {
            .size = sizeof(options), .directory = folder, .shared_directory = ""};
        cubinet_cache *own = NULL;
        cubinet_module *module = NULL;
        if (folder) {
            GPU_OK(cubinet_cache_open(&options, &own));
        }
        const cubinet_load_options load = {.size = sizeof(load),
                                           .cache = folder ? own : cache,
                                           .flags = !folder && !cache ? CUBINET_LOAD_NO_CACHE : 0};
        double start = now_us();
        GPU_OK(cubinet_module_load(driver, archive, name, 0, &load, &module));
        times[i] = now_us() - start;
        GPU_OK(cubinet_module_unload(module));
        cubinet_cache_close(own);
    }
    qsort(times, LOADS, sizeof(times[0]), compare);
    return times[LOADS / 2];
}

static void print_load_times(cubinet_driver *driver, const cubinet_archive *archive)
{
    char folder[] = "/tmp/cubinet-gpu-XXXXXX";
    char command[128];
    GPU_TRUE(mkdtemp(folder) != NULL);
    const cubinet_cache_options options = {
        .size = sizeof(options), .directory = folder, .shared_directory = ""};
    cubinet_cache *cache = NULL;
    GPU_OK(cubinet_cache_open(&options, &cache));
    double whole = load_time(driver, archive, "link_whole", NULL, NULL);
    double linked = load_time(driver, archive, "link_step", NULL, NULL);
    double memory = load_time(driver, archive, "link_step", cache, NULL);
    double disk = load_time(driver, archive, "link_step", NULL, folder);
    printf("loads: cubin of the archive %.1f us; linked anew %.1f us (%.1f times); from the cache on disk "
           "%.1f us "
           "(%.2f times); from memory %.1f us (%.2f times)\n",
           whole, linked, linked / whole, disk, disk / whole, memory, memory / whole);
    cubinet_cache_close(cache);
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    GPU_TRUE(system(command) == 0);
}

static void make_arrays(struct arrays *arrays)
{
    arrays->host_in = malloc(COUNT * sizeof(float));
    arrays->host_out = malloc(COUNT * sizeof(float));
    GPU_TRUE(arrays->host_in && arrays->host_out);
    for (int i = 0; i < COUNT; i++) {
        arrays->host_in[i] = (float)(i % 1000 * 2);
    }
    GPU_DRIVER(calls.cuMemAlloc(&arrays->in, COUNT * sizeof(float)));
    GPU_DRIVER(calls.cuMemAlloc(&arrays->out, COUNT * sizeof(float)));
    GPU_DRIVER(calls.cuMemcpyHtoD(arrays->in, arrays->host_in, COUNT * sizeof(float)));
}

static void free_arrays(struct arrays *arrays)
{
    GPU_DRIVER(calls.cuMemFree(arrays->in));
    GPU_DRIVER(calls.cuMemFree(arrays->out));
    free(arrays->host_in);
    free(arrays->host_out);
}

int main(int argc, char **argv)
{
    const cubinet_load_options options = {.size = sizeof(options), .flags = CUBINET_LOAD_NO_CACHE};
    cubinet_driver *driver = gpu_start(&calls);
    cubinet_archive *archive = NULL;
    cubinet_module *whole = NULL;
    cubinet_module *linked = NULL;
    cubinet_module *ahead = NULL;
    struct arrays arrays = {0};
    CUcontext popped = NULL;
    GPU_TRUE(argc == 2);
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    GPU_OK(cubinet_module_load(driver, archive, "link_whole", 0, &options, &whole));
    GPU_OK(cubinet_module_load(driver, archive, "link_step", 0, &options, &linked));
    GPU_OK(cubinet_module_load(driver, archive, "link_ahead", 0, &options, &ahead));
    cubinet_module *plugged = link_difference(driver, archive);
    GPU_DRIVER(calls.cuCtxPushCurrent(cubinet_module_get_context(whole)));
    make_arrays(&arrays);
    run(whole, &arrays, "compiled whole");
    expect_squares(&arrays);
    run(linked, &arrays, "linked from LTO-IR");
    expect_squares(&arrays);
    check_record(linked);
    run(ahead, &arrays, "linked when it was built");
    expect_squares(&arrays);
    check_record(ahead);
    run(plugged, &arrays, "with a call into PTX");
    expect_differences(&arrays);
    check_record(plugged);
    free_arrays(&arrays);
    print_load_times(driver, archive); /* while the modules keep the context */
    GPU_DRIVER(calls.cuCtxPopCurrent(&popped));
    GPU_OK(cubinet_module_unload(whole));
    GPU_OK(cubinet_module_unload(linked));
    GPU_OK(cubinet_module_unload(ahead));
    GPU_OK(cubinet_module_unload(plugged));
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return EXIT_SUCCESS;
}
