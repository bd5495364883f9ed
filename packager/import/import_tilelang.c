/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_tilelang.h"

#include "base/file.h"
#include "base/path.h"
#include "import/import_beside.h"
#include "import/import_text.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 1024, GRID_AND_BLOCK = 6, BLOCK_SIDES = 3, VARIANT_SIZE = 8 };

struct reading {
    struct import_text host;
    struct import_text device;
};

/* The number that is put into a place of the arguments last before a call; false if it is not a constant. */
static bool read_argument(const char *start, const char *call, uint32_t place, uint32_t *out_number)
{
    char mark[48];
    bool found = false;
    struct import_text text = {start, call};
    snprintf(mark, sizeof(mark), "stack_ffi_any)[%u].v_int64) = ", place);
    while (import_text_skip_to(&text, mark)) {
        struct import_text value = text;
        found = import_text_skip_to(&value, "((int64_t)") && value.at == text.at + strlen("((int64_t)") &&
                import_text_number(&value, out_number);
    }
    return found;
}

/* The parameters of "__global__ void [__launch_bounds__(…) ]NAME(" and what follows them up to the next
 * kernel.
 */
static bool find_kernel(const struct reading *reading, const char *name, struct import_text *out_text)
{
    char *mark = NULL;
    struct import_text text = reading->device;
    bool found = asprintf(&mark, " %s(", name) >= 0 && import_text_skip_to(&text, mark);
    free(mark);
    *out_text = text;
    return found;
}

static const char *type_of(struct import_text text)
{
    static const struct {
        const char *word;
        const char *pointer;
        const char *value;
    } table[] = {{"CUtensorMap", "void *", "CUtensorMap"}, {"float", "float *", "float"},
                 {"double", "double *", "double"},         {"uint8_t", "uint8_t *", "uint8_t"},
                 {"int8_t", "int8_t *", "int8_t"},         {"int64_t", "int64_t *", "int64_t"},
                 {"uint", "uint32_t *", "uint32_t"},       {"int", "int32_t *", "int32_t"},
                 {"half_t", "uint16_t *", "uint16_t"},     {"bfloat16_t", "uint16_t *", "uint16_t"}};
    bool is_pointer = memchr(text.at, '*', (size_t)(text.end - text.at)) != NULL;
    struct import_text rest = text;
    if (import_text_skip_to(&rest, "const ")) {
        text = rest;
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        size_t size = strlen(table[i].word);
        if ((size_t)(text.end - text.at) > size && memcmp(text.at, table[i].word, size) == 0 &&
            (text.at[size] == '*' || text.at[size] == ' ')) {
            return is_pointer ? table[i].pointer : table[i].value;
        }
    }
    return is_pointer ? "void *" : "";
}

/* "__grid_constant__ const CUtensorMap A_desc, float* __restrict__ C", up to the ')'. */
static cubinet_status read_names(struct import_text text, struct import_kernel *kernel)
{
    const char *close = memchr(text.at, ')', (size_t)(text.end - text.at));
    cubinet_status status = CUBINET_OK;
    while (!status && close && text.at < close) {
        const char *comma = memchr(text.at, ',', (size_t)(close - text.at));
        const char *end = comma ? comma : close;
        const char *start = import_text_word_before(text.at, end);
        while (text.at < start && *text.at == ' ') {
            text.at++;
        }
        char *name = strndup(start, (size_t)(end - start));
        status = name ? launch_record_add_name(&kernel->record, name,
                                               type_of((struct import_text){text.at, start}))
                      : cbn_error_memory();
        free(name);
        text.at = comma ? comma + 1 : close;
    }
    return status;
}

/* The arguments of a call are the kernel's, then one to three sides of the grid, the three of the block and,
 * for a kernel that takes some, the bytes of dynamic shared memory. */
static void read_call(const struct reading *reading, const char *call, uint32_t count, bool takes_shared,
                      struct import_kernel *kernel)
{
    cubinet_launch_record *known = &kernel->record.known;
    uint32_t sides = count - takes_shared;
    uint32_t params = known->param_name_count;
    uint32_t shared = 0;
    uint32_t block[BLOCK_SIDES];
    bool is_known =
        count > (uint32_t)takes_shared && sides > params + BLOCK_SIDES && sides <= params + GRID_AND_BLOCK;
    for (uint32_t i = 0; is_known && i < BLOCK_SIDES; i++) {
        is_known = read_argument(reading->host.at, call, sides - BLOCK_SIDES + i, &block[i]) &&
                   block[i] > 0 && block[i] <= MOST_THREADS;
    }
    if (!is_known) {
        return;
    }
    memcpy(known->block, block, sizeof(block));
    if (!takes_shared || read_argument(reading->host.at, call, count - 1, &shared)) {
        known->dynamic_shared_bytes = shared;
    }
}

