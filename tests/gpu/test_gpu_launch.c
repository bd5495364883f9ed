/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of kernels.cu: wrong arguments are refused, right ones compute, and shared memory,
 * clusters, streams, globals and threads work. */
#include "gpu_test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100000, THREADS = 8, ROUNDS = 50, TABLE = 256 };

struct pair {
    float first;
    float second;
};

static struct gpu_calls calls;

static const cubinet_kernel *get_kernel(cubinet_module *module, const char *name)
{
    cubinet_kernel *kernel = NULL;
    GPU_OK(cubinet_module_find_kernel(module, name, &kernel));
    return kernel;
}

static CUdeviceptr device_array(const void *from, size_t bytes)
{
    CUdeviceptr address = 0;
    GPU_DRIVER(calls.cuMemAlloc(&address, bytes));
    gpu_copy_in(&calls, address, from, bytes);
    return address;
}

static void fill_globals(cubinet_module *module)
{
    float values[TABLE];
    for (int i = 0; i < TABLE; i++) {
        values[i] = (float)i / 4;
    }
    const float bias = 100;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    GPU_OK(cubinet_module_find_global(module, "table", &address, &bytes));
    GPU_TRUE(bytes == sizeof(values));
    gpu_copy_in(&calls, address, values, bytes);
    GPU_OK(cubinet_module_find_global(module, "&bias", &address, &bytes));
    GPU_TRUE(bytes == sizeof(bias));
    gpu_copy_in(&calls, address, &bias, bytes);
}

static cubinet_status launch_affine(cubinet_module *module, CUdeviceptr in, CUdeviceptr out, struct pair by,
                                    CUstream stream)
{
    unsigned int count = COUNT;
    const cubinet_arg args[] = {CUBINET_ARG(in), CUBINET_ARG(out), CUBINET_ARG(by), CUBINET_ARG(count)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {(COUNT + 255) / 256}, .block = {256}, .stream = stream};
    return cubinet_kernel_launch(get_kernel(module, "affine<float>"), &config, args, 4);
}

static bool affine_is_right(const float *in, const float *out, struct pair by)
{
    for (int i = 0; i < COUNT; i++) {
        /* Small multiples of 1/4: exact in float, whatever the order of the operations. */
        float expected = in[i] * by.first + by.second + (float)(i % TABLE) / 4 + 100;
        if (out[i] != expected) {
            printf("out[%d] is %f, not %f\n", i, (double)out[i], (double)expected);
            return false;
        }
    }
    return true;
}

struct work {
    cubinet_module *module;
    int thread;
    bool ok;
};

static void *compute_many(void *data)
{
    struct work *work = data;
    float *in = malloc(COUNT * sizeof(*in));
    float *out = malloc(COUNT * sizeof(*out));
    GPU_TRUE(in && out);
    for (int i = 0; i < COUNT; i++) {
        in[i] = (float)((i * (work->thread + 1)) % 1000);
    }
    /* Memory calls need a current context, launches do not. */
    CUcontext popped = NULL;
    CUcontext current = NULL;
    CUstream stream = NULL;
    GPU_DRIVER(calls.cuCtxPushCurrent(cubinet_module_get_context(work->module)));
    CUdeviceptr from = device_array(in, COUNT * sizeof(*in));
    CUdeviceptr to = device_array(in, COUNT * sizeof(*in));
    GPU_DRIVER(calls.cuStreamCreate(&stream, 1 /* CU_STREAM_NON_BLOCKING */));
    work->ok = true;
    for (int round = 0; round < ROUNDS && work->ok; round++) {
        const struct pair by = {(float)(round + 1), (float)work->thread};
        GPU_DRIVER(calls.cuCtxPopCurrent(&popped));
        GPU_OK(launch_affine(work->module, from, to, by, stream));
        GPU_DRIVER(calls.cuCtxGetCurrent(&current));
        GPU_TRUE(current == NULL);
        GPU_DRIVER(calls.cuCtxPushCurrent(popped));
        GPU_DRIVER(calls.cuStreamSynchronize(stream));
        GPU_DRIVER(calls.cuMemcpyDtoH(out, to, COUNT * sizeof(*out)));
        work->ok = affine_is_right(in, out, by);
    }
    GPU_DRIVER(calls.cuStreamDestroy(stream));
    GPU_DRIVER(calls.cuMemFree(from));
    GPU_DRIVER(calls.cuMemFree(to));
    GPU_DRIVER(calls.cuCtxPopCurrent(&popped));
    free(in);
    free(out);
    return NULL;
}

