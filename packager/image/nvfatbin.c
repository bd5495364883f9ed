/* SPDX-License-Identifier: Apache-2.0 */
#include "image/nvfatbin.h"

#include "loader/core/support/error.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cbn_symbol symbols[] = {
#define NVFATBIN_SYMBOL(name, result, parameters, required, since)                                           \
    {#name, offsetof(struct nvfatbin_table, name), required, since},
    NVFATBIN_FUNCTIONS(NVFATBIN_SYMBOL)
#undef NVFATBIN_SYMBOL
};

/* Beside NVRTC, or where wheels of CUDA 12 have it: nvidia/nvfatbin/lib beside nvidia/cuda_nvrtc/lib. The
 * newest of what is found; NULL if there is none. */
static char *find(const char *nvrtc)
{
    static const char *const places[] = {"libnvfatbin.so.*", "../../nvfatbin/lib/libnvfatbin.so.*"};
    const char *slash = strrchr(nvrtc, '/');
    char *found = NULL;
    for (size_t i = 0; !found && slash && i < sizeof(places) / sizeof(places[0]); i++) {
        char *pattern = NULL;
        glob_t matches;
        if (asprintf(&pattern, "%.*s/%s", (int)(slash - nvrtc), nvrtc, places[i]) < 0) {
            return NULL;
        }
        if (glob(pattern, 0, NULL, &matches) == 0) {
            found = strdup(matches.gl_pathv[matches.gl_pathc - 1]);
            globfree(&matches);
        }
        free(pattern);
    }
    return found;
}

cubinet_status nvfatbin_open(const char *nvrtc, struct nvfatbin *out_nvfatbin)
{
    struct nvfatbin nvfatbin = {0};
    char *path = find(nvrtc);
    cubinet_status status = CUBINET_OK;
    if (path) {
        const struct cbn_library_search search = {.what = "nvFatbin", .path = path, .stays = true};
        status = cbn_library_open(&search, CUBINET_ERROR_TOOLKIT, &nvfatbin.library);
    }
    if (!status && path) {
        status = cbn_library_resolve(&nvfatbin.library, symbols, sizeof(symbols) / sizeof(symbols[0]),
                                     &nvfatbin.table, CUBINET_ERROR_TOOLKIT);
    }
    free(path);
    if (status) {
        cbn_library_close(&nvfatbin.library);
        return status;
    }
    *out_nvfatbin = nvfatbin;
    return CUBINET_OK;
}

void nvfatbin_close(struct nvfatbin *nvfatbin)
{
    cbn_library_close(&nvfatbin->library);
}

static cubinet_status fail(const struct nvfatbin *nvfatbin, const char *call, nvFatbinResult result)
{
    return cbn_error(CUBINET_ERROR_LINK, "nvFatbin: %s: %s (%d)", call,
                     nvfatbin->table.nvFatbinGetErrorString(result), result);
}

/* The number as it takes it: "90a". */
static void arch_of(cubinet_target target, char arch[CUBINET_TARGET_NAME_SIZE])
{
    const char suffix[2] = {(char)target.suffix, '\0'};
    snprintf(arch, CUBINET_TARGET_NAME_SIZE, "%d%s", target.number, suffix);
}

static cubinet_status add(const struct nvfatbin *nvfatbin, nvFatbinHandle handle,
                          const struct fatbin_image *image, const char *name)
{
    const struct nvfatbin_table *table = &nvfatbin->table;
    char arch[CUBINET_TARGET_NAME_SIZE];
    nvFatbinResult result = 0;
    const char *call = "nvFatbinAddCubin";
    arch_of(image->target, arch);
    switch (image->target.kind) {
    case CUBINET_IMAGE_CUBIN:
        result = table->nvFatbinAddCubin(handle, image->data, image->size, arch, name);
        break;
    case CUBINET_IMAGE_PTX: /* its size counts the NUL that the caller has put after it */
        call = "nvFatbinAddPTX";
        result = table->nvFatbinAddPTX(handle, (const char *)image->data, image->size + 1, arch, name, "");
        break;
    case CUBINET_IMAGE_LTOIR:
        call = "nvFatbinAddLTOIR";
        result = table->nvFatbinAddLTOIR(handle, image->data, image->size, arch, name, "");
        break;
    case CUBINET_IMAGE_TILEIR:
        if (!table->nvFatbinAddTileIR) {
            return fatbin_refuse_tileir();
        }
        call = "nvFatbinAddTileIR";
        result = table->nvFatbinAddTileIR(handle, image->data, image->size, name, "");
        break;
    case CUBINET_IMAGE_OPTIXIR:
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "fatbins hold no OptiX-IR");
    }
    return result ? fail(nvfatbin, call, result) : CUBINET_OK;
}

static cubinet_status take(const struct nvfatbin *nvfatbin, nvFatbinHandle handle, struct buffer *out)
{
    size_t size = 0;
    nvFatbinResult result = nvfatbin->table.nvFatbinSize(handle, &size);
    if (result) {
        return fail(nvfatbin, "nvFatbinSize", result);
    }
    void *data = malloc(size > 0 ? size : 1);
    if (!data) {
        return cbn_error_memory();
    }
    result = nvfatbin->table.nvFatbinGet(handle, data);
    if (!result) {
        buffer_append(out, data, size);
    }
    free(data);
    if (result) {
        return fail(nvfatbin, "nvFatbinGet", result);
    }
    return out->failed ? cbn_error_memory() : CUBINET_OK;
}

cubinet_status nvfatbin_write(const struct nvfatbin *nvfatbin, const struct fatbin_image *images,
                              size_t count, const char *name, struct buffer *out)
{
    const char *options[] = {"-64", "-host=linux", "-compress-mode=size"};
    nvFatbinHandle handle = NULL;
    nvFatbinResult result =
        nvfatbin->table.nvFatbinCreate(&handle, options, sizeof(options) / sizeof(options[0]));
    if (result) {
        return fail(nvfatbin, "nvFatbinCreate", result);
    }
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = add(nvfatbin, handle, &images[i], name);
    }
    if (!status) {
        status = take(nvfatbin, handle, out);
    }
    nvfatbin->table.nvFatbinDestroy(&handle);
    return status;
}
