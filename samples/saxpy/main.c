/* SPDX-License-Identifier: Apache-2.0 */
/* y = a * x + y on the first GPU, with an archive that is inside the program. */
#include <cubinet/cubinet.h>

#include "../common/driver_calls.h"
#include "saxpy_archive.h"

#include <stdio.h>

enum { COUNT = 1 << 20, THREADS = 256 };

static float x[COUNT], y[COUNT];

/* For a sample, every failure is the end. */
#define CHECK(call)                                                                                          \
    if (call) {                                                                                              \
        fprintf(stderr, "saxpy: %s: %s\n", #call, cubinet_error_message());                                  \
        return 1;                                                                                            \
    }

int main(void)
{
    cubinet_archive *archive = NULL;
    cubinet_driver *driver = NULL;
    cubinet_module *module = NULL;
    cubinet_kernel *saxpy = NULL;
    CHECK(cubinet_archive_open_memory(saxpy_archive, saxpy_archive_size, NULL, &archive));
    CHECK(cubinet_driver_open(NULL, &driver));
    CHECK(cubinet_module_load(driver, archive, SAXPY_ARCHIVE_SAXPY, 0, NULL, &module));
    CHECK(cubinet_module_find_kernel(module, SAXPY_ARCHIVE_SAXPY_SAXPY, &saxpy));

    struct driver_calls cuda;
    CUdeviceptr device_x = 0, device_y = 0;
    CHECK(driver_calls_get(driver, &cuda));
    CHECK(cuda.cuCtxSetCurrent(cubinet_module_get_context(module)));
    CHECK(cuda.cuMemAlloc(&device_x, sizeof(x)) || cuda.cuMemAlloc(&device_y, sizeof(y)));
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    CHECK(cuda.cuMemcpyHtoD(device_x, x, sizeof(x)) || cuda.cuMemcpyHtoD(device_y, y, sizeof(y)));

    cubinet_launch_config config = {.size = sizeof(config), .grid = {COUNT / THREADS}, .block = {THREADS}};
    CHECK(saxpy_archive_saxpy_saxpy(saxpy, &config, 2.0f, (const float *)device_x, (float *)device_y,
                                    (unsigned)COUNT));
    CHECK(cuda.cuMemcpyDtoH(y, device_y, sizeof(y)));

    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        wrong += y[i] != 2.0f * (float)i + 1.0f;
    }
    printf("saxpy of %d values: %d wrong\n", COUNT, wrong);

    CHECK(cuda.cuMemFree(device_x) || cuda.cuMemFree(device_y) || cuda.cuCtxSetCurrent(NULL));
    CHECK(cubinet_module_unload(module));
    cubinet_driver_close(driver);
    cubinet_archive_close(archive);
    return wrong != 0;
}
