/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/device_runtime.h"

#include "base/file.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static const char declaration[] = "\n.extern .func";
static const char white_space[] = " \t\r\n";
static const char name_ends[] = " \t\r\n(;";

/* How the names of its functions start. printf, malloc and assert are called without a declaration of this
 * form, or by names of their own. */
static const char *const starts[] = {"__cudaCDP", "cuda"};

/* Where the name of a declared function is: after its result, if it has one. */
static const char *skip_result(const char *at)
{
    at += strspn(at, white_space);
    if (*at == '(') {
        at = strchrnul(at, ')');
        at += *at == ')';
    }
    return at + strspn(at, white_space);
}

bool device_runtime_has(const char *function)
{
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (strncmp(function, starts[i], strlen(starts[i])) == 0) {
            return true;
        }
    }
    return false;
}

char *device_runtime_function(const char *ptx)
{
    for (const char *at = ptx; (at = strstr(at, declaration));) {
        at = skip_result(at + strlen(declaration));
        if (device_runtime_has(at)) {
            return strndup(at, strcspn(at, name_ends));
        }
    }
    return NULL;
}

cubinet_status device_runtime_read(const char *path, const char *source, const char *function,
                                   struct device_runtime *runtime)
{
    if (runtime->data) {
        return CUBINET_OK;
    }
    if (!path) {
        return cbn_error(CUBINET_ERROR_TOOLKIT,
                         "%s: it calls %s, which is in libcudadevrt.a: the toolkit has none; install CUDA's "
                         "runtime (the Python package nvidia-cuda-runtime)",
                         source, function);
    }
    return file_read(path, &runtime->data, &runtime->size);
}

void device_runtime_free(struct device_runtime *runtime)
{
    free(runtime->data);
    *runtime = (struct device_runtime){0};
}
