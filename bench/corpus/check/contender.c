/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and launching. The driver is called directly, so that every contender is launched in the same way.
 */
#include "contender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef void *event;

#define DRIVER_CALLS(X)                                                                                      \
    X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                      \
    X(cuCtxSetCurrent, (CUcontext context))                                                                  \
    X(cuCtxSynchronize, (void))                                                                              \
    X(cuMemAlloc, (CUdeviceptr * address, size_t bytes))                                                     \
    X(cuMemFree, (CUdeviceptr address))                                                                      \
    X(cuMemcpyHtoD, (CUdeviceptr to, const void *from, size_t bytes))                                        \
    X(cuMemcpyDtoH, (void *to, CUdeviceptr from, size_t bytes))                                              \
    X(cuModuleLoad, (void **module, const char *path))                                                       \
    X(cuModuleUnload, (void *module))                                                                        \
    X(cuModuleGetFunction, (CUfunction * function, void *module, const char *name))                          \
    X(cuLaunchKernel, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,               \
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,                \
                       CUstream stream, void **parameters, void **extra))                                    \
    X(cuFuncGetAttribute, (int *value, int attribute, CUfunction function))                                  \
    X(cuEventCreate, (event * out, unsigned flags))                                                          \
    X(cuEventRecord, (event event, CUstream stream))                                                         \
    X(cuEventSynchronize, (event event))                                                                     \
    X(cuEventElapsedTime, (float *milliseconds, event start, event end))

static struct {
#define X(name, parameters) int(*name) parameters;
    DRIVER_CALLS(X)
#undef X
} calls;

static cubinet_driver *driver;
static event start, end;

static void die(const char *what, const char *subject, int result)
{
    fprintf(stderr, "corpus_check: %s: %s failed (%d) %s\n", subject, what, result, cubinet_error_message());
    exit(1);
}

/* `subject` is what the call is about. */
#define MUST(subject, call)                                                                                  \
    do {                                                                                                     \
        int must_result = (int)(call);                                                                       \
        if (must_result) {                                                                                   \
            die(#call, subject, must_result);                                                                \
        }                                                                                                    \
    } while (0)

bool gpu_open(void)
{
    if (cubinet_driver_open(NULL, &driver)) {
        fprintf(stderr, "corpus_check: %s\n", cubinet_error_message());
        return false;
    }
#define X(name, parameters) MUST(#name, cubinet_driver_get_proc_address(driver, #name, (void **)&calls.name));
    DRIVER_CALLS(X)
#undef X
    CUcontext context = NULL;
    MUST("the first GPU", calls.cuDevicePrimaryCtxRetain(&context, 0));
    MUST("the first GPU", calls.cuCtxSetCurrent(context));
    MUST("the first GPU", calls.cuEventCreate(&start, 0));
    MUST("the first GPU", calls.cuEventCreate(&end, 0));
    return true;
}

void contender_open(struct contender *contender, char *argument)
{
    char *equals = strchr(argument, '=');
    struct stat status;
    if (!equals) {
        fprintf(stderr, "corpus_check: '%s' is not LABEL=PATH\n", argument);
        exit(2);
    }
    *equals = '\0';
    *contender = (struct contender){.label = argument, .path = equals + 1};
    if (stat(contender->path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return;
    }
    MUST(contender->path, cubinet_archive_open(contender->path, NULL, &contender->archive));
}

void contender_close(struct contender *contender)
{
    cubinet_archive_close(contender->archive);
}

static void read_registers(struct contender *contender)
{
    MUST(contender->label, calls.cuFuncGetAttribute(&contender->registers, 4 /* CU_FUNC_ATTRIBUTE_NUM_REGS */,
                                                    contender->function));
}

const char *contender_load(struct contender *contender, const char *module, const char *expression)
{
    cubinet_kernel *kernel = NULL;
    cubinet_kernel_info info = {.size = sizeof(info)};
    MUST(module, cubinet_module_load(driver, contender->archive, module, 0, NULL, &contender->module));
    MUST(expression, cubinet_module_get_kernel(contender->module, expression, &kernel));
    MUST(expression, cubinet_kernel_get_function(kernel, &contender->function));
    MUST(expression, cubinet_kernel_get_info(kernel, &info));
    read_registers(contender);
    return info.name;
}

void contender_load_cubin(struct contender *contender, const char *module, const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s.cubin", contender->path, module);
    MUST(path, calls.cuModuleLoad(&contender->driver_module, path));
    MUST(name, calls.cuModuleGetFunction(&contender->function, contender->driver_module, name));
    read_registers(contender);
}

void contender_unload(struct contender *contender)
{
    MUST(contender->label, cubinet_module_unload(contender->module));
    contender->module = NULL;
    if (contender->driver_module) {
        MUST(contender->label, calls.cuModuleUnload(contender->driver_module));
        contender->driver_module = NULL;
    }
}

void gpu_allocate(struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        struct argument *argument = &run->arguments[i];
        if (argument->host) {
            MUST(run->kernel, calls.cuMemAlloc(&argument->device, argument->bytes));
            MUST(run->kernel, calls.cuMemcpyHtoD(argument->device, argument->host, argument->bytes));
        }
    }
}

void gpu_free(struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->arguments[i].host) {
            MUST(run->kernel, calls.cuMemFree(run->arguments[i].device));
        }
    }
}

static void launch(const struct contender *contender, const struct run *run)
{
    void *parameters[MOST_ARGUMENTS];
    for (size_t i = 0; i < run->count; i++) {
        const struct argument *argument = &run->arguments[i];
        parameters[i] = argument->host ? (void *)&argument->device : (void *)argument->value;
    }
    MUST(run->kernel,
         calls.cuLaunchKernel(contender->function, run->grid[0], run->grid[1], run->grid[2], run->block[0],
                              run->block[1], run->block[2], 0, NULL, parameters, NULL));
}

void gpu_run(const struct contender *contender, struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        struct argument *argument = &run->arguments[i];
        if (argument->result) {
            MUST(run->kernel, calls.cuMemcpyHtoD(argument->device, argument->host, argument->bytes));
        }
    }
    launch(contender, run);
    MUST(run->kernel, calls.cuCtxSynchronize());
    for (size_t i = 0; i < run->count; i++) {
        struct argument *argument = &run->arguments[i];
        if (argument->result) {
            MUST(run->kernel, calls.cuMemcpyDtoH(argument->result, argument->device, argument->bytes));
        }
    }
}

double gpu_time(const struct contender *contender, const struct run *run, int launches)
{
    float milliseconds = 0;
    MUST(run->kernel, calls.cuEventRecord(start, NULL));
    for (int i = 0; i < launches; i++) {
        launch(contender, run);
    }
    MUST(run->kernel, calls.cuEventRecord(end, NULL));
    MUST(run->kernel, calls.cuEventSynchronize(end));
    MUST(run->kernel, calls.cuEventElapsedTime(&milliseconds, start, end));
    return (double)milliseconds * 1e3 / launches;
}
