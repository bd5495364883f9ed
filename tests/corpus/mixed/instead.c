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

/* The runtime's cudaLaunchConfig_t. Its attributes are the driver's. */
struct runtime_config {
    size3 grid, block;
    size_t shared;
    void *stream;
    void *attributes;
    unsigned count;
};

enum {
    MOST = 1000,
    MAX_DYNAMIC_SHARED = 8, /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
    PLAIN_SHARED = 48 * 1024,
};

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
EXPORTED int cudaLaunchKernelExC(const struct runtime_config *config, const void *function, void **arguments);
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

/* The kernel of the archive for one of the program's; NULL if the archive lacks it. */
static CUfunction find(const void *key)
{
    int (*prepare)(void *);
    void *found = next("cudaFree");
    memcpy(&prepare, &found, sizeof(prepare));
    prepare(NULL); /* makes the context */
    if (!module) {
        open_archive();
    }
    cubinet_kernel *kernel;
    CUfunction handle = NULL;
    if (cubinet_module_find_kernel(module, name_of(key), &kernel)) {
        own++;
        return NULL;
    }
    must(cubinet_kernel_get_function(kernel, &handle));
    launched++;
    return handle;
}

/* The program gave this leave to its own kernel. */
static void allow_shared(CUfunction handle, size_t shared)
{
    int (*set)(CUfunction, int, int);
    void *found;
    if (shared > PLAIN_SHARED) {
        must(cubinet_driver_get_proc_address(driver, "cuFuncSetAttribute", &found));
        memcpy(&set, &found, sizeof(set));
        set(handle, MAX_DYNAMIC_SHARED, (int)shared);
    }
}

typedef int launch_function(const void *, size3, size3, void **, size_t, void *);

static int launch(const char *function, const void *key, size3 grid, size3 block, void **arguments,
                  size_t shared, void *stream)
{
    launch_function *real;
    void *found = next(function);
    memcpy(&real, &found, sizeof(real));
    CUfunction handle = find(key);
    if (!handle) {
        return real(key, grid, block, arguments, shared, stream);
    }
    int (*start)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                 void **, void **);
    must(cubinet_driver_get_proc_address(driver, "cuLaunchKernel", &found));
    memcpy(&start, &found, sizeof(start));
    allow_shared(handle, shared);
    return start(handle, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream,
                 arguments, NULL);
}

int cudaLaunchKernelExC(const struct runtime_config *config, const void *function, void **arguments)
{
    int (*real)(const struct runtime_config *, const void *, void **);
    void *found = next("cudaLaunchKernelExC");
    memcpy(&real, &found, sizeof(real));
    CUfunction handle = find(function);
    if (!handle) {
        return real(config, function, arguments);
    }
    const struct { /* the driver's CUlaunchConfig */
        size3 grid, block;
        unsigned shared;
        void *stream;
        void *attributes;
        unsigned count;
    } driver_config = {config->grid,   config->block,      (unsigned)config->shared,
                       config->stream, config->attributes, config->count};
    int (*start)(const void *, CUfunction, void **, void **);
    must(cubinet_driver_get_proc_address(driver, "cuLaunchKernelEx", &found));
    memcpy(&start, &found, sizeof(start));
    allow_shared(handle, config->shared);
    return start(&driver_config, handle, arguments, NULL);
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
