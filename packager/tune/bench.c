/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/bench.h"

#include "loader/core/support/error.h"
#include "tune/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cubinet_status upload(struct bench *bench, size_t number)
{
    struct gpu *gpu = bench->gpu;
    struct bench_argument *argument = &bench->arguments[number];
    const struct generated *host = &argument->host;
    cubinet_status status = gpu_allocate(gpu, host->bytes, &argument->device);
    if (!status) {
        status = gpu_check(gpu, gpu->calls.cuMemcpyHtoD(argument->device, host->data, host->bytes),
                           "cuMemcpyHtoD");
    }
    if (status || !bench->set->arguments[number].is_output) {
        return status;
    }
    status = gpu_allocate(gpu, host->bytes, &argument->pristine);
    if (!status) {
        status = gpu_check(gpu, gpu->calls.cuMemcpyHtoD(argument->pristine, host->data, host->bytes),
                           "cuMemcpyHtoD");
    }
    return status;
}

static cubinet_status make_argument(struct bench *bench, const struct expression_values *names,
                                    const char *folder, size_t number)
{
    const struct tune_argument *described = &bench->set->arguments[number];
    struct bench_argument *argument = &bench->arguments[number];
    cubinet_status status = generate(described, names, folder, &argument->host);
    if (!status && argument->host.data) {
        status = upload(bench, number);
        free(argument->host.data); /* large, and on the device now */
        argument->host.data = NULL;
    }
    if (!status && described->expected) {
        status = generate_from_file(described, folder, described->expected, argument->host.count,
                                    &argument->right);
    }
    return status;
}

cubinet_status bench_open(struct gpu *gpu, const struct tune_set *set, const struct tune_extent *extent,
                          uint32_t multiprocessors, const char *folder, cubinet_kernel *const *kernels,
                          struct bench *out_bench)
{
    struct expression_values names = {0};
    struct bench bench = {.gpu = gpu, .set = set, .extent = extent, .kernels = kernels};
    bench.arguments = calloc(set->argument_count + 1, sizeof(*bench.arguments));
    cubinet_status status = bench.arguments ? names_add(&names, NAMES_EXTENT, NULL) : cbn_error_memory();
    if (!status) {
        status = names_set_sides(&names, "extent", extent->sides);
    }
    if (!status) {
        status = expression_set(&names, "device.multiprocessors", multiprocessors);
    }
    for (size_t i = 0; !status && i < set->argument_count; i++) {
        status = make_argument(&bench, &names, folder, i);
    }
    if (!status) { /* copies from pageable memory may still be under way, and the launches' stream waits for
                      none */
        status = gpu_check(gpu, gpu->calls.cuStreamSynchronize(NULL), "cuStreamSynchronize");
    }
    expression_values_free(&names);
    if (status) {
        bench_close(&bench);
        return status;
    }
    *out_bench = bench;
    return CUBINET_OK;
}

void bench_close(struct bench *bench)
{
    for (size_t i = 0; bench->arguments && i < bench->set->argument_count; i++) {
        struct bench_argument *argument = &bench->arguments[i];
        gpu_free(bench->gpu, argument->device);
        gpu_free(bench->gpu, argument->pristine);
        free(argument->host.data);
        free(argument->right);
    }
    free(bench->arguments);
    bench->arguments = NULL;
}

bool bench_has_results(const struct bench *bench)
{
    for (size_t i = 0; i < bench->set->argument_count; i++) {
        if (bench->set->arguments[i].is_output) {
            return true;
        }
    }
    return false;
}

/* Puts into outputs what they start with: a kernel may add to them. */
static cubinet_status restore(struct bench *bench)
{
    struct gpu *gpu = bench->gpu;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < bench->set->argument_count; i++) {
        const struct bench_argument *argument = &bench->arguments[i];
        if (argument->pristine) {
            unsigned result = gpu->calls.cuMemcpyDtoDAsync(argument->device, argument->pristine,
                                                           argument->host.bytes, gpu->stream);
            status = gpu_check(gpu, result, "cuMemcpyDtoDAsync");
        }
    }
    return status;
}

static cubinet_status launch(struct bench *bench, const struct candidate *candidate)
{
    enum { MOST_ARGUMENTS = 256 };
    cubinet_arg args[MOST_ARGUMENTS];
    cubinet_launch_config config = {
        .size = sizeof(config), .dynamic_shared_bytes = candidate->shared, .stream = bench->gpu->stream};
    if (bench->set->argument_count > MOST_ARGUMENTS) {
        return cbn_error(CUBINET_ERROR_LIMIT, "there are more than %d arguments", MOST_ARGUMENTS);
    }
    memcpy(config.grid, candidate->grid, sizeof(config.grid));
    memcpy(config.block, candidate->block, sizeof(config.block));
    memcpy(config.cluster, candidate->cluster, sizeof(config.cluster));
    config.flags = bench->set->is_cooperative ? CUBINET_LAUNCH_COOPERATIVE : 0;
    for (size_t i = 0; i < bench->set->argument_count; i++) {
        const struct bench_argument *argument = &bench->arguments[i];
        bool is_array = argument->device != 0;
        args[i].value = is_array ? (const void *)&argument->device : argument->host.scalar;
        args[i].size = is_array ? sizeof(argument->device) : argument->host.bytes;
    }
    return cubinet_kernel_launch(bench->kernels[candidate->instance], &config, args,
                                 bench->set->argument_count);
}

