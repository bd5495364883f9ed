/* SPDX-License-Identifier: Apache-2.0 */
/* printf in kernels arrives at the program's standard output; a failed assert ends the context. */
#include "feature_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const expected_lines[] = {"value 0 is 7, half of it 3.5, odd\n",
                                             "value 1 is -4, half of it -2.0, even\n",
                                             "value 2 is 100, half of it 50.0, even\n"};
static const char *archive_path;

static void launch(struct feature *feature, const char *kernel, const int *values, int count)
{
    CUdeviceptr memory = feature_upload(feature, values, (size_t)count * sizeof(*values));
    const cubinet_arg args[] = {CUBINET_ARG(memory), CUBINET_ARG(count)};
    feature_launch(feature, kernel, (cubinet_launch_config){.grid = {1}, .block = {32}}, args, 2);
    feature_free(feature, memory);
}

/* Runs the kernel with standard output going to a file, and compares what is in it. */
static void test_printf(struct feature *feature)
{
    static const int values[] = {7, -4, 100};
    char printed[256] = "";
    FILE *file = tmpfile();
    int real_output = dup(STDOUT_FILENO);
    GPU_TRUE(file && real_output >= 0);
    fflush(stdout);
    GPU_TRUE(dup2(fileno(file), STDOUT_FILENO) >= 0);
    launch(feature, "print_values", values, 3);
    fflush(stdout);
    GPU_TRUE(dup2(real_output, STDOUT_FILENO) >= 0);
    rewind(file);
    printed[fread(printed, 1, sizeof(printed) - 1, file)] = '\0';
    fclose(file);
    close(real_output);
    printf("printed:\n%s", printed);
    size_t size = 0;
    for (size_t i = 0; i < sizeof(expected_lines) / sizeof(expected_lines[0]); i++) {
        GPU_TRUE(strstr(printed, expected_lines[i]) != NULL); /* threads print in any order */
        size += strlen(expected_lines[i]);
    }
    GPU_TRUE(strlen(printed) == size);
}

static void test_assert_that_holds(struct feature *feature)
{
    static const int values[] = {1, 2, 3};
    launch(feature, "assert_positive", values, 3);
}

static void test_assert_that_fails(struct feature *feature)
{
    static const int values[] = {1, -2, 3};
    int count = 3;
    cubinet_kernel *kernel = NULL;
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};
    CUdeviceptr memory = feature_upload(feature, values, sizeof(values));
    const cubinet_arg args[] = {CUBINET_ARG(memory), CUBINET_ARG(count)};
    GPU_OK(cubinet_module_find_kernel(feature->module, "assert_positive", &kernel));
    GPU_OK(cubinet_kernel_launch(kernel, &config, args, 2));
    GPU_TRUE(feature->calls.cuStreamSynchronize(NULL) == CUDA_ERROR_ASSERT);
    GPU_TRUE(cubinet_kernel_launch(kernel, &config, args, 2) == CUBINET_ERROR_CONTEXT_DEAD);
    printf("after an assert: %s\n", cubinet_error_message());
    fflush(stdout);
    _exit(EXIT_SUCCESS); /* nothing can be freed in a context that is dead */
}

static void test(struct feature *feature)
{
    test_printf(feature);
    test_assert_that_holds(feature);
}

/* In a process of its own, since it loses its context. The driver must not be open before. */
static bool assert_ends_the_context(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        exit(feature_run(archive_path, "printing", test_assert_that_fails));
    }
    int status = 0;
    GPU_TRUE(child > 0 && waitpid(child, &status, 0) == child);
    GPU_TRUE(WIFEXITED(status));
    GPU_TRUE(WEXITSTATUS(status) == EXIT_SUCCESS || WEXITSTATUS(status) == GPU_TEST_SKIPPED);
    return WEXITSTATUS(status) == EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    GPU_TRUE(argc == 2);
    archive_path = argv[1];
    return assert_ends_the_context() ? feature_run(archive_path, "printing", test) : GPU_TEST_SKIPPED;
}
