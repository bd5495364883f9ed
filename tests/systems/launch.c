/* SPDX-License-Identifier: Apache-2.0 */
/* Launches kernels that other systems compiled, from the archives that make.sh makes, and compares results
 * with those of the processor. A line for each archive; one that is not there is said to be absent. */
#include "gpu_test.h"

#include <cubinet/arguments.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1000, ROOM = 4096, BLOCK = 128, WIDTH = 37, HEIGHT = 29 };

static struct gpu_calls calls;
static cubinet_driver *driver;
static float x[ROOM], y[ROOM], results[ROOM];
static CUdeviceptr x_device, y_device;

static void give(void)
{
    for (int i = 0; i < ROOM; i++) {
        x[i] = (float)(i % 101) - 50;
        y[i] = (float)(i % 13) / 4;
    }
    GPU_DRIVER(calls.cuMemcpyHtoD(x_device, x, sizeof(x)));
    GPU_DRIVER(calls.cuMemcpyHtoD(y_device, y, sizeof(y)));
}

static void take(void)
{
    GPU_DRIVER(calls.cuMemcpyDtoH(results, y_device, sizeof(results)));
}

static void expect(int index, double value)
{
    if (fabs((double)results[index] - value) > 1e-3 * (1 + fabs(value))) {
        printf("number %d is %g, not %g\n", index, (double)results[index], value);
        GPU_TRUE(false);
    }
}

static void launch(const cubinet_kernel *kernel, unsigned blocks, unsigned threads, unsigned shared,
                   const cubinet_arg *args, uint32_t count)
{
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {blocks}, .block = {threads}, .dynamic_shared_bytes = shared};
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, count));
}

/* Without shared memory the launch is refused, and the context lives. */
static void expect_refusal(const cubinet_kernel *kernel, unsigned threads, const cubinet_arg *args,
                           uint32_t count)
{
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {threads}};
    GPU_TRUE(cubinet_kernel_launch(kernel, &config, args, count) == CUBINET_ERROR_INVALID_ARGUMENT);
    GPU_TRUE(strstr(cubinet_error_message(), "the archive does not record how many bytes"));
}

/* y += a * x, of C's parameters. */
static void test_saxpy(const cubinet_kernel *kernel)
{
    float a = 3;
    int n = COUNT;
    const cubinet_arg args[] = {CUBINET_ARG(a), CUBINET_ARG(x_device), CUBINET_ARG(y_device), CUBINET_ARG(n)};
    launch(kernel, (COUNT + BLOCK - 1) / BLOCK, BLOCK, 0, args, 4);
    take();
    for (int i = 0; i < ROOM; i++) {
        expect(i, i < n ? y[i] + a * x[i] : y[i]);
    }
}

static void test_numba_saxpy(const cubinet_kernel *kernel)
{
    float a = 3;
    const cubinet_numba_array1 xs = cubinet_numba_dense1(x_device, sizeof(float), COUNT);
    const cubinet_numba_array1 ys = cubinet_numba_dense1(y_device, sizeof(float), COUNT);
    cubinet_arg args[1 + 2 * CUBINET_NUMBA_ARRAY1_ARGS] = {CUBINET_ARG(a)};
    cubinet_numba_array1_args(&ys, cubinet_numba_array1_args(&xs, args + 1));
    launch(kernel, (COUNT + BLOCK - 1) / BLOCK, BLOCK, 0, args, sizeof(args) / sizeof(args[0]));
    take();
    for (int i = 0; i < ROOM; i++) {
        expect(i, i < COUNT ? y[i] + a * x[i] : y[i]);
    }
}

/* An array of numba-cuda-mlir's with one dimension: the address twice, the first element, elements, and
 * elements to the next. */
static void test_mlir_saxpy(const cubinet_kernel *kernel)
{
    float a = 3;
    const uint64_t params[10] = {x_device, x_device, 0, COUNT, 1, y_device, y_device, 0, COUNT, 1};
    cubinet_arg args[11] = {CUBINET_ARG(a)};
    for (int i = 0; i < 10; i++) {
        args[i + 1] = (cubinet_arg){.value = &params[i], .size = sizeof(params[i])};
    }
    launch(kernel, (COUNT + BLOCK - 1) / BLOCK, BLOCK, 0, args, 11);
    take();
    for (int i = 0; i < ROOM; i++) {
        expect(i, i < COUNT ? y[i] + a * x[i] : y[i]);
    }
}

