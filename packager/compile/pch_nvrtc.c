/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/pch_nvrtc.h"

#include "interpose/fixed_address.h"
#include "interpose/pch_heap.h"
#include "loader/core/support/error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const void *address_of(const struct nvrtc *nvrtc)
{
    const void *function;
    memcpy(&function, &nvrtc->table.nvrtcVersion, sizeof(function));
    return fixed_address_of(function);
}

cubinet_status pch_nvrtc_options(const struct cbn_text_list *options, const char *action, const char *data,
                                 struct cbn_text_list *out_options)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < options->count; i++) {
        status = cbn_text_list_add(out_options, options->items[i]);
    }
    if (!status) {
        status = cbn_text_list_add(out_options, "-include=" PCH_LAST_HEADER);
    }
    return status ? status : cbn_text_list_addf(out_options, "-%s-pch=%s", action, data);
}

unsigned long long pch_nvrtc_address(const struct nvrtc *nvrtc)
{
    return (unsigned long long)(uintptr_t)address_of(nvrtc);
}

/* Why an NVRTC that was opened can't have precompiled headers; NULL if it can. */
static char *find_reason(const struct nvrtc *nvrtc, cubinet_status prepared, const char *said)
{
    char *reason = NULL;
    int size = 0;
    if (nvrtc->version < PCH_RELEASE || !nvrtc->table.nvrtcGetPCHCreateStatus) {
        size = asprintf(&reason, "NVRTC of CUDA %d.%d has no precompiled headers, which came with 12.8",
                        nvrtc->version / 1000, nvrtc->version % 1000 / 10);
    } else if (prepared) {
        size = asprintf(&reason, "NVRTC cannot be given its address: %s", said);
    } else if (address_of(nvrtc) != fixed_address_wanted()) {
        size = asprintf(&reason, "NVRTC was loaded to another address than its own");
    }
    return size < 0 ? strdup("memory is out") : reason;
}

cubinet_status pch_nvrtc_open(const struct cbn_library_search *search, struct nvrtc *out_nvrtc,
                              char **out_reason)
{
    struct fixed_address address = {0};
    cubinet_status prepared = fixed_address_prepare(search->path, &address);
    char *said = !prepared ? NULL : strdup(cubinet_error_message());
    cubinet_status status = nvrtc_open(search, out_nvrtc);
    fixed_address_release(&address);
    if (!status) {
        nvrtc_load_builtins(out_nvrtc); /* for which there is room from now on */
        *out_reason = find_reason(out_nvrtc, prepared, said ? said : "");
    }
    free(said);
    return status;
}

cubinet_status pch_nvrtc_set_heap(const struct nvrtc *nvrtc, size_t size, size_t *out_size)
{
    const struct nvrtc_table *table = &nvrtc->table;
    size_t now = 0;
    nvrtcResult result = table->nvrtcGetPCHHeapSize(&now);
    if (result == 0 && size > 0 && size != now) {
        result = table->nvrtcSetPCHHeapSize(size);
        if (result == 0) {
            result = table->nvrtcGetPCHHeapSize(&now);
        }
    }
    if (result != 0) {
        return cbn_error(CUBINET_ERROR_TOOLKIT, "NVRTC: memory for precompiled headers: %s (%d)",
                         table->nvrtcGetErrorString(result), result);
    }
    pch_heap_place(now);
    *out_size = now;
    return CUBINET_OK;
}