static cubinet_status run_once(struct bench *bench, const struct candidate *candidate)
{
    cubinet_status status = restore(bench);
    if (!status) {
        status = launch(bench, candidate);
    }
    bench->gpu->is_lost |= status == CUBINET_ERROR_CONTEXT_DEAD;
    return status ? status : gpu_wait(bench->gpu);
}

static cubinet_status download(struct bench *bench, const struct bench_argument *argument, void **out_data)
{
    struct gpu *gpu = bench->gpu;
    void *data = malloc(argument->host.bytes);
    if (!data) {
        return cbn_error_memory();
    }
    unsigned result = gpu->calls.cuMemcpyDtoH(data, argument->device, argument->host.bytes);
    cubinet_status status = gpu_check(gpu, result, "cuMemcpyDtoH");
    if (status) {
        free(data);
        return status;
    }
    *out_data = data;
    return CUBINET_OK;
}

cubinet_status bench_set_right(struct bench *bench, const struct candidate *candidate)
{
    cubinet_status status = run_once(bench, candidate);
    for (size_t i = 0; !status && i < bench->set->argument_count; i++) {
        struct bench_argument *argument = &bench->arguments[i];
        if (bench->set->arguments[i].is_output && !argument->right) {
            status = download(bench, argument, &argument->right);
        }
    }
    return status;
}

static cubinet_status compare(struct bench *bench, size_t number)
{
    const struct tune_argument *described = &bench->set->arguments[number];
    const struct bench_argument *argument = &bench->arguments[number];
    const struct tolerance tolerance = {.absolute = bench->set->absolute, .relative = bench->set->relative};
    struct difference difference;
    void *found = NULL;
    char name[64] = "";
    cubinet_status status = download(bench, argument, &found);
    if (status) {
        return status;
    }
    if (!results_agree(described->type, found, argument->right, argument->host.count, &tolerance,
                       &difference)) {
        snprintf(name, sizeof(name), "argument %zu", number);
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "wrong results: %s[%zu] is %s, and %s is right",
                           described->name[0] ? described->name : name, difference.index, difference.found,
                           difference.right);
    }
    free(found);
    return status;
}

cubinet_status bench_check(struct bench *bench, const struct candidate *candidate)
{
    cubinet_status status = run_once(bench, candidate);
    for (size_t i = 0; !status && i < bench->set->argument_count; i++) {
        if (bench->arguments[i].right) {
            status = compare(bench, i);
        }
    }
    return status;
}

static cubinet_status record(struct gpu *gpu, struct gpu_event *event)
{
    return gpu_check(gpu, gpu->calls.cuEventRecord(event, gpu->stream), "cuEventRecord");
}

/* The flush before keeps the device busy until the launch is there: so the time has no waiting in it. */
static cubinet_status launch_cold(struct bench *bench, const struct candidate *candidate, unsigned number)
{
    struct gpu *gpu = bench->gpu;
    cubinet_status status = gpu_flush(gpu);
    if (!status) {
        status = record(gpu, gpu->starts[number]);
    }
    if (!status) {
        status = launch(bench, candidate);
    }
    return status ? status : record(gpu, gpu->ends[number]);
}

static cubinet_status time_cold(struct bench *bench, const struct candidate *candidate, unsigned repeats,
                                double *out_time)
{
    double sum = 0;
    cubinet_status status = restore(bench);
    for (unsigned i = 0; !status && i < repeats; i++) {
        status = launch_cold(bench, candidate, i);
    }
    if (!status) {
        status = gpu_wait(bench->gpu);
    }
    for (unsigned i = 0; !status && i < repeats; i++) {
        double time = 0;
        status = gpu_elapsed(bench->gpu, i, i, &time);
        sum += time;
    }
    *out_time = sum / repeats;
    return status;
}

/* A launch before the timed ones fills the caches; the flush before it keeps the device busy until all are
 * there. */
static cubinet_status time_warm(struct bench *bench, const struct candidate *candidate, unsigned repeats,
                                double *out_time)
{
    struct gpu *gpu = bench->gpu;
    cubinet_status status = restore(bench);
    for (unsigned i = 0; !status && i < 4; i++) {
        status = gpu_flush(gpu);
    }
    if (!status) {
        status = launch(bench, candidate);
    }
    if (!status) {
        status = record(gpu, gpu->starts[0]);
    }
    for (unsigned i = 0; !status && i < repeats; i++) {
        status = launch(bench, candidate);
    }
    if (!status) {
        status = record(gpu, gpu->ends[0]);
    }
    if (!status) {
        status = gpu_wait(gpu);
    }
    if (!status) {
        status = gpu_elapsed(gpu, 0, 0, out_time);
    }
    *out_time /= repeats;
    return status;
}

cubinet_status bench_time(struct bench *bench, const struct candidate *candidate, unsigned repeats,
                          double *out_time)
{
    cubinet_status status = bench->is_cold ? time_cold(bench, candidate, repeats, out_time)
                                           : time_warm(bench, candidate, repeats, out_time);
    bench->gpu->is_lost |= status == CUBINET_ERROR_CONTEXT_DEAD;
    if (status && !bench->gpu->is_lost) { /* a kernel's fault may show in any call after it */
        struct cbn_kept_error kept = cbn_error_keep();
        (void)gpu_wait(bench->gpu);
        cbn_error_put_back(&kept);
    }
    return status;
}

unsigned bench_repeats(double time)
{
    enum { ENOUGH = 200000 }; /* nanoseconds: the resolution of events is 500 */
    double repeats = time > 0 ? ENOUGH / time : GPU_MOST_TIMED;
    return repeats < 1 ? 1 : repeats > GPU_MOST_TIMED ? GPU_MOST_TIMED : (unsigned)repeats;
}
