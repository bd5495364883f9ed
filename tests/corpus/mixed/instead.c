/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a program that nvcc built, launches Cubinet's kernels instead of the program's own: those of
 * the archive in CUBINET_INSTEAD, by the names under which nvcc registers its own. At the end it says how
 * many it launched, and how many were not in the archive and so the program's. Kernels that use variables
 * which the program fills are of no use here: the program fills its own. */
#include <cubinet/cubinet.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

typedef struct {
    unsigned x, y, z;
} size3;

enum { MOST = 1000 };

static struct {
    const void *function;
    const void *handle; /* the runtime's, once the program asked for it */
    char *name;
} registered[MOST];
static int registered_count;

static cubinet_driver *driver;
static cubinet_module *module;
static int launched, own;

EXPORTED void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                     int limit, void *thread, void *block, void *block_size, void *grid_size,
                                     int *warp);
EXPORTED int cudaLaunchKernel(const void *function, size3 grid, size3 block, void **arguments, size_t shared,
                              void *stream);
EXPORTED int __cudaLaunchKernel(const void *handle, size3 grid, size3 block, void **arguments, size_t shared,
                                void *stream);
EXPORTED int __cudaGetKernel(const void **handle, const void *function);

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

static const char *name_of(const void *key)
{
    for (int i = 0; i < registered_count; i++) {
        if (registered[i].function == key || registered[i].handle == key) {
            return registered[i].name;
        }
    }
    return "";
}

typedef int launch_function(const void *, size3, size3, void **, size_t, void *);

static int launch(const char *function, const void *key, size3 grid, size3 block, void **arguments,
                  size_t shared, void *stream)
{
    launch_function *real;
    void *found = next(function);
    memcpy(&real, &found, sizeof(real));
    int (*prepare)(void *);
    found = next("cudaFree");
    memcpy(&prepare, &found, sizeof(prepare));
    prepare(NULL); /* makes the context */
    if (!module) {
        open_archive();
    }
    cubinet_kernel *kernel;
    if (cubinet_module_find_kernel(module, name_of(key), &kernel)) {
        own++;
        return real(key, grid, block, arguments, shared, stream);
    }
    int (*start)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                 void **, void **);
    CUfunction handle;
    must(cubinet_driver_get_proc_address(driver, "cuLaunchKernel", &found));
    memcpy(&start, &found, sizeof(start));
    must(cubinet_kernel_get_function(kernel, &handle));
    launched++;
    return start(handle, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream,
                 arguments, NULL);
}

int cudaLaunchKernel(const void *function, size3 grid, size3 block, void **arguments, size_t shared,
                     void *stream)
{
    return launch("cudaLaunchKernel", function, grid, block, arguments, shared, stream);
}

/* What nvcc makes of <<<>>> calls these two. */
int __cudaLaunchKernel(const void *handle, size3 grid, size3 block, void **arguments, size_t shared,
                       void *stream)
{
    return launch("__cudaLaunchKernel", handle, grid, block, arguments, shared, stream);
}

int __cudaGetKernel(const void **handle, const void *function)
{
    int (*real)(const void **, const void *);
    void *found = next("__cudaGetKernel");
    memcpy(&real, &found, sizeof(real));
    int result = real(handle, function);
    for (int i = 0; i < registered_count; i++) {
        if (registered[i].function == function) {
            registered[i].handle = *handle;
        }
    }
    return result;
}