static void test_threads_compute(cubinet_module *module)
{
    pthread_t threads[THREADS];
    struct work works[THREADS];
    for (int i = 0; i < THREADS; i++) {
        works[i] = (struct work){.module = module, .thread = i};
        GPU_TRUE(pthread_create(&threads[i], NULL, compute_many, &works[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        GPU_TRUE(pthread_join(threads[i], NULL) == 0);
        GPU_TRUE(works[i].ok);
    }
    printf("%d threads, %d launches each: right\n", THREADS, ROUNDS);
}

static void test_wrong_arguments_are_refused(cubinet_module *module)
{
    const cubinet_kernel *kernel = get_kernel(module, "affine<float>");
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {256}};
    CUdeviceptr address = 0;
    double by = 1;
    char too_small = 0;
    unsigned int count = COUNT;
    const cubinet_arg args[] = {CUBINET_ARG(address), CUBINET_ARG(address), CUBINET_ARG(by),
                                CUBINET_ARG(too_small), CUBINET_ARG(count)};
    GPU_TRUE(cubinet_kernel_launch(kernel, &config, args, 3) == CUBINET_ERROR_LAUNCH_ARGUMENTS);
    GPU_TRUE(cubinet_kernel_launch(kernel, &config, args, 5) == CUBINET_ERROR_LAUNCH_ARGUMENTS);
    GPU_TRUE(cubinet_kernel_launch(kernel, &config, args, 4) == CUBINET_ERROR_LAUNCH_ARGUMENTS);
    printf("refused: %s\n", cubinet_error_message());
}

static cubinet_status launch_reverse(cubinet_module *module, CUdeviceptr values, unsigned int count,
                                     uint32_t threads)
{
    const cubinet_arg args[] = {CUBINET_ARG(values), CUBINET_ARG(count)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {1}, .block = {threads}, .dynamic_shared_bytes = 4 * count};
    return cubinet_kernel_launch(get_kernel(module, "reverse"), &config, args, 2);
}

static void test_reverses(cubinet_module *module, unsigned int count)
{
    int *values = malloc(count * sizeof(*values));
    GPU_TRUE(values != NULL);
    for (unsigned int i = 0; i < count; i++) {
        values[i] = (int)i;
    }
    CUdeviceptr address = device_array(values, count * sizeof(*values));
    GPU_OK(launch_reverse(module, address, count, 256));
    GPU_DRIVER(calls.cuMemcpyDtoH(values, address, count * sizeof(*values)));
    for (unsigned int i = 0; i < count; i++) {
        GPU_TRUE(values[i] == (int)(count - 1 - i));
    }
    GPU_DRIVER(calls.cuMemFree(address));
    free(values);
    printf("%u bytes of dynamic shared memory: right\n", 4 * count);
}

/* Without the refusal the launch would end the context, and with it every test that follows. */
static void test_no_shared_memory(cubinet_module *module)
{
    const cubinet_kernel *kernel = get_kernel(module, "reverse");
    CUdeviceptr values = 0;
    unsigned int count = 0; /* for which it uses none */
    const cubinet_arg args[] = {CUBINET_ARG(values), CUBINET_ARG(count)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};
    GPU_TRUE(cubinet_kernel_launch(kernel, &config, args, 2) == CUBINET_ERROR_INVALID_ARGUMENT);
    printf("refused: %s\n", cubinet_error_message());
    config.flags |= CUBINET_LAUNCH_NO_DYNAMIC_SHARED;
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, 2));
    GPU_DRIVER(calls.cuStreamSynchronize(NULL));
}

/* 15,000 ints are above 48 KiB, and within what every GPU since 7.5 allows (64 KiB). */
static void test_shared_memory(cubinet_module *module)
{
    static const unsigned int counts[] = {1000, 12288, 12289, 15000, 14000, 100};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        test_reverses(module, counts[i]);
    }
    test_no_shared_memory(module);
    GPU_TRUE(launch_reverse(module, 0, 1 << 20, 256) == CUBINET_ERROR_LIMIT);
    printf("refused: %s\n", cubinet_error_message());
    GPU_TRUE(launch_reverse(module, 0, 1, 257) == CUBINET_ERROR_LIMIT);
    printf("refused: %s\n", cubinet_error_message());
}