/* An array of numba's with two dimensions: as one, and a shape and a stride more. */
static void put_plane(uint64_t params[9], CUdeviceptr data, uint64_t rows, uint64_t columns)
{
    const uint64_t values[9] = {0, 0, rows * columns, 4, data, rows, columns, 4 * columns, 4};
    memcpy(params, values, sizeof(values));
}

static void test_numba_transpose(const cubinet_kernel *kernel)
{
    uint64_t params[18];
    cubinet_arg args[18];
    put_plane(params, y_device, WIDTH, HEIGHT);
    put_plane(params + 9, x_device, HEIGHT, WIDTH);
    for (int i = 0; i < 18; i++) {
        args[i] = (cubinet_arg){.value = &params[i], .size = sizeof(params[i])};
    }
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {(WIDTH + 15) / 16, (HEIGHT + 15) / 16}, .block = {16, 16}};
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, 18));
    take();
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        expect(i, x[i % HEIGHT * WIDTH + i / HEIGHT]);
    }
}

static void test_numba_sum(const cubinet_kernel *kernel)
{
    uint8_t flag = 1;
    float z[2] = {10, 20};
    const cubinet_numba_array1 xs = cubinet_numba_dense1(x_device, sizeof(float), COUNT);
    const cubinet_numba_array1 ys = cubinet_numba_dense1(y_device, sizeof(float), ROOM);
    cubinet_arg args[2 * CUBINET_NUMBA_ARRAY1_ARGS + 3];
    cubinet_arg *rest = cubinet_numba_array1_args(&ys, cubinet_numba_array1_args(&xs, args));
    rest[0] = (cubinet_arg){.value = &flag, .size = sizeof(flag)};
    rest[1] = (cubinet_arg){.value = &z[0], .size = sizeof(z[0])};
    rest[2] = (cubinet_arg){.value = &z[1], .size = sizeof(z[1])};
    const unsigned blocks = (COUNT + BLOCK - 1) / BLOCK;
    expect_refusal(kernel, BLOCK, args, sizeof(args) / sizeof(args[0]));
    launch(kernel, blocks, BLOCK, BLOCK * sizeof(float), args, sizeof(args) / sizeof(args[0]));
    take();
    for (unsigned i = 0; i < blocks; i++) {
        double sum = z[0];
        for (unsigned j = i * BLOCK; j < (i + 1) * BLOCK && j < COUNT; j++) {
            sum += x[j];
        }
        expect((int)i, sum);
    }
}

static void test_core_swap(const cubinet_kernel *kernel)
{
    const cubinet_arg args[] = {CUBINET_ARG(y_device)};
    expect_refusal(kernel, BLOCK, args, 1);
    launch(kernel, 1, BLOCK, BLOCK * sizeof(float), args, 1);
    take();
    for (int i = 0; i < BLOCK; i++) {
        expect(i, 7 * y[i ^ 1]);
    }
}

static void test_twice(const cubinet_kernel *kernel)
{
    const cubinet_arg args[] = {CUBINET_ARG(y_device)};
    launch(kernel, 1, BLOCK, 0, args, 1);
    take();
    for (int i = 0; i < BLOCK; i++) {
        expect(i, 2 * y[i]);
    }
}

static void test_apply(const cubinet_kernel *kernel)
{
    int n = COUNT;
    const cubinet_arg args[] = {CUBINET_ARG(x_device), CUBINET_ARG(y_device), CUBINET_ARG(n)};
    launch(kernel, (COUNT + BLOCK - 1) / BLOCK, BLOCK, 0, args, 3);
    take();
    for (int i = 0; i < ROOM; i++) {
        expect(i, i < n ? x[i] * y[i] + 0.5 * x[i] : y[i]);
    }
}

static void test_sum128(const cubinet_kernel *kernel)
{
    enum { BLOCKS = 8 };
    const cubinet_arg args[] = {CUBINET_ARG(x_device), CUBINET_ARG(y_device)};
    launch(kernel, BLOCKS, BLOCK, 0, args, 2);
    take();
    for (int i = 0; i < BLOCKS; i++) {
        double sum = 0;
        for (int j = 0; j < BLOCK; j++) {
            sum += x[i * BLOCK + j];
        }
        expect(i, sum);
    }
}

