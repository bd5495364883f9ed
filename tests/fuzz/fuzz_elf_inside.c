/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for an archive in a program: whatever the file says, what is found lies in it. */
#include "harness.h"
#include "loader/core/archive/elf_inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *bytes = harness_copy(data, size);
    struct cbn_inside found;
    struct cbn_storage storage = cbn_storage_of_memory(bytes, size);
    static const char *const names[] = {NULL, "kernels"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!cbn_elf_inside(&storage, names[i], &found) &&
            (found.archive.offset > size || found.archive.size > size - found.archive.offset)) {
            abort();
        }
    }
    free(bytes);
    return 0;
}
