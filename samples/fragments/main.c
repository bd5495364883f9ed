/* SPDX-License-Identifier: Apache-2.0 */
/* Eight algorithms and eight operators in sixteen fragments: each of the sixty-four kernels is linked when it
 * is asked for, runs on the first GPU, and is compared with the CPU. */
#include <cubinet/cubinet.h>

#include "../common/driver_calls.h"
#include "reference.h"

#include <stdio.h>
#include <string.h>

/* How an algorithm is launched, for ROWS × COLUMNS elements. */
struct algorithm {
    const char *name; /* of the module and of its kernel */
    unsigned grid;
    unsigned block[2];
};

static const struct algorithm algorithms[] = {
    {"zip", (ELEMENTS + 255) / 256, {256, 1}},
    {"outer", (ELEMENTS + 255) / 256, {256, 1}},
    {"stencil", (ELEMENTS + 255) / 256, {256, 1}},
    {"columns", (COLUMNS + 255) / 256, {256, 1}},
    {"rows", (ROWS * 32 + 255) / 256, {256, 1}},
    {"reduce", 1, {256, 1}},
    {"scan", ROWS, {256, 1}},
    {"product", ((ROWS + 15) / 16) * ((COLUMNS + 15) / 16), {16, 16}},
};

static const char *const operators[] = {
    "plus", "times", "minimum", "maximum", "absmax", "hypotenuse", "either", "logaddexp",
};

enum { KERNELS = sizeof(algorithms) / sizeof(algorithms[0]) * (sizeof(operators) / sizeof(operators[0])) };

struct run {
    cubinet_driver *driver;
    const cubinet_archive *archive;
    struct driver_calls cuda;
    CUdeviceptr a, b, out;
    struct problem problem;
    cubinet_module *modules[KERNELS]; /* stay loaded: the device's context ends with the last of them */
    int module_count;
};

/* For a sample, every failure is the end. */
#define CHECK(call)                                                                                          \
    if (call) {                                                                                              \
        fprintf(stderr, "fragments: %s: %s\n", #call, cubinet_error_message());                              \
        return 1;                                                                                            \
    }

/* Memory of the device, once there is a context to have it in. */
static int allocate(struct run *run, cubinet_module *module)
{
    CHECK(run->cuda.cuCtxSetCurrent(cubinet_module_get_context(module)));
    CHECK(run->cuda.cuMemAlloc(&run->a, sizeof(run->problem.a)) ||
          run->cuda.cuMemAlloc(&run->b, sizeof(run->problem.b)) ||
          run->cuda.cuMemAlloc(&run->out, sizeof(run->problem.out)));
    CHECK(run->cuda.cuMemcpyHtoD(run->a, run->problem.a, sizeof(run->problem.a)) ||
          run->cuda.cuMemcpyHtoD(run->b, run->problem.b, sizeof(run->problem.b)));
    return 0;
}

static int launch(struct run *run, cubinet_module *module, const struct algorithm *algorithm)
{
    cubinet_kernel *kernel = NULL;
    CHECK(cubinet_module_find_kernel(module, algorithm->name, &kernel));
    if (!run->a && allocate(run, module)) {
        return 1;
    }
    memset(run->problem.out, 0xff, sizeof(run->problem.out)); /* NaN: what is not written is wrong */
    CHECK(run->cuda.cuMemcpyHtoD(run->out, run->problem.out, sizeof(run->problem.out)));
    int rows = ROWS, columns = COLUMNS;
    cubinet_launch_config config = {
        .size = sizeof(config),
        .grid = {algorithm->grid},
        .block = {algorithm->block[0], algorithm->block[1]},
    };
    cubinet_arg args[] = {
        CUBINET_ARG(run->a), CUBINET_ARG(run->b),  CUBINET_ARG(run->out),
        CUBINET_ARG(rows),   CUBINET_ARG(columns),
    };
    CHECK(cubinet_kernel_launch(kernel, &config, args, 5));
    CHECK(run->cuda.cuMemcpyDtoH(run->problem.out, run->out, sizeof(run->problem.out)));
    return 0;
}

/* Links one algorithm with one operator and checks what they compute. */
static int combine(struct run *run, const struct algorithm *algorithm, const char *operator)
{
    cubinet_link *link = NULL;
    cubinet_module *module = NULL;
    CHECK(cubinet_link_create(run->driver, 0, NULL, &link));
    CHECK(cubinet_link_add_module(link, run->archive, algorithm->name));
    CHECK(cubinet_link_add_module(link, run->archive, operator));
    CHECK(cubinet_link_complete(link, &module));
    cubinet_link_destroy(link);
    run->modules[run->module_count++] = module;
    if (launch(run, module, algorithm)) {
        return 1;
    }
    int wrong = reference_wrong(&run->problem, algorithm->name, operator);
    if (wrong) {
        printf("%s of %s: %d wrong\n", algorithm->name, operator, wrong);
    }
    return wrong != 0;
}

static void unload(struct run *run)
{
    run->cuda.cuMemFree(run->a);
    run->cuda.cuMemFree(run->b);
    run->cuda.cuMemFree(run->out);
    run->cuda.cuCtxSetCurrent(NULL);
    for (int i = 0; i < run->module_count; i++) {
        cubinet_module_unload(run->modules[i]);
    }
}

int main(int argc, char **argv)
{
    static struct run run;
    cubinet_archive *archive = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: fragments ARCHIVE\n");
        return 2;
    }
    CHECK(cubinet_archive_open(argv[1], NULL, &archive));
    CHECK(cubinet_driver_open(NULL, &run.driver));
    CHECK(driver_calls_get(run.driver, &run.cuda));
    run.archive = archive;
    problem_fill(&run.problem);
    int failed = 0;
    for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
        for (size_t j = 0; j < sizeof(operators) / sizeof(operators[0]); j++) {
            failed += combine(&run, &algorithms[i], operators[j]);
        }
    }
    printf("%d kernels from 16 fragments: %d failed\n", (int)KERNELS, failed);
    unload(&run);
    cubinet_driver_close(run.driver);
    cubinet_archive_close(archive);
    return failed != 0;
}