/* The transform of each 32 complex numbers of y, in place. */
static void test_fft32(const cubinet_kernel *kernel)
{
    enum { SIZE = 32, TRANSFORMS = 5 };
    const cubinet_arg args[] = {CUBINET_ARG(y_device)};
    expect_refusal(kernel, 4, args, 1);
    launch(kernel, TRANSFORMS, 4, 256, args, 1);
    take();
    for (int transform = 0; transform < TRANSFORMS; transform++) {
        const float *from = y + (size_t)2 * SIZE * (size_t)transform;
        for (int k = 0; k < SIZE; k++) {
            double re = 0;
            double im = 0;
            for (int j = 0; j < SIZE; j++) {
                double angle = -2 * acos(-1) * j * k / SIZE;
                re += from[2 * j] * cos(angle) - from[2 * j + 1] * sin(angle);
                im += from[2 * j] * sin(angle) + from[2 * j + 1] * cos(angle);
            }
            expect(2 * (transform * SIZE + k), re);
            expect(2 * (transform * SIZE + k) + 1, im);
        }
    }
}

static const struct row {
    const char *what;
    const char *archive;
    const char *module;
    const char *kernel;
    void (*test)(const cubinet_kernel *kernel);
} rows[] = {
    {"numba's cache, scalars and arrays", "numba",
     "numba_kernels.saxpy(float32,array(float32,1d,C),array(float32,1d,C))", "saxpy", test_numba_saxpy},
    {"numba's cache, two dimensions", "numba", "numba_kernels.transpose", "transpose", test_numba_transpose},
    {"numba's cache, dynamic shared memory (refused without)", "numba", "numba_kernels.block_sum",
     "block_sum", test_numba_sum},
    {"numba-cuda-mlir's cache", "mlir", "mlir_kernels.saxpy", "saxpy", test_mlir_saxpy},
    {"cuda.core's pickle, axpy<float>", "core", "axpy", "axpy<float>", test_saxpy},
    {"cuda.core's pickle, tools::swap<7> (refused without shared memory)", "core", "axpy", "tools::swap<7>",
     test_core_swap},
    {"cuda.core's program cache", "core_cache", "twice", "twice", test_twice},
    {"numba's LTO-IR, linked by -l", "apply", "apply", "apply", test_apply},
    {"cuda.coop's LTO-IR, linked by -l", "sum", "sum", "sum128", test_sum128},
    {"nvmath's LTO-IR, linked by -l (refused without shared memory)", "fft", "fft", "fft32", test_fft32},
    {"clang's compressed bundle", "clang_bundle", "saxpy", "saxpy", test_saxpy},
    {"clang's object, .nv_fatbin", "clang_object", "saxpy", "saxpy", test_saxpy},
    {"LLVM's offload binary in a section, PTX alone", "clang_offload", "saxpy", "saxpy", test_saxpy},
};

/* Of cuFFT's library: that an image of its loads, and that its kernel is there. */
static void load_first(const char *folder, const char *name)
{
    char path[1024];
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    char text[512];
    snprintf(path, sizeof(path), "%s/%s.cubinet", folder, name);
    if (access(path, R_OK) != 0) {
        printf("%s: absent\n", path);
        return;
    }
    GPU_OK(cubinet_archive_open(path, NULL, &archive));
    cubinet_module_info info = {.size = sizeof(info)};
    GPU_OK(cubinet_archive_get_module(archive, 0, &info));
    snprintf(text, sizeof(text), "%s", info.name);
    GPU_OK(cubinet_module_load(driver, archive, text, 0, NULL, &module));
    printf("an image of libcufft.so, %s: loaded\n", text);
    GPU_OK(cubinet_module_unload(module));
    cubinet_archive_close(archive);
}

static void test_row(const char *folder, const struct row *row)
{
    char path[1024];
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    snprintf(path, sizeof(path), "%s/%s.cubinet", folder, row->archive);
    if (access(path, R_OK) != 0) {
        printf("%s: absent\n", row->what);
        return;
    }
    GPU_OK(cubinet_archive_open(path, NULL, &archive));
    GPU_OK(cubinet_module_load(driver, archive, row->module, 0, NULL, &module));
    GPU_OK(cubinet_module_find_kernel(module, row->kernel, &kernel));
    give();
    row->test(kernel);
    printf("%s: right\n", row->what);
    GPU_OK(cubinet_module_unload(module));
    cubinet_archive_close(archive);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: launch_systems FOLDER\n");
        return 2;
    }
    driver = gpu_start(&calls);
    /* Retained, so that it and the memory in it outlive each module. */
    CUcontext context = NULL;
    GPU_DRIVER(calls.cuDevicePrimaryCtxRetain(&context, 0));
    GPU_DRIVER(calls.cuCtxPushCurrent(context));
    GPU_DRIVER(calls.cuMemAlloc(&x_device, sizeof(x)));
    GPU_DRIVER(calls.cuMemAlloc(&y_device, sizeof(y)));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(argv[1], &rows[i]);
    }
    load_first(argv[1], "cufft");
    cubinet_driver_close(driver);
    return 0;
}
