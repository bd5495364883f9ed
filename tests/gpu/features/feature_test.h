/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of device-side features share: each loads every image of its module that the GPU runs,
 * launches its kernels, and compares with the same done by the CPU. */
#ifndef FEATURE_TEST_H
#define FEATURE_TEST_H

#include <cuda.h>

#include "gpu_test.h"

#include <cubinet/launch.h>

#include <stddef.h>

struct feature {
    cubinet_driver *driver;
    cubinet_module *module; /* its context is current */
    struct gpu_calls calls;
};

typedef void feature_fn(struct feature *feature);

/* Calls `test` for each image of the archive's module that device 0 runs, best first. Ends the program with
 * 77 where there is no GPU, or none that runs any of them. Returns the program's exit status. */
int feature_run(const char *archive_path, const char *module, feature_fn *test);

/* The address of a driver function, for a pointer of type __typeof__(&cuName). */
void *feature_call(const struct feature *feature, const char *name);
#define FEATURE_CALL(feature, name) ((__typeof__(&name))feature_call(feature, #name))

/* Copies to device memory, which the caller gives to feature_free(). NULL `data` means zeros. */
CUdeviceptr feature_upload(struct feature *feature, const void *data, size_t bytes);
void feature_download(struct feature *feature, void *data, CUdeviceptr address, size_t bytes);
void feature_free(struct feature *feature, CUdeviceptr address);

/* Launches a kernel by its expression or name, and waits for it. */
void feature_launch(struct feature *feature, const char *kernel, cubinet_launch_config config,
                    const cubinet_arg *args, size_t arg_count);

/* Ends the program, saying which, unless the two are nearly equal. */
void feature_near(double found, double expected, double tolerance, const char *what, size_t index);

/* The same numbers each time, 0 to 2^24 - 1. */
unsigned feature_random(unsigned *state);

#endif
