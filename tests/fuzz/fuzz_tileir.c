/* SPDX-License-Identifier: Apache-2.0 */
/* A file that claims to be bytecode of Tile IR. */
#include "harness.h"
#include "image/tileir_read.h"
#include "loader/core/archive/tileir.h"

/* What is read has sections inside the bytes, and kernels with names. */
static void read_contents(const unsigned char *bytes, size_t size)
{
    struct contents contents = {0};
    if (tileir_read(bytes, size, &contents) != CUBINET_OK) {
        return;
    }
    for (size_t i = 0; i < contents.kernel_count; i++) {
        if (!contents.kernels[i].name[0]) {
            abort();
        }
    }
    contents_free(&contents);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = harness_copy(data, size);
    struct cbn_tileir tileir;
    read_contents(bytes, size);
    if (cbn_tileir_open(bytes, size, &tileir) == CUBINET_OK && tileir.size < size) {
        read_contents(bytes, tileir.size); /* as it comes out of a fatbin */
    }
    free(bytes);
    return 0;
}
