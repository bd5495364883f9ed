/* SPDX-License-Identifier: Apache-2.0 */
/* The cubins in tests/golden/cubin. */
#ifndef CUBIN_FIXTURE_H
#define CUBIN_FIXTURE_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const cubin_fixtures[] = {
    "sm_100a_cuda12.9", "sm_100f_cuda13.0", "sm_120_cuda13.0", "sm_60_cuda12.9",
    "sm_75_cuda13.0",   "sm_80_cuda12.4",   "sm_80_cuda13.0",  "sm_90_nvjitlink13.0",
    "sm_90_cuda13.0",   "sm_90a_cuda12.9",  "sm_90a_cuda13.0",
};

/* A cubin's bytes, which the caller frees. */
static unsigned char *cubin_fixture(const char *name, size_t *out_size)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.cubin", CUBIN_FIXTURES, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    unsigned char *bytes = malloc((size_t)size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    *out_size = (size_t)size;
    return bytes;
}

#endif
