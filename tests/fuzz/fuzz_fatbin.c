/* SPDX-License-Identifier: Apache-2.0 */
/* A file that claims to be a fatbin, a host object with fatbins in it, or one of LLVM's containers. */
#include "harness.h"
#include "image/embedded.h"
#include "image/fatbin.h"
#include "image/fatbin_modules.h"
#include "image/host_object.h"
#include "image/nvvm_container.h"
#include "image/offload.h"
#include "loader/link/fatbin_ltoir.h"

static void unpack_all(const unsigned char *bytes, size_t size)
{
    struct fatbin_reader reader = {.bytes = bytes, .size = size};
    struct cbn_fatbin_entry entry;
    bool found = true;
    while (fatbin_next(&reader, &found, &entry) == CUBINET_OK && found) {
        unsigned char *data = NULL;
        size_t raw_size = 0;
        if (fatbin_unpack(&entry, &data, &raw_size) == CUBINET_OK) {
            free(data);
        }
    }
}

static cubinet_status unpack_offloaded(void *user, const unsigned char *image, size_t size)
{
    (void)user;
    unpack_all(image, size);
    return CUBINET_OK;
}

static void unpack_embedded(const unsigned char *bytes, size_t size)
{
    struct embedded_reader reader = {.bytes = bytes, .size = size};
    struct embedded found;
    while (embedded_next(&reader, &found)) {
        if (found.is_fatbin) {
            unpack_all(found.bytes, found.size);
        }
    }
    offload_read(bytes, size, unpack_offloaded, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = harness_copy(data, size);
    struct host_fatbins fatbins;
    cubinet_target target;
    struct fatbin_modules modules;
    unpack_all(bytes, size);
    unpack_embedded(bytes, size);
    if (fatbin_modules_find(bytes, size, &modules) == CUBINET_OK) {
        fatbin_modules_free(&modules);
    }
    nvvm_container_target(bytes, size, &target);
    const cubinet_target sm_80 = {CUBINET_IMAGE_CUBIN, 80, 0};
    char text[64];
    cbn_find_ltoir(bytes, size, sm_80);
    cbn_describe_without_ltoir(bytes, size, sm_80, text, sizeof(text));
    if (host_object_find(bytes, size, &fatbins) == CUBINET_OK && !fatbins.is_relocatable) {
        unpack_all(fatbins.bytes, fatbins.size);
    }
    free(bytes);
    return 0;
}
