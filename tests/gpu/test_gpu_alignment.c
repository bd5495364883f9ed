/* SPDX-License-Identifier: Apache-2.0 */
/* Hands a cubin to the driver at each of 16 alignments: Cubinet passes images as they lie in the archive,
 * which is at any address. */
#include "gpu_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENTS = 16, PAGE = 4096 };

static void load_at(const struct gpu_calls *calls, const void *code, const char *kernel_name)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    GPU_DRIVER(calls->cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0));
    GPU_DRIVER(calls->cuLibraryGetKernel(&kernel, library, kernel_name));
    GPU_DRIVER(calls->cuKernelGetFunction(&function, kernel));
    GPU_TRUE(function != NULL);
    GPU_DRIVER(calls->cuLibraryUnload(library));
}

static void try_alignments(const struct gpu_calls *calls, const cubinet_archive *archive, uint32_t image)
{
    cubinet_image_info info = {.size = sizeof(info)};
    cubinet_kernel_info kernel = {.size = sizeof(kernel)};
    GPU_OK(cubinet_archive_get_image(archive, 0, image, &info));
    GPU_TRUE(info.target.kind == CUBINET_IMAGE_CUBIN);
    GPU_OK(cubinet_archive_get_kernel(archive, 0, 0, &kernel));
    size_t size = (size_t)info.raw_size;
    size_t room = (size + ALIGNMENTS + PAGE - 1) / PAGE * PAGE;
    unsigned char *memory = aligned_alloc(PAGE, room);
    GPU_TRUE(memory != NULL);
    for (size_t offset = 0; offset < ALIGNMENTS; offset++) {
        memset(memory, 0xff, room);
        GPU_OK(cubinet_archive_read_image(archive, 0, image, memory + offset, size));
        load_at(calls, memory + offset, kernel.name);
    }
    free(memory);
}

int main(int argc, char **argv)
{
    struct gpu_calls calls;
    uint32_t images[GPU_MAX_IMAGES];
    cubinet_archive *archive = NULL;
    cubinet_module *module = NULL;
    cubinet_driver *driver = gpu_start(&calls);
    GPU_TRUE(argc == 2);
    GPU_OK(cubinet_archive_open(argv[1], NULL, &archive));
    GPU_TRUE(gpu_candidates(driver, archive, 0, images) > 0);
    /* A loaded module keeps the device's context, which is then made current. */
    cubinet_module_info info = {.size = sizeof(info)};
    GPU_OK(cubinet_archive_get_module(archive, 0, &info));
    GPU_OK(cubinet_module_load(driver, archive, info.name, 0, NULL, &module));
    CUcontext popped = NULL;
    GPU_DRIVER(calls.cuCtxPushCurrent(cubinet_module_get_context(module)));
    try_alignments(&calls, archive, images[0]);
    GPU_DRIVER(calls.cuCtxPopCurrent(&popped));
    GPU_OK(cubinet_module_unload(module));
    cubinet_archive_close(archive);
    cubinet_driver_close(driver);
    printf("%d alignments loaded\n", ALIGNMENTS);
    return EXIT_SUCCESS;
}
