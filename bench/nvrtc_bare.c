/* SPDX-License-Identifier: Apache-2.0 */
/* What a compile costs that does nothing but nvrtcCompileProgram(), to weigh `cubinet compile` by.
 *
 *     bench_nvrtc_bare LIBNVRTC SOURCE PTX KERNELS [OPTIONS]
 *
 * Writes the PTX. KERNELS: a file with a name expression on each line. OPTIONS go to NVRTC. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *program;

static struct {
    int (*create)(program *, const char *, const char *, int, const char *const *, const char *const *);
    int (*name)(program, const char *);
    int (*compile)(program, int, const char *const *);
    int (*log_size)(program, size_t *);
    int (*log)(program, char *);
    int (*ptx_size)(program, size_t *);
    int (*ptx)(program, char *);
} nvrtc;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "nvrtc_bare: %s: %s\n", what, why);
    exit(1);
}

static void resolve(void *library, const char *name, void *out_function)
{
    void *function = dlsym(library, name);
    if (!function) {
        fail(name, "the library lacks it");
    }
    memcpy(out_function, &function, sizeof(function));
}

static void open_nvrtc(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fail(path, dlerror());
    }
    resolve(library, "nvrtcCreateProgram", &nvrtc.create);
    resolve(library, "nvrtcAddNameExpression", &nvrtc.name);
    resolve(library, "nvrtcCompileProgram", &nvrtc.compile);
    resolve(library, "nvrtcGetProgramLogSize", &nvrtc.log_size);
    resolve(library, "nvrtcGetProgramLog", &nvrtc.log);
    resolve(library, "nvrtcGetPTXSize", &nvrtc.ptx_size);
    resolve(library, "nvrtcGetPTX", &nvrtc.ptx);
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) {
        fail("memory", "there is none left");
    }
    return memory;
}

static char *read_text(const char *path)
{
    enum { MOST = 1 << 22 };
    FILE *file = fopen(path, "r");
    char *text = allocate(MOST);
    if (!file || fread(text, 1, MOST - 1, file) == 0) {
        fail(path, "it cannot be read");
    }
    fclose(file);
    return text;
}

static void add_kernels(program made, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    if (!file) {
        fail(path, "it cannot be read");
    }
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (nvrtc.name(made, line) != 0) {
            fail(line, "NVRTC refuses it");
        }
    }
    fclose(file);
}

static void say_log(program made)
{
    size_t size = 0;
    nvrtc.log_size(made, &size);
    char *log = allocate(size + 1);
    nvrtc.log(made, log);
    fail("the compile failed", log);
}

static void write_ptx(program made, const char *path)
{
    size_t size = 0;
    nvrtc.ptx_size(made, &size);
    char *ptx = allocate(size + 1);
    nvrtc.ptx(made, ptx);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(ptx, 1, size, file) != size || fclose(file) != 0) {
        fail(path, "it cannot be written");
    }
    free(ptx);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fail("usage", "LIBNVRTC SOURCE PTX KERNELS [OPTIONS]");
    }
    open_nvrtc(argv[1]);
    char *source = read_text(argv[2]);
    program made = NULL;
    if (nvrtc.create(&made, source, argv[2], 0, NULL, NULL) != 0) {
        fail(argv[2], "NVRTC refuses it");
    }
    add_kernels(made, argv[4]);
    if (nvrtc.compile(made, argc - 5, (const char *const *)argv + 5) != 0) {
        say_log(made);
    }
    write_ptx(made, argv[3]);
    return 0;
}