/* From after "TVMFFIFunctionCall(" on: "main_kernel_packed, (TVMFFIAny*) stack_ffi_any, 9, &result)". */
static cubinet_status add_call(const struct reading *reading, struct import_text call,
                               struct import_item *item)
{
    static const char packed[] = "_packed";
    struct import_text kernel_text;
    struct import_text rest = call;
    uint32_t count = 0;
    size_t size = import_text_word(&call);
    if (size <= sizeof(packed) - 1 || strncmp(call.at, "__tvm", 5) == 0 ||
        !import_text_skip_to(&rest, "stack_ffi_any, ") || !import_text_number(&rest, &count)) {
        return CUBINET_OK;
    }
    char *name = strndup(call.at, size - (sizeof(packed) - 1));
    if (!name) {
        return cbn_error_memory();
    }
    cubinet_status status = CUBINET_OK;
    if (find_kernel(reading, name, &kernel_text) && !import_item_find(item, name)) {
        struct import_kernel *kernel = import_item_kernel(item, name);
        struct import_text body = kernel_text;
        struct import_text next = kernel_text;
        /* the definition, after the prototype */
        find_kernel(&(struct reading){.device = kernel_text}, name, &body);
        next = body;
        body.end = import_text_skip_to(&next, "__global__") ? next.at : body.end;
        bool takes_shared = import_text_skip_to(&body, "extern __shared__");
        status = kernel ? read_names(kernel_text, kernel) : cbn_error_memory();
        if (!status) {
            kernel->record.known.flags |= takes_shared ? CUBINET_RECORD_TAKES_DYNAMIC_SHARED : 0;
            read_call(reading, call.at, count, takes_shared, kernel);
        }
    }
    free(name);
    return status;
}

static cubinet_status add_calls(const struct reading *reading, struct import_item *item)
{
    struct import_text text = reading->host;
    cubinet_status status = CUBINET_OK;
    while (!status && import_text_skip_to(&text, "TVMFFIFunctionCall(")) {
        status = add_call(reading, text, item);
    }
    return status;
}

/* "main_kernel", and "main_kernel.9de458fb" of the folder that is named by a digest. */
static cubinet_status name_item(const char *path, struct import_item *item)
{
    const char *end = path_name(path);
    const char *start = end > path ? end - 1 : end;
    while (start > path && start[-1] != '/') {
        start--;
    }
    if (item->kernel_count == 0) {
        return CUBINET_OK;
    }
    int shown = end - start > VARIANT_SIZE ? VARIANT_SIZE : (int)(end - start);
    item->name = strdup(item->kernels[0].name);
    if (!item->name || asprintf(&item->variant, "%s.%.*s", item->name, shown, start) < 0) {
        item->variant = NULL;
        return cbn_error_memory();
    }
    return CUBINET_OK;
}

static cubinet_status add_library(const char *path, const char *library, const char *device,
                                  struct import_list *list)
{
    char *host_text = NULL;
    char *device_text = NULL;
    size_t host_size = 0;
    size_t device_size = 0;
    cubinet_status status = file_read(path, &host_text, &host_size);
    if (!status) {
        status = file_read(device, &device_text, &device_size);
    }
    struct import_item *item = status ? NULL : import_list_add(list, library);
    if (!status) {
        const struct reading reading = {{host_text, host_text + host_size},
                                        {device_text, device_text + device_size}};
        status = item ? add_calls(&reading, item) : cbn_error_memory();
    }
    if (!status) {
        status = name_item(path, item);
    }
    free(host_text);
    free(device_text);
    return status;
}

cubinet_status import_tilelang(const char *path, struct import_list *list, bool *out_is_one)
{
    *out_is_one = false;
    if (strcmp(path_name(path), "host_kernel.cu") != 0) {
        return CUBINET_OK;
    }
    char *library = import_beside_path(path, "executable.so");
    char *device = import_beside_path(path, "device_kernel.cu");
    cubinet_status status = library && device ? CUBINET_OK : cbn_error_memory();
    if (!status && access(library, R_OK) == 0 && access(device, R_OK) == 0) {
        *out_is_one = true;
        status = add_library(path, library, device, list);
    }
    free(library);
    free(device);
    return status;
}

bool import_tilelang_is_copy(const char *folder)
{
    return strcmp(path_name(folder), "cuda-binaries") == 0;
}
