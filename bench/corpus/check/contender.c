/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and launching. The driver is called directly, so that every contender is launched in the same way.
 */
#include "contender.h"

#include "driver_calls.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static cubinet_driver *driver;
static struct driver_calls calls;
static gpu_event start, end;

bool gpu_open(void)
{
    if (cubinet_driver_open(NULL, &driver)) {
        fprintf(stderr, "corpus_check: %s\n", cubinet_error_message());
        return false;
    }
    driver_calls_find(driver, &calls);
    driver_calls_take_first_gpu(&calls);
    MUST_OF("the first GPU", calls.cuEventCreate(&start, 0));
    MUST_OF("the first GPU", calls.cuEventCreate(&end, 0));
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
    MUST_OF(contender->path, cubinet_archive_open(contender->path, NULL, &contender->archive));
}

void contender_close(struct contender *contender)
{
    cubinet_archive_close(contender->archive);
}

static void read_registers(struct contender *contender)
{
    MUST_OF(contender->label,
            calls.cuFuncGetAttribute(&contender->registers, NUM_REGS_ATTRIBUTE, contender->function));
}

const char *contender_load(struct contender *contender, const char *module, const char *expression)
{
    cubinet_kernel *kernel = NULL;
    cubinet_kernel_info info = {.size = sizeof(info)};
    MUST_OF(module, cubinet_module_load(driver, contender->archive, module, 0, NULL, &contender->module));
    MUST_OF(expression, cubinet_module_find_kernel(contender->module, expression, &kernel));
    MUST_OF(expression, cubinet_kernel_get_function(kernel, &contender->function));
    MUST_OF(expression, cubinet_kernel_get_info(kernel, &info));
    read_registers(contender);
    return info.name;
}

void contender_load_cubin(struct contender *contender, const char *module, const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s.cubin", contender->path, module);
    MUST_OF(path, calls.cuModuleLoad(&contender->driver_module, path));
    MUST_OF(name, calls.cuModuleGetFunction(&contender->function, contender->driver_module, name));
    read_registers(contender);
}

void contender_unload(struct contender *contender)
{
    MUST_OF(contender->label, cubinet_module_unload(contender->module));
    contender->module = NULL;
    if (contender->driver_module) {
        MUST_OF(contender->label, calls.cuModuleUnload(contender->driver_module));
        contender->driver_module = NULL;
    }
}

void gpu_allocate(struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        struct argument *argument = &run->arguments[i];
        if (argument->host) {
            MUST_OF(run->kernel, calls.cuMemAlloc(&argument->device, argument->bytes));
            MUST_OF(run->kernel, calls.cuMemcpyHtoD(argument->device, argument->host, argument->bytes));
        }
    }
}

void gpu_free(struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->arguments[i].host) {
            MUST_OF(run->kernel, calls.cuMemFree(run->arguments[i].device));
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
    MUST_OF(run->kernel,
            calls.cuLaunchKernel(contender->function, run->grid[0], run->grid[1], run->grid[2], run->block[0],
                                 run->block[1], run->block[2], 0, NULL, parameters, NULL));
}

void gpu_run(const struct contender *contender, struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        struct argument *argument = &run->arguments[i];
        if (argument->result) {
            MUST_OF(run->kernel, calls.cuMemcpyHtoD(argument->device, argument->host, argument->bytes));
        }
    }
    launch(contender, run);
    MUST_OF(run->kernel, calls.cuCtxSynchronize());
    for (size_t i = 0; i < run->count; i++) {
        struct argument *argument = &run->arguments[i];
        if (argument->result) {
            MUST_OF(run->kernel, calls.cuMemcpyDtoH(argument->result, argument->device, argument->bytes));
        }
    }
}

double gpu_time(const struct contender *contender, const struct run *run, int launches)
{
    float milliseconds = 0;
    MUST_OF(run->kernel, calls.cuEventRecord(start, NULL));
    for (int i = 0; i < launches; i++) {
        launch(contender, run);
    }
    MUST_OF(run->kernel, calls.cuEventRecord(end, NULL));
    MUST_OF(run->kernel, calls.cuEventSynchronize(end));
    MUST_OF(run->kernel, calls.cuEventElapsedTime(&milliseconds, start, end));
    return (double)milliseconds * 1e3 / launches;
}
