/* SPDX-License-Identifier: Apache-2.0 */
/* A lowered name, mangled or not. What can be read fits itself. */
#include "harness.h"
#include "loader/core/names/readable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cbn_readable *readable; /* one for all: it is large, and takes most of the time to make */
    char *name = harness_text(data, size);
    readable = readable ? readable : cbn_readable_new();
    if (!readable) {
        abort();
    }
    const char *full = cbn_readable_full(readable, name);
    char *copy = full ? harness_text(full, strlen(full)) : NULL;
    if (copy && (copy[0] == '\0' || !cbn_readable_name(readable, name) ||
                 cbn_readable_fit(readable, copy, name) != CBN_FIT_FULL)) {
        abort();
    }
    free(copy);
    free(name);
    return 0;
}
