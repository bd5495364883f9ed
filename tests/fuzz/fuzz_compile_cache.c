/* SPDX-License-Identifier: Apache-2.0 */
/* What the cache keeps of a compile, which another machine may have sent: read packed as it is, and what
 * would be unpacked; and a manifest that can be read is written again and read as the same. And a key. */
#include "base/packed_bytes.h"
#include "cache/compile_manifest.h"
#include "compile/compile_result.h"
#include "harness.h"
#include "loader/cache/cache_key.h"

static size_t sum;

static void read_key(const unsigned char *bytes, size_t size)
{
    struct cbn_cache_field field;
    for (size_t at = 0; cbn_cache_key_next(bytes, size, &at, &field);) {
        for (size_t i = 0; i < field.name_size; i++) {
            sum += (unsigned char)field.name[i];
        }
        for (size_t i = 0; i < field.value_size; i++) {
            sum += field.value[i];
        }
    }
}

static void read_result(const void *packed, size_t size)
{
    char *bytes = NULL;
    struct compile_result result;
    if (compile_result_read(packed, size, COMPILE_RESULT_MOST, &bytes, &result)) {
        sum += strlen(result.messages);
        for (size_t i = 0; i < result.archive_size; i++) {
            sum += ((const unsigned char *)result.archive)[i];
        }
        free(bytes);
    }
}

/* A set that is added to a manifest is the newest one of what is written. */
static void write_again(const struct compile_manifest *manifest)
{
    struct inputs inputs;
    struct buffer packed = {0};
    struct compile_manifest again;
    if (manifest->set_count == 0 ||
        !compile_manifest_inputs(manifest, &manifest->sets[manifest->set_count - 1], &inputs)) {
        return;
    }
    compile_manifest_write(manifest, &inputs, &packed);
    if (packed.failed || !compile_manifest_read(packed.data, packed.size, &again) || again.set_count == 0 ||
        again.set_count > manifest->set_count || again.sets[0].count != inputs.count) {
        abort();
    }
    for (size_t i = 0; i < inputs.count; i++) {
        if (strcmp(again.items[again.sets[0].items[i]].path, inputs.items[i].path) != 0) {
            abort();
        }
    }
    compile_manifest_free(&again);
    buffer_free(&packed);
    inputs_free(&inputs);
}

static void read_manifest(const void *packed, size_t size)
{
    struct compile_manifest manifest;
    if (compile_manifest_read(packed, size, &manifest)) {
        for (size_t i = 0; i < manifest.item_count; i++) {
            sum += strlen(manifest.items[i].path);
        }
        write_again(&manifest);
        compile_manifest_free(&manifest);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer packed = {0};
    unsigned char *bytes = harness_copy(data, size);
    read_key(bytes, size);
    read_manifest(bytes, size);
    read_result(bytes, size);
    packed_bytes_add(&packed, bytes, size);
    if (!packed.failed) {
        read_manifest(packed.data, packed.size);
        read_result(packed.data, packed.size);
    }
    buffer_free(&packed);
    free(bytes);
    return 0;
}
