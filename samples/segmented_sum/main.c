/* SPDX-License-Identifier: Apache-2.0 */
/* Sums segments of an array on every GPU of the machine, with both instances of the template in segsum.cu,
 * and compares every segment's sum with the CPU's. */
#include <cubinet/cubinet.h>

#include "../common/driver_calls.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS = 2000, LONGEST = 40000 };

/* The values are small whole numbers, so that every order of summation gives the same result. */
struct problem {
    int32_t *offsets; /* SEGMENTS + 1 */
    int32_t count;    /* of values */
    unsigned char *values;
    int64_t *sums; /* the CPU's, one for each segment */
};

/* One instance of the kernel. */
struct instance {
    const char *expression;
    unsigned threads;
    bool is_double;
};

static const struct instance instances[] = {
    {"segsum<float,int,256,4>", 256, false},
    {"segsum<double,int,128,4>", 128, true},
};

static int fail(const char *what)
{
    fprintf(stderr, "segmented_sum: %s: %s\n", what, cubinet_error_message());
    return 1;
}

static int32_t segment_length(int segment)
{
    switch (segment % 4) {
    case 0:
        return 0;
    case 1:
        return rand() % 1024;
    case 2:
        return 1024;
    default:
        return rand() % LONGEST;
    }
}

static bool problem_make(struct problem *problem)
{
    problem->offsets = malloc((SEGMENTS + 1) * sizeof(*problem->offsets));
    problem->sums = calloc(SEGMENTS, sizeof(*problem->sums));
    problem->values = malloc((size_t)SEGMENTS * LONGEST);
    if (!problem->offsets || !problem->sums || !problem->values) {
        return false;
    }
    srand(2026);
    for (int segment = 0; segment < SEGMENTS; segment++) {
        problem->offsets[segment] = problem->count;
        for (int32_t i = segment_length(segment); i > 0; i--) {
            unsigned char value = (unsigned char)(rand() % 100);
            problem->values[problem->count++] = value;
            problem->sums[segment] += value;
        }
    }
    problem->offsets[SEGMENTS] = problem->count;
    return true;
}

static void problem_free(struct problem *problem)
{
    free(problem->offsets);
    free(problem->sums);
    free(problem->values);
}

/* The values as the instance wants them. */
static void *convert(const struct problem *problem, bool is_double, size_t *out_bytes)
{
    size_t element = is_double ? sizeof(double) : sizeof(float);
    *out_bytes = (size_t)problem->count * element;
    void *converted = malloc(*out_bytes);
    for (int32_t i = 0; converted && i < problem->count; i++) {
        if (is_double) {
            ((double *)converted)[i] = problem->values[i];
        } else {
            ((float *)converted)[i] = problem->values[i];
        }
    }
    return converted;
}

static int count_wrong(const struct problem *problem, const void *sums, bool is_double)
{
    int wrong = 0;
    for (int segment = 0; segment < SEGMENTS; segment++) {
        double sum = is_double ? ((const double *)sums)[segment] : (double)((const float *)sums)[segment];
        wrong += sum != (double)problem->sums[segment];
    }
    return wrong;
}

/* Device memory of one run. */
struct buffers {
    CUdeviceptr values, offsets, sums;
};

static int launch(const cubinet_kernel *kernel, const struct instance *instance,
                  const struct buffers *buffers)
{
    cubinet_launch_config config = {
        .size = sizeof(config),
        .grid = {SEGMENTS},
        .block = {instance->threads},
    };
    cubinet_arg args[] = {
        CUBINET_ARG(buffers->values),
        CUBINET_ARG(buffers->offsets),
        CUBINET_ARG(buffers->sums),
    };
    return cubinet_kernel_launch(kernel, &config, args, 3) ? fail(instance->expression) : 0;
}

