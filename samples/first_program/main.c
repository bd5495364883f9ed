/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"
#include <cubinet/cubinet.h>
#include <stdio.h>

int main(void)
{
    cubinet_archive *archive;
    cubinet_driver *driver;
    cubinet_module *module;
    cubinet_kernel *squares;
    CUdeviceptr address;
    int (*use_context)(CUcontext);
    int (*copy)(void *, CUdeviceptr, size_t);
    float factor = 0.5f, values[64];
    cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {64}};
    cubinet_arg args[] = {CUBINET_ARG(factor)};

    if (cubinet_archive_open_memory(kernels, kernels_size, NULL, &archive) ||
        cubinet_driver_open(NULL, &driver) ||
        cubinet_module_load(driver, archive, "squares", 0, NULL, &module) ||
        cubinet_module_find_kernel(module, "squares", &squares) ||
        cubinet_kernel_launch(squares, &config, args, 1) ||
        cubinet_module_find_global(module, "values", &address, NULL) ||
        cubinet_driver_get_proc_address(driver, "cuCtxSetCurrent", (void **)&use_context) ||
        cubinet_driver_get_proc_address(driver, "cuMemcpyDtoH", (void **)&copy)) {
        fprintf(stderr, "%s\n", cubinet_error_message());
        return 1;
    }
    if (use_context(cubinet_module_get_context(module)) || copy(values, address, sizeof(values))) {
        return 1;
    }
    printf("0.5 * 8 * 8 = %g\n", values[8]);

    cubinet_module_unload(module);
    cubinet_driver_close(driver);
    cubinet_archive_close(archive);
    return values[8] == 32 ? 0 : 1;
}
