/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_triton_source.h"

#include "base/file.h"
#include "base/path.h"
#include "import/import_text.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024 };

/* The C of a file, and what was made of it. */
struct reading {
    const char *path;
    struct import_text text;
    struct import_item *item;
    struct import_kernel *kernel;
};

/* The position after the first place of `mark` in the whole file. */
static bool find(const struct reading *reading, const char *mark, struct import_text *out_text)
{
    *out_text = reading->text;
    return import_text_skip_to(out_text, mark);
}

static cubinet_status refuse_array(const struct reading *reading, size_t wanted, size_t found)
{
    return cbn_error(CUBINET_ERROR_DAMAGED,
                     "'%s' has a cubin of %zu bytes in an array of %zu: it is cut off or changed; compile it "
                     "again with triton.tools.compile",
                     reading->path, found, wanted);
}

/* The bytes of "CUBIN_NAME[SIZE] = { 0x7f, 0x45, … };". */
static cubinet_status read_array(const struct reading *reading, struct import_text text)
{
    uint32_t size = 0;
    size_t count = 0;
    if (!import_text_number(&text, &size) || size > (size_t)(text.end - text.at) ||
        !import_text_skip_to(&text, "{")) {
        return refuse_array(reading, size, 0);
    }
    char *data = malloc(size ? size : 1);
    reading->item->data = data;
    reading->item->size = size;
    if (!data) {
        return cbn_error_memory();
    }
    for (;; text.at++) { /* a ',' */
        char *end;
        unsigned long byte = strtoul(text.at, &end, 16);
        if (end == text.at || byte > 0xff || count == size) {
            return refuse_array(reading, size, count);
        }
        data[count++] = (char)(unsigned char)byte;
        text.at = end;
        if (*text.at != ',') {
            return count == size && *text.at == ' ' && text.at[1] == '}' ? CUBINET_OK
                                                                         : refuse_array(reading, size, count);
        }
    }
}

/* "cuLaunchKernel(f, gX, gY, gZ, WARPS * 32, 1, 1, SHARED, stream, args, NULL)" */
static void read_call(const struct reading *reading)
{
    cubinet_launch_record *known = &reading->kernel->record.known;
    struct import_text text;
    uint32_t warps = 0;
    uint32_t lanes = 0;
    uint32_t shared = 0;
    if (find(reading, "gX, gY, gZ, ", &text) && import_text_number(&text, &warps) &&
        import_text_skip_to(&text, "* ") && import_text_number(&text, &lanes) && warps > 0 && lanes > 0 &&
        warps <= MOST_THREADS / lanes) {
        known->block[0] = warps * lanes;
        known->block[1] = known->block[2] = 1;
    }
    if (find(reading, "int shared = ", &text) && import_text_number(&text, &shared)) {
        known->dynamic_shared_bytes = shared;
        known->flags |= shared > 0 ? CUBINET_RECORD_TAKES_DYNAMIC_SHARED : 0;
    }
}

/* The compiler refuses kernels that need memory there. */
static void read_trailing(const struct reading *reading)
{
    struct import_kernel *kernel = reading->kernel;
    struct import_text text;
    if (find(reading, "&global_scratch", &text)) {
        kernel->trailing[kernel->trailing_count++] = (cubinet_hidden_param){.kind = CUBINET_HIDDEN_SCRATCH};
        if (import_text_skip_to(&text, "&profile_scratch")) {
            kernel->trailing[kernel->trailing_count++] =
                (cubinet_hidden_param){.kind = CUBINET_HIDDEN_PROFILE};
        }
    }
}

/* What a kernel's parameter is. Floating-point numbers of all widths are double in that C. */
static const char *type_of(const char *type, size_t size)
{
    static const char *const kept[] = {"int8_t",   "int16_t",  "int32_t",  "int64_t",    "uint8_t",
                                       "uint16_t", "uint32_t", "uint64_t", "CUtensorMap"};
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        if (size == strlen(kept[i]) && memcmp(type, kept[i], size) == 0) {
            return kept[i];
        }
    }
    return size == strlen("CUdeviceptr") && memcmp(type, "CUdeviceptr", size) == 0 ? "void *" : "";
}

/* "(CUstream stream, TYPE NAME, TYPE NAME)", starting after "stream". */
static cubinet_status read_names(const struct reading *reading)
{
    struct import_text text;
    cubinet_status status = CUBINET_OK;
    if (!find(reading, "(CUstream stream", &text)) {
        return CUBINET_OK;
    }
    while (!status && text.end - text.at > 2 && text.at[0] == ',' && text.at[1] == ' ') {
        text.at += 2;
        size_t type_size = import_text_word(&text);
        const char *type = type_of(text.at, type_size);
        text.at += type_size;
        text.at += text.at < text.end && *text.at == ' ';
        size_t size = import_text_word(&text);
        char *name = strndup(text.at, size);
        status = name ? launch_record_add_name(&reading->kernel->record, name, type) : cbn_error_memory();
        free(name);
        text.at += size;
    }
    return status;
}

/* "caba951e_0d1d2d" of "add_kernel.caba951e_0d1d2d.c": a digest of the signature with its constants, and what
 * is known of the arguments. Only the part before it is the user's. */
static cubinet_status identify(const struct reading *reading)
{
    const char *file = path_name(reading->path);
    size_t size = path_stem_size(file);
    const char *dot = memrchr(file, '.', size);
    if (dot) {
        reading->item->identity = strndup(dot + 1, size - (size_t)(dot + 1 - file));
    }
    return !dot || reading->item->identity ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status read_all(struct reading *reading, const char *name, struct import_text array)
{
    reading->kernel = import_item_kernel(reading->item, name);
    reading->item->name = strdup(name);
    if (!reading->kernel || !reading->item->name) {
        return cbn_error_memory();
    }
    cubinet_status status = identify(reading);
    if (!status) {
        status = read_array(reading, array);
    }
    if (!status) {
        read_call(reading);
        read_trailing(reading);
        status = read_names(reading);
    }
    return status;
}

cubinet_status import_triton_source(const char *path, struct import_list *list, bool *out_is_one)
{
    char *data = NULL;
    char *name = NULL;
    size_t size = 0;
    cubinet_status status = file_read(path, &data, &size);
    struct reading reading = {.path = path, .text = {data, data + size}};
    struct import_text array;
    struct import_text call;
    *out_is_one = !status && find(&reading, "unsigned char CUBIN_NAME[", &array) &&
                  find(&reading, "cuModuleGetFunction(", &call) && import_text_skip_to(&call, ", \"");
    if (*out_is_one) {
        name = strndup(call.at, import_text_word(&call));
        reading.item = name ? import_list_add(list, path) : NULL;
        status = reading.item ? read_all(&reading, name, array) : cbn_error_memory();
    }
    free(name);
    free(data);
    return status;
}
