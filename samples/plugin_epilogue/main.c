/* SPDX-License-Identifier: Apache-2.0 */
/* A library ships a matrix product that lacks its last step; the program brings two different ones. Each is
 * linked into the product for this GPU, runs, and is compared with the CPU. */
#include <cubinet/cubinet.h>

#include "../common/driver_calls.h"
#include "epilogues_archive.h"
#include "product_archive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 250, N = 190, K = 130, DATA = M > N ? M : N, TILE = 16 };

static float a[M * K], b[K * N], data[DATA], out[M * N];

static double gelu_of_biased(double value, int row, int column)
{
    (void)row;
    double biased = value + data[column];
    return 0.5 * biased * (1.0 + erf(biased * 0.7071067811865476));
}

static double relu_of_residual(double value, int row, int column)
{
    (void)column;
    return fmax(value + data[row], 0.0);
}

/* The program's epilogues: modules of its own archive, and what they compute. */
static const struct {
    const char *module;
    double (*epilogue)(double value, int row, int column);
} plugins[] = {
    {"bias_gelu", gelu_of_biased},
    {"residual_relu", relu_of_residual},
};

/* For a sample, every failure is the end. */
#define CHECK(call)                                                                                          \
    if (call) {                                                                                              \
        fprintf(stderr, "plugin_epilogue: %s: %s\n", #call, cubinet_error_message());                        \
        return 1;                                                                                            \
    }

static void fill(float *values, int count)
{
    for (int i = 0; i < count; i++) {
        values[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    }
}

static int count_wrong(double (*epilogue)(double value, int row, int column))
{
    int wrong = 0;
    for (int row = 0; row < M; row++) {
        for (int column = 0; column < N; column++) {
            double sum = 0;
            for (int k = 0; k < K; k++) {
                sum += (double)a[row * K + k] * b[k * N + column];
            }
            wrong += fabs(out[row * N + column] - epilogue(sum, row, column)) > 1e-4;
        }
    }
    return wrong;
}

static int run(cubinet_module *module, const struct driver_calls *cuda)
{
    cubinet_kernel *product = NULL;
    CUdeviceptr device_a = 0, device_b = 0, device_data = 0, device_out = 0;
    CHECK(cubinet_module_find_kernel(module, "product", &product));
    CHECK(cuda->cuCtxSetCurrent(cubinet_module_get_context(module)));
    CHECK(cuda->cuMemAlloc(&device_a, sizeof(a)) || cuda->cuMemAlloc(&device_b, sizeof(b)) ||
          cuda->cuMemAlloc(&device_data, sizeof(data)) || cuda->cuMemAlloc(&device_out, sizeof(out)));
    CHECK(cuda->cuMemcpyHtoD(device_a, a, sizeof(a)) || cuda->cuMemcpyHtoD(device_b, b, sizeof(b)) ||
          cuda->cuMemcpyHtoD(device_data, data, sizeof(data)));

    int m = M, n = N, k = K;
    cubinet_launch_config config = {
        .size = sizeof(config),
        .grid = {(N + TILE - 1) / TILE, (M + TILE - 1) / TILE},
        .block = {TILE, TILE},
    };
    cubinet_arg args[] = {
        CUBINET_ARG(device_a), CUBINET_ARG(device_b), CUBINET_ARG(device_out),  CUBINET_ARG(m),
        CUBINET_ARG(n),        CUBINET_ARG(k),        CUBINET_ARG(device_data),
    };
    CHECK(cubinet_kernel_launch(product, &config, args, 7));
    CHECK(cuda->cuMemcpyDtoH(out, device_out, sizeof(out)));
    CHECK(cuda->cuMemFree(device_a) || cuda->cuMemFree(device_b) || cuda->cuMemFree(device_data) ||
          cuda->cuMemFree(device_out));
    return 0;
}

/* Puts the library's skeleton and the program's function together. */
static int link_and_run(cubinet_driver *driver, const cubinet_archive *library,
                        const cubinet_archive *epilogues, size_t plugin)
{
    cubinet_link *link = NULL;
    cubinet_module *module = NULL;
    struct driver_calls cuda;
    CHECK(driver_calls_get(driver, &cuda));
    CHECK(cubinet_link_create(driver, 0, NULL, &link));
    CHECK(cubinet_link_add_module(link, library, "product"));
    CHECK(cubinet_link_add_module(link, epilogues, plugins[plugin].module));
    CHECK(cubinet_link_complete(link, &module));
    cubinet_link_destroy(link);
    if (run(module, &cuda)) {
        return 1;
    }
    int wrong = count_wrong(plugins[plugin].epilogue);
    printf("product with %-13s of %d values: %d wrong\n", plugins[plugin].module, M * N, wrong);
    CHECK(cuda.cuCtxSetCurrent(NULL));
    CHECK(cubinet_module_unload(module));
    return wrong != 0;
}

int main(void)
{
    cubinet_archive *library = NULL, *epilogues = NULL;
    cubinet_driver *driver = NULL;
    CHECK(cubinet_archive_open_memory(product_archive, product_archive_size, NULL, &library));
    CHECK(cubinet_archive_open_memory(epilogues_archive, epilogues_archive_size, NULL, &epilogues));
    CHECK(cubinet_driver_open(NULL, &driver));
    srand(2026);
    fill(a, M * K);
    fill(b, K * N);
    fill(data, DATA);
    int failed = 0;
    for (size_t i = 0; i < sizeof(plugins) / sizeof(plugins[0]); i++) {
        failed |= link_and_run(driver, library, epilogues, i);
    }
    cubinet_driver_close(driver);
    cubinet_archive_close(epilogues);
    cubinet_archive_close(library);
    return failed;
}
