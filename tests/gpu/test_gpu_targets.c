/* SPDX-License-Identifier: Apache-2.0 */
/* Hands every image of the given archives to the driver, past selection: what the driver makes of it (the
 * kernel exists and computes what it should, or not) must be what cubinet_images_rank() says. Prints a table.
 * Each image has a process of its own, so that none can spoil the driver for the next. */
#include "target_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What became of an image: the call that failed, or none. */
struct outcome {
    const char *call;
    cbn_cu_result result;
    bool runs;
};

/* Launches the kernel in the current context. */
static struct outcome launch(const struct gpu_calls *calls, CUfunction function)
{
    CUdeviceptr memory = 0;
    unsigned int factor = TARGET_CHECK_FACTOR;
    unsigned int count = TARGET_CHECK_COUNT;
    void *params[] = {&memory, &factor, &count};
    const unsigned int blocks = (TARGET_CHECK_COUNT + TARGET_CHECK_BLOCK - 1) / TARGET_CHECK_BLOCK;
    struct outcome outcome = {.call = "cuLaunchKernel"};
    GPU_DRIVER(target_check_prepare(calls, &memory));
    outcome.result =
        calls->cuLaunchKernel(function, blocks, 1, 1, TARGET_CHECK_BLOCK, 1, 1, 0, NULL, params, NULL);
    if (outcome.result == CBN_CU_SUCCESS) {
        outcome.call = "the kernel";
        outcome.result = target_check_finish(calls, memory, &outcome.runs);
    }
    return outcome;
}

/* From the code to the kernel's results. The library is left to the end of the process. */
static struct outcome force(const struct gpu_calls *calls, const void *code)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    struct outcome outcome = {.call = "cuLibraryLoadData"};
    outcome.result = calls->cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0);
    if (outcome.result == CBN_CU_SUCCESS) {
        outcome.call = "cuLibraryGetKernel";
        outcome.result = calls->cuLibraryGetKernel(&kernel, library, TARGET_CHECK_KERNEL);
    }
    if (outcome.result == CBN_CU_SUCCESS) {
        outcome.call = "cuKernelGetFunction";
        outcome.result = calls->cuKernelGetFunction(&function, kernel);
    }
    return outcome.result == CBN_CU_SUCCESS ? launch(calls, function) : outcome;
}

static bool is_selected(const cubinet_driver *driver, const cubinet_image_info *image)
{
    cubinet_device_profile profile = {.size = sizeof(profile)};
    cubinet_verdict verdict;
    GPU_OK(cubinet_driver_get_profile(driver, 0, &profile));
    return cubinet_images_rank(image, 1, &profile, NULL, &verdict) == 1;
}

static void print_row(const cubinet_image_info *image, bool selected, const struct outcome *outcome)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    char why[64] = "";
    if (outcome->result != CBN_CU_SUCCESS) {
        snprintf(why, sizeof(why), "%s: CUresult %u", outcome->call, outcome->result);
    } else if (!outcome->runs) {
        snprintf(why, sizeof(why), "wrong results");
    }
    printf("%-14s %-9s %-9s %s%s\n", cubinet_target_name(image->target, target), selected ? "runs" : "no",
           outcome->runs ? "runs" : "no", why, selected == outcome->runs ? "" : "  <-- they differ");
}

/* In a process of its own: whether selection and the driver agree. */
static bool try_image(const cubinet_archive *archive, uint32_t index)
{
    struct gpu_calls calls;
    CUcontext context = NULL;
    cubinet_driver *driver = gpu_open(&calls);
    cubinet_image_info image = {.size = sizeof(image)};
    GPU_OK(cubinet_archive_get_image(archive, 0, index, &image));
    char *code = calloc(1, (size_t)image.raw_size + 1); /* PTX ends with a NUL */
    GPU_TRUE(code != NULL);
    GPU_OK(cubinet_archive_read_image(archive, 0, index, code, (size_t)image.raw_size));
    GPU_DRIVER(calls.cuDevicePrimaryCtxRetain(&context, 0));
    GPU_DRIVER(calls.cuCtxPushCurrent(context));
    bool selected = is_selected(driver, &image);
    struct outcome outcome = force(&calls, code);
    print_row(&image, selected, &outcome);
    free(code);
    return selected == outcome.runs;
}

static int open_driver(const cubinet_archive *archive, uint32_t index)
{
    (void)archive;
    (void)index;
    struct gpu_calls calls;
    gpu_start(&calls);
    return EXIT_SUCCESS;
}

static int judge(const cubinet_archive *archive, uint32_t index)
{
    return try_image(archive, index) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Exit status of a child that does this; -1 for a crash. This process itself never touches the driver, which
 * could not be used after a fork. */
static int in_child(int (*work)(const cubinet_archive *archive, uint32_t index),
                    const cubinet_archive *archive, uint32_t index)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int result = work(archive, index);
        fflush(stdout);
        _exit(result);
    }
    GPU_TRUE(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static unsigned int judge_archive(const char *path)
{
    unsigned int differ = 0;
    cubinet_archive *archive = NULL;
    cubinet_module_info module = {.size = sizeof(module)};
    GPU_OK(cubinet_archive_open(path, NULL, &archive));
    GPU_OK(cubinet_archive_get_module(archive, 0, &module));
    GPU_TRUE(module.image_count > 0);
    printf("\n%s\n%-14s %-9s %-9s\n", path, "image", "selection", "driver");
    for (uint32_t i = 0; i < module.image_count; i++) {
        int status = in_child(judge, archive, i);
        if (status != EXIT_SUCCESS && status != EXIT_FAILURE) {
            printf("image %u: the process crashed\n", i);
        }
        differ += status != EXIT_SUCCESS;
    }
    printf("%u images, %u judged differently\n", module.image_count, differ);
    cubinet_archive_close(archive);
    return differ;
}

int main(int argc, char **argv)
{
    unsigned int differ = 0;
    int status = in_child(open_driver, NULL, 0);
    if (status != EXIT_SUCCESS || argc < 2) {
        return status == GPU_TEST_SKIPPED ? GPU_TEST_SKIPPED : EXIT_FAILURE;
    }
    for (int i = 1; i < argc; i++) {
        differ += judge_archive(argv[i]);
    }
    return differ ? EXIT_FAILURE : EXIT_SUCCESS;
}
