/* SPDX-License-Identifier: Apache-2.0 */
#include "nvrtc_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct nvrtc_calls nvrtc;

_Noreturn void bench_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
    _exit(1);
}

void bench_resolve(void *library, const char *name, void *out_function)
{
    void *function = dlsym(library, name);
    if (!function) {
        bench_fail(name, "the library lacks it");
    }
    memcpy(out_function, &function, sizeof(function));
}

void bench_open_nvrtc(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        bench_fail(path, dlerror());
    }
    bench_resolve(library, "nvrtcGetErrorString", &nvrtc.say);
    bench_resolve(library, "nvrtcCreateProgram", &nvrtc.create);
    bench_resolve(library, "nvrtcAddNameExpression", &nvrtc.name);
    bench_resolve(library, "nvrtcGetLoweredName", &nvrtc.lowered);
    bench_resolve(library, "nvrtcCompileProgram", &nvrtc.compile);
    bench_resolve(library, "nvrtcGetProgramLogSize", &nvrtc.log_size);
    bench_resolve(library, "nvrtcGetProgramLog", &nvrtc.log);
    bench_resolve(library, "nvrtcGetPTXSize", &nvrtc.ptx_size);
    bench_resolve(library, "nvrtcGetPTX", &nvrtc.ptx);
}

void *bench_allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) {
        bench_fail("memory", "there is none left");
    }
    return memory;
}

char *bench_read_text(const char *path)
{
    enum { MOST = 1 << 22 };
    FILE *file = fopen(path, "r");
    char *text = bench_allocate(MOST);
    if (!file || fread(text, 1, MOST - 1, file) == 0) {
        bench_fail(path, "it cannot be read");
    }
    fclose(file);
    return text;
}
