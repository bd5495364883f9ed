/* SPDX-License-Identifier: Apache-2.0 */
/* A lowered name, mangled or not. What can be read fits itself. */
#include "harness.h"
#include "loader/core/names/readable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = harness_text(data, size);
    struct cbn_readable *readable = cbn_readable_new();
    if (!readable) {
        abort();
    }
    const char *full = cbn_readable_full(readable, name);
    char *copy = full ? harness_text(full, strlen(full)) : NULL;
    if (copy && (copy[0] == '\0' || !cbn_readable_name(readable, name))) {
        abort();
    }
    free(copy);
    cbn_readable_free(readable);
    free(name);
    return 0;
}