static int run_on(const struct driver_calls *driver, const cubinet_kernel *kernel,
                  const struct instance *instance, const struct problem *problem,
                  const struct buffers *buffers, void *values, size_t value_bytes, void *sums,
                  size_t sum_bytes)
{
    size_t offset_bytes = (SEGMENTS + 1) * sizeof(*problem->offsets);
    if (driver->cuMemcpyHtoD(buffers->values, values, value_bytes) ||
        driver->cuMemcpyHtoD(buffers->offsets, problem->offsets, offset_bytes)) {
        fprintf(stderr, "segmented_sum: copying to the device failed\n");
        return 1;
    }
    if (launch(kernel, instance, buffers)) {
        return 1;
    }
    if (driver->cuMemcpyDtoH(sums, buffers->sums, sum_bytes)) {
        fprintf(stderr, "segmented_sum: copying from the device failed\n");
        return 1;
    }
    int wrong = count_wrong(problem, sums, instance->is_double);
    printf("  %-26s %d segments, %d values: %d wrong\n", instance->expression, SEGMENTS, problem->count,
           wrong);
    return wrong != 0;
}

static int run_instance(const struct driver_calls *driver, cubinet_module *module,
                        const struct instance *instance, const struct problem *problem)
{
    cubinet_kernel *kernel = NULL;
    if (cubinet_module_find_kernel(module, instance->expression, &kernel)) {
        return fail("no kernel");
    }
    size_t value_bytes = 0;
    size_t sum_bytes = SEGMENTS * (instance->is_double ? sizeof(double) : sizeof(float));
    void *values = convert(problem, instance->is_double, &value_bytes);
    void *sums = malloc(sum_bytes);
    struct buffers buffers = {0};
    int failed = 1;
    if (values && sums && !driver->cuMemAlloc(&buffers.values, value_bytes) &&
        !driver->cuMemAlloc(&buffers.offsets, (SEGMENTS + 1) * sizeof(int32_t)) &&
        !driver->cuMemAlloc(&buffers.sums, sum_bytes)) {
        memset(sums, 0xff, sum_bytes); /* NaN: a segment that is not written is wrong */
        failed = driver->cuMemcpyHtoD(buffers.sums, sums, sum_bytes) ||
                 run_on(driver, kernel, instance, problem, &buffers, values, value_bytes, sums, sum_bytes);
    } else {
        fprintf(stderr, "segmented_sum: out of memory\n");
    }
    driver->cuMemFree(buffers.values);
    driver->cuMemFree(buffers.offsets);
    driver->cuMemFree(buffers.sums);
    free(values);
    free(sums);
    return failed;
}

static int run_device(cubinet_driver *driver, const cubinet_archive *archive, CUdevice device,
                      const struct problem *problem)
{
    cubinet_module *module = NULL;
    if (cubinet_module_load(driver, archive, "segmented_sum", device, NULL, &module)) {
        return fail("loading the module");
    }
    cubinet_device_profile profile = {.size = sizeof(profile)};
    cubinet_image_info image = {.size = sizeof(image)};
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_driver_get_profile(driver, device, &profile);
    cubinet_module_get_image(module, &image);
    printf("device %d, compute capability %d.%d: loaded %s\n", device, profile.compute_major,
           profile.compute_minor, cubinet_target_name(image.target, target));

    struct driver_calls calls;
    int failed = 0;
    if (driver_calls_get(driver, &calls)) {
        failed = fail("the driver");
    } else {
        calls.cuCtxSetCurrent(cubinet_module_get_context(module));
        for (size_t i = 0; i < sizeof(instances) / sizeof(instances[0]); i++) {
            failed |= run_instance(&calls, module, &instances[i], problem);
        }
        calls.cuCtxSetCurrent(NULL);
    }
    cubinet_module_unload(module);
    return failed;
}

static int run(const char *path, const struct problem *problem)
{
    cubinet_archive *archive = NULL;
    if (cubinet_archive_open(path, NULL, &archive)) {
        return fail("opening the archive");
    }
    cubinet_driver *driver = NULL;
    if (cubinet_driver_open(NULL, &driver)) {
        cubinet_archive_close(archive);
        return fail("opening the driver");
    }
    int failed = 0;
    for (CUdevice device = 0; device < cubinet_driver_get_device_count(driver); device++) {
        failed |= run_device(driver, archive, device, problem);
    }
    cubinet_driver_close(driver);
    cubinet_archive_close(archive);
    printf(failed ? "FAILED\n" : "every sum is right\n");
    return failed;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: segmented_sum ARCHIVE\n");
        return 2;
    }
    struct problem problem = {0};
    int failed = 1;
    if (problem_make(&problem)) {
        failed = run(argv[1], &problem);
    } else {
        fprintf(stderr, "segmented_sum: out of memory\n");
    }
    problem_free(&problem);
    return failed;
}
