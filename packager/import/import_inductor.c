/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_inductor.h"

#include "import/import_text.h"
#include "loader/core/support/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WARP_SIZE = 32, MOST_WARPS = 64 };

/* A number, and the ',' after it. */
static bool take_number(struct import_text *text, uint32_t *out_number)
{
    bool is_one = import_text_number(text, out_number) && text->at < text->end && *text->at == ',';
    text->at += is_one;
    return is_one;
}

/* What `launchKernel(kernels_.VARIABLE, grid, grid, grid, warps, ` says, from the kernel's loading on. */
static void read_launch(struct import_text launch, struct import_text variable, struct import_kernel *kernel)
{
    size_t size = (size_t)(variable.end - variable.at);
    struct import_text before = launch;
    uint32_t warps;
    do {
        if (!import_text_skip_to(&launch, "launchKernel(kernels_.")) {
            return;
        }
    } while (import_text_word(&launch) != size || memcmp(launch.at, variable.at, size) != 0);
    before.end = launch.at;
    for (int i = 0; i < 4; i++) {
        if (!import_text_skip_to(&launch, ",")) {
            return;
        }
    }
    if (take_number(&launch, &warps) && warps > 0 && warps <= MOST_WARPS) {
        kernel->record.known.block[0] = warps * WARP_SIZE;
        kernel->record.known.block[1] = kernel->record.known.block[2] = 1;
    }
    if (import_text_skip_to(&before, "global_scratch_scratch_")) {
        kernel->trailing[kernel->trailing_count++] = (cubinet_hidden_param){.kind = CUBINET_HIDDEN_SCRATCH};
        if (import_text_skip_to(&before, "profile_scratch_scratch_")) {
            kernel->trailing[kernel->trailing_count++] =
                (cubinet_hidden_param){.kind = CUBINET_HIDDEN_PROFILE};
        }
    }
}

/* The variable in "kernels_.VARIABLE = loadKernel(", whose end `at` is. */
static struct import_text variable_before(const char *start, const char *at)
{
    return (struct import_text){import_text_word_before(start, at), at};
}

/* Reads `loadKernel("FILE.cubin", "NAME", SHARED, ` after its "(". */
static cubinet_status read_kernel(struct import_text *reading, struct import_text variable,
                                  struct import_item *item)
{
    uint32_t shared;
    if (!import_text_skip_to(reading, "\", \"")) {
        return CUBINET_OK;
    }
    char *name = strndup(reading->at, import_text_word(reading));
    cubinet_status status = name ? CUBINET_OK : cbn_error_memory();
    if (!status && name[0] && !import_item_find(item, name) && import_text_skip_to(reading, "\",") &&
        take_number(reading, &shared)) {
        struct import_kernel *kernel = import_item_kernel(item, name);
        if (kernel) {
            kernel->record.known.dynamic_shared_bytes = shared;
            kernel->record.known.flags |= shared ? CUBINET_RECORD_TAKES_DYNAMIC_SHARED : 0;
            read_launch(*reading, variable, kernel);
        } else {
            status = cbn_error_memory();
        }
    }
    free(name);
    return status;
}

cubinet_status import_inductor(const char *data, size_t size, struct import_item *item)
{
    static const char call[] = " = loadKernel(\"";
    struct import_text reading = {data, data + size};
    cubinet_status status = CUBINET_OK;
    while (!status && import_text_skip_to(&reading, call)) {
        struct import_text variable = variable_before(data, reading.at - (sizeof(call) - 1));
        status = read_kernel(&reading, variable, item);
    }
    return status;
}