enum { BLOCKS = 16 };

/* Parts of compute capability 9 and 10 have clusters of 16, which are not portable. */
static bool has_large_clusters(const cubinet_driver *driver)
{
    cubinet_device_profile profile = {.size = sizeof(profile)};
    GPU_OK(cubinet_driver_get_profile(driver, 0, &profile));
    return profile.compute_major == 9 || profile.compute_major == 10;
}

static void launch_cluster(cubinet_module *module, const char *name, uint32_t asked, int expected)
{
    int ranks[2 * BLOCKS];
    memset(ranks, 0xff, sizeof(ranks));
    CUdeviceptr address = device_array(ranks, sizeof(ranks));
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {BLOCKS}, .block = {32}, .cluster = {asked}};
    GPU_OK(cubinet_kernel_launch(get_kernel(module, name), &config, args, 1));
    GPU_DRIVER(calls.cuMemcpyDtoH(ranks, address, sizeof(ranks)));
    for (int block = 0; block < BLOCKS; block++) {
        GPU_TRUE(ranks[2 * block] == block % expected);
        GPU_TRUE(ranks[2 * block + 1] == expected);
    }
    GPU_DRIVER(calls.cuMemFree(address));
    printf("%s: clusters of %d: right\n", name, expected);
}

static void test_clusters(const cubinet_driver *driver, cubinet_module *module)
{
    cubinet_kernel *kernel = NULL;
    if (cubinet_module_find_kernel(module, "cluster_of_two", &kernel) == CUBINET_ERROR_NOT_FOUND) {
        printf("no clusters: %s\n", cubinet_error_message());
        return;
    }
    launch_cluster(module, "any_cluster", 0, 1);
    launch_cluster(module, "any_cluster", 4, 4);
    launch_cluster(module, "any_cluster", 8, 8);
    if (has_large_clusters(driver)) {
        launch_cluster(module, "any_cluster", 16, 16);
    }
    launch_cluster(module, "cluster_of_two", 0, 2);
    launch_cluster(module, "cluster_of_two", 2, 2);
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {3}, .block = {32}};
    CUdeviceptr address = 0;
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    GPU_TRUE(cubinet_kernel_launch(kernel, &config, args, 1) == CUBINET_ERROR_LIMIT);
    printf("refused: %s\n", cubinet_error_message());
}

static void test_image(cubinet_driver *driver, const cubinet_archive *archive, const char *target)
{
    const cubinet_policy policy = {.size = sizeof(policy), .only = target};
    const cubinet_load_options options = {.size = sizeof(options), .policy = &policy};
    cubinet_module *module = NULL;
    CUcontext context = NULL;
    printf("%s\n", target);
    GPU_OK(cubinet_module_load(driver, archive, "kernels", 0, &options, &module));
    GPU_DRIVER(calls.cuCtxGetCurrent(&context));
    GPU_TRUE(context == NULL);
    GPU_DRIVER(calls.cuCtxPushCurrent(cubinet_module_get_context(module)));
    fill_globals(module);
    test_wrong_arguments_are_refused(module);
    test_shared_memory(module);
    test_clusters(driver, module);
    GPU_DRIVER(calls.cuCtxPopCurrent(&context));
    test_threads_compute(module);
    GPU_OK(cubinet_module_unload(module));
}

int main(int argc, char **argv)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    uint32_t images[GPU_MAX_IMAGES];
    uint32_t module = 0;
    cubinet_archive *archive = NULL;
    cubinet_driver *driver = gpu_start(&calls);
    GPU_TRUE(argc == 2);
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    GPU_OK(cubinet_archive_find_module(archive, "kernels", &module));
    size_t count = gpu_candidates(driver, archive, module, images);
    GPU_TRUE(count > 0);
    for (size_t i = 0; i < count; i++) {
        cubinet_image_info info = {.size = sizeof(info)};
        GPU_OK(cubinet_archive_get_image(archive, module, images[i], &info));
        test_image(driver, archive, cubinet_target_name(info.target, target));
    }
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return EXIT_SUCCESS;
}
