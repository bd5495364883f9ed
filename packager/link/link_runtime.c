/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_runtime.h"

#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* Notes the first function of the device runtime that an image needs. */
static cubinet_status look_at_image(const struct link_input *input, uint32_t module, uint32_t image,
                                    struct link_runtime *runtime)
{
    cubinet_image_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_image(input->archive, module, image, &info);
    uint32_t end = info.defined_count + info.needed_count;
    for (uint32_t i = info.defined_count; !status && !runtime->function && i < end; i++) {
        cubinet_symbol_info symbol = {.size = sizeof(symbol)};
        status = cubinet_archive_get_symbol(input->archive, module, image, i, &symbol);
        if (!status && device_runtime_has(symbol.name)) {
            runtime->function = strdup(symbol.name);
            status = runtime->function ? CUBINET_OK : cbn_error_memory();
        }
    }
    return status;
}

static cubinet_status look_at_modules(const struct link_input *input, struct link_runtime *runtime)
{
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < input->module_count; i++) {
        cubinet_module_info about = {.size = sizeof(about)};
        status = cubinet_archive_get_module(input->archive, input->first_module + i, &about);
        for (uint32_t j = 0; !status && j < about.image_count; j++) {
            status = look_at_image(input, input->first_module + i, j, runtime);
        }
    }
    return status;
}

static cubinet_status look_at_all(const struct link_inputs *inputs, struct link_runtime *runtime)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < inputs->count; i++) {
        status = look_at_modules(&inputs->items[i], runtime);
    }
    return status;
}

/* Whoever gives a library knows which: nvJitLink refuses one function twice. */
static bool has_library(const struct link_inputs *pieces)
{
    for (size_t i = 0; i < pieces->count; i++) {
        if (pieces->items[i].kind == CUBINET_PIECE_LIBRARY) {
            return true;
        }
    }
    return false;
}

cubinet_status link_runtime_read(const struct link_request *request, const char *path,
                                 struct link_runtime *runtime)
{
    cubinet_status status = look_at_all(request->pieces, runtime);
    if (!status) {
        status = look_at_all(request->libraries, runtime);
    }
    if (status || !runtime->function || request->no_device_runtime || has_library(request->pieces)) {
        return status;
    }
    return device_runtime_read(path, request->module, runtime->function, &runtime->library);
}

void link_runtime_free(struct link_runtime *runtime)
{
    device_runtime_free(&runtime->library);
    free(runtime->function);
    runtime->function = NULL;
}
