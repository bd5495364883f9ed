/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_inductor.h"

#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WARP_SIZE = 32, MOST_WARPS = 64 };

/* Text, as far as it is read. */
struct reading {
    const char *at;
    const char *end;
};

/* Moves on behind the next `text`; false if there is none. */
static bool skip_to(struct reading *reading, const char *text)
{
    const char *found = memmem(reading->at, (size_t)(reading->end - reading->at), text, strlen(text));
    reading->at = found ? found + strlen(text) : reading->at;
    return found != NULL;
}

/* A word of letters, digits and '_' from `at` on. */
static size_t word_size(const struct reading *reading)
{
    size_t size = 0;
    size_t left = (size_t)(reading->end - reading->at);
    while (size < left && (isalnum((unsigned char)reading->at[size]) || reading->at[size] == '_')) {
        size++;
    }
    return size;
}

/* A number after blanks, and the ',' behind it. */
static bool take_number(struct reading *reading, uint32_t *out_number)
{
    uint64_t number = 0;
    while (reading->at < reading->end && *reading->at == ' ') {
        reading->at++;
    }
    const char *start = reading->at;
    while (reading->at < reading->end && isdigit((unsigned char)*reading->at) && number < UINT32_MAX) {
        number = number * 10 + (uint64_t)(*reading->at++ - '0');
    }
    bool is_one =
        reading->at > start && reading->at < reading->end && *reading->at == ',' && number < CUBINET_UNKNOWN;
    *out_number = (uint32_t)number;
    reading->at += is_one;
    return is_one;
}

/* What `launchKernel(kernels_.VARIABLE, grid, grid, grid, warps, ` says, from the kernel's loading on. */
static void read_launch(struct reading launch, struct reading variable, struct import_kernel *kernel)
{
    size_t size = (size_t)(variable.end - variable.at);
    struct reading before = launch;
    uint32_t warps;
    do {
        if (!skip_to(&launch, "launchKernel(kernels_.")) {
            return;
        }
    } while (word_size(&launch) != size || memcmp(launch.at, variable.at, size) != 0);
    before.end = launch.at;
    for (int i = 0; i < 4; i++) {
        if (!skip_to(&launch, ",")) {
            return;
        }
    }
    if (take_number(&launch, &warps) && warps > 0 && warps <= MOST_WARPS) {
        kernel->record.known.block[0] = warps * WARP_SIZE;
        kernel->record.known.block[1] = kernel->record.known.block[2] = 1;
    }
    if (skip_to(&before, "global_scratch_scratch_")) {
        kernel->trailing[kernel->trailing_count++] = (cubinet_hidden_param){.kind = CUBINET_HIDDEN_SCRATCH};
        if (skip_to(&before, "profile_scratch_scratch_")) {
            kernel->trailing[kernel->trailing_count++] =
                (cubinet_hidden_param){.kind = CUBINET_HIDDEN_PROFILE};
        }
    }
}

/* The variable in "kernels_.VARIABLE = loadKernel(", whose end `at` is. */
static struct reading variable_before(const char *start, const char *at)
{
    struct reading variable = {at, at};
    while (variable.at > start && (isalnum((unsigned char)variable.at[-1]) || variable.at[-1] == '_')) {
        variable.at--;
    }
    return variable;
}

/* Reads `loadKernel("FILE.cubin", "NAME", SHARED, ` behind its "(". */
static cubinet_status read_kernel(struct reading *reading, struct reading variable, struct import_item *item)
{
    uint32_t shared;
    if (!skip_to(reading, "\", \"")) {
        return CUBINET_OK;
    }
    char *name = strndup(reading->at, word_size(reading));
    cubinet_status status = name ? CUBINET_OK : cbn_error_memory();
    if (!status && name[0] && !import_item_find(item, name) && skip_to(reading, "\",") &&
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
    struct reading reading = {data, data + size};
    cubinet_status status = CUBINET_OK;
    while (!status && skip_to(&reading, call)) {
        struct reading variable = variable_before(data, reading.at - (sizeof(call) - 1));
        status = read_kernel(&reading, variable, item);
    }
    return status;
}
