/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a program that nvcc built, launches Cubinet's kernels instead of the program's own: those of
 * the archive in CUBINET_INSTEAD, by the names under which nvcc registers its own. At the end it says how
 * many it launched, and how many were not in the archive and so the program's. Kernels that use variables
 * which the program fills are no good here: the program fills its own. */
#include <cubinet/cubinet.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned x, y, z;
} size3;

enum { MOST = 1000 };

static struct {
    const void *function;
    char *name;
} registered[MOST];
static int registered_count;

static cubinet_driver *driver;
static cubinet_module *module;
static int launched, own;

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                            void *thread, void *block, void *block_size, void *grid_size, int *warp);
int cudaLaunchKernel(const void *function, size3 grid, size3 block, void **arguments, size_t shared,
                     void *stream);

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "instead: the program has no %s()\n", name);
        abort();
    }
    return function;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                            void *thread, void *block, void *block_size, void *grid_size, int *warp)
{
    void (*real)(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
    void *found = next("__cudaRegisterFunction");
    memcpy(&real, &found, sizeof(real));
    real(handle, host, device, name, limit, thread, block, block_size, grid_size, warp);
    if (registered_count < MOST) {
        registered[registered_count].function = host;
        registered[registered_count++].name = strdup(name);
    }
}

static void must(cubinet_status status)
{
    if (status) {
        fprintf(stderr, "instead: %s\n", cubinet_error_message());
        exit(3);
    }
}

static void tell(void)
{
    fprintf(stderr, "instead: %d launched from the archive, %d of the program's own\n", launched, own);
}

static void open_archive(void)
{
    cubinet_archive *archive;
    cubinet_module_info info;
    info.size = sizeof(info);
    must(cubinet_driver_open(NULL, &driver));
    must(cubinet_archive_open(getenv("CUBINET_INSTEAD"), NULL, &archive));
    must(cubinet_archive_get_module(archive, 0, &info));
    must(cubinet_module_load(driver, archive, info.name, 0, NULL, &module));
    atexit(tell);
}

static const char *name_of(const void *function)
{
    for (int i = 0; i < registered_count; i++) {
        if (registered[i].function == function) {
            return registered[i].name;
        }
    }
    return "";
}

int cudaLaunchKernel(const void *function, size3 grid, size3 block, void **arguments, size_t shared,
                     void *stream)
{
    int (*real)(const void *, size3, size3, void **, size_t, void *);
    void *found = next("cudaLaunchKernel");
    memcpy(&real, &found, sizeof(real));
    int (*prepare)(void *);
    found = next("cudaFree");
    memcpy(&prepare, &found, sizeof(prepare));
    prepare(NULL); /* makes the context */
    if (!module) {
        open_archive();
    }
    cubinet_kernel *kernel;
    if (cubinet_module_find_kernel(module, name_of(function), &kernel)) {
        own++;
        return real(function, grid, block, arguments, shared, stream);
    }
    int (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                  void **, void **);
    CUfunction handle;
    must(cubinet_driver_get_proc_address(driver, "cuLaunchKernel", &found));
    memcpy(&launch, &found, sizeof(launch));
    must(cubinet_kernel_get_function(kernel, &handle));
    launched++;
    return launch(handle, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream,
                  arguments, NULL);
}
