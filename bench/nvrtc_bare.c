/* SPDX-License-Identifier: Apache-2.0 */
/* What a compile costs that does nothing but nvrtcCompileProgram(), to weigh `cubinet compile` by.
 *
 *     bench_nvrtc_bare LIBNVRTC SOURCE PTX KERNELS [OPTIONS]
 *
 * Writes the PTX. KERNELS: a file with a name expression on each line. OPTIONS go to NVRTC. */
#include "nvrtc_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_kernels(program made, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    if (!file) {
        bench_fail(path, "it cannot be read");
    }
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (nvrtc.name(made, line) != 0) {
            bench_fail(line, "NVRTC refuses it");
        }
    }
    fclose(file);
}

static void say_log(program made)
{
    size_t size = 0;
    nvrtc.log_size(made, &size);
    char *log = bench_allocate(size + 1);
    nvrtc.log(made, log);
    bench_fail("the compile failed", log);
}

static void write_ptx(program made, const char *path)
{
    size_t size = 0;
    nvrtc.ptx_size(made, &size);
    char *ptx = bench_allocate(size + 1);
    nvrtc.ptx(made, ptx);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(ptx, 1, size, file) != size || fclose(file) != 0) {
        bench_fail(path, "it cannot be written");
    }
    free(ptx);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        bench_fail("usage", "LIBNVRTC SOURCE PTX KERNELS [OPTIONS]");
    }
    bench_open_nvrtc(argv[1]);
    char *source = bench_read_text(argv[2]);
    program made = NULL;
    if (nvrtc.create(&made, source, argv[2], 0, NULL, NULL) != 0) {
        bench_fail(argv[2], "NVRTC refuses it");
    }
    add_kernels(made, argv[4]);
    if (nvrtc.compile(made, argc - 5, (const char *const *)argv + 5) != 0) {
        say_log(made);
    }
    write_ptx(made, argv[3]);
    return 0;
}
