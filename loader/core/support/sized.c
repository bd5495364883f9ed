/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/sized.h"

#include "loader/core/support/error.h"

#include <string.h>

/* No struct of ours will be larger: a `size` above this was never set. */
enum { GREATEST_SIZE = 4096 };

static cubinet_status get_size(const void *structure, const char *what, size_t *out_size)
{
    if (!structure) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s is NULL", what);
    }
    memcpy(out_size, structure, sizeof(*out_size));
    if (*out_size < sizeof(*out_size) || *out_size > GREATEST_SIZE) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s: its member `size` is not set to its size",
                         what);
    }
    return CUBINET_OK;
}

cubinet_status cbn_sized_read(const void *given, const char *what, void *known, size_t known_size)
{
    memset(known, 0, known_size);
    if (given) {
        size_t size = 0;
        cubinet_status status = get_size(given, what, &size);
        if (status) {
            return status;
        }
        const unsigned char *bytes = given;
        for (size_t i = known_size; i < size; i++) {
            if (bytes[i]) {
                return cbn_error(
                    CUBINET_ERROR_INVALID_ARGUMENT,
                    "%s sets a member at byte %zu that this version of the library does not know", what, i);
            }
        }
        memcpy(known, given, size < known_size ? size : known_size);
    }
    memcpy(known, &known_size, sizeof(known_size));
    return CUBINET_OK;
}

cubinet_status cbn_flags_check(const char *what, uint32_t flags, uint32_t known_flags, uint64_t reserved)
{
    if (flags & ~known_flags) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "%s: `flags` is %#x; this version of the library knows the bits %#x", what,
                         (unsigned)flags, (unsigned)known_flags);
    }
    if (reserved) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "%s: a reserved member is not 0: zero-initialise the struct", what);
    }
    return CUBINET_OK;
}

cubinet_status cbn_sized_check(const void *out, const char *what)
{
    size_t size = 0;
    return get_size(out, what, &size);
}

cubinet_status cbn_sized_write(void *out, const char *what, const void *known, size_t known_size)
{
    size_t size = 0;
    cubinet_status status = get_size(out, what, &size);
    if (status) {
        return status;
    }
    if (size > known_size) {
        size = known_size;
    }
    memcpy((char *)out + sizeof(size), (const char *)known + sizeof(size), size - sizeof(size));
    return CUBINET_OK;
}
