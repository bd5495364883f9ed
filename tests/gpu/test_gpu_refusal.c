/* SPDX-License-Identifier: Apache-2.0 */
/* PTX that the driver's compiler refuses, from broken.cu: the next image is taken and the log says so; where
 * there is no other, the message has the compiler's own words. */
#include "gpu_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lines {
    char warnings[4096];
};

static void keep_warnings(void *user, cubinet_log_level level, const char *line)
{
    struct lines *lines = user;
    printf("log %d: %s\n", (int)level, line);
    size_t used = strlen(lines->warnings);
    if (level == CUBINET_LOG_WARNING) {
        snprintf(lines->warnings + used, sizeof(lines->warnings) - used, "%s\n", line);
    }
}

static void skip_without_gpu(void)
{
    struct gpu_calls calls;
    cubinet_driver_close(gpu_start(&calls));
}

static void expect_next_is_taken(cubinet_driver *driver, const cubinet_archive *archive,
                                 const struct lines *lines)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_module *module = NULL;
    cubinet_image_info image = {.size = sizeof(image)};
    GPU_OK(cubinet_module_load(driver, archive, "broken", 0, NULL, &module));
    GPU_OK(cubinet_module_get_image(module, &image));
    GPU_TRUE(strcmp(cubinet_target_name(image.target, target), "compute_75") == 0);
    GPU_TRUE(strstr(lines->warnings, "refused compute_80") != NULL);
    GPU_TRUE(strstr(lines->warnings, "no_such_instruction") != NULL);
    GPU_OK(cubinet_module_unload(module));
}

static void expect_log_in_message(cubinet_driver *driver, const cubinet_archive *archive)
{
    const cubinet_policy policy = {.size = sizeof(policy), .only = "compute_80"};
    const cubinet_load_options options = {.size = sizeof(options), .policy = &policy};
    cubinet_module *module = NULL;
    GPU_TRUE(cubinet_module_load(driver, archive, "broken", 0, &options, &module) == CUBINET_ERROR_NO_IMAGE);
    const char *message = cubinet_error_message();
    printf("%s\n", message);
    GPU_TRUE(strstr(message, "CUDA_ERROR_INVALID_PTX (218)") != NULL);
    GPU_TRUE(strstr(message, "no_such_instruction") != NULL);
    GPU_TRUE(strstr(message, "compute_75: ") != NULL);
}

int main(int argc, char **argv)
{
    struct lines lines = {""};
    const cubinet_driver_options options = {
        .size = sizeof(options), .log = keep_warnings, .log_user = &lines};
    cubinet_driver *driver = NULL;
    cubinet_archive *archive = NULL;
    skip_without_gpu();
    GPU_TRUE(argc == 2);
    GPU_OK(cubinet_driver_open(&options, &driver));
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    expect_next_is_taken(driver, archive, &lines);
    expect_log_in_message(driver, archive);
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    return EXIT_SUCCESS;
}
