/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/ptxas.h"

#include "loader/core/support/error.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where ptxas is from the folder of NVRTC's library: in a toolkit, in one with folders for each target, and
 * in the packages of CUDA 12 (those of CUDA 13 are like a toolkit). */
static const char *const places[] = {"../bin/ptxas", "../../../bin/ptxas", "../../cuda_nvcc/bin/ptxas"};

static cubinet_status fail_run(const char *path)
{
    return cbn_error(CUBINET_ERROR_TOOLKIT, "cannot run the assembler '%s': %s", path, strerror(errno));
}

/* Leaves NULL if there is none. */
static cubinet_status find_beside(const char *nvrtc, char **out_program)
{
    char *copy = strdup(nvrtc);
    char *found = NULL;
    cubinet_status status = CUBINET_OK;
    if (!copy) {
        return cbn_error_memory();
    }
    const char *folder = dirname(copy);
    for (size_t i = 0; !status && !found && i < sizeof(places) / sizeof(places[0]); i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, places[i]) < 0) {
            free(copy);
            return cbn_error_memory();
        }
        if (access(path, X_OK) == 0) {
            found = realpath(path, NULL);
            status = found ? CUBINET_OK : fail_run(path);
        }
        free(path);
    }
    free(copy);
    *out_program = found;
    return status;
}

static cubinet_status find_by_path(const char *path, char **out_program)
{
    if (access(path, X_OK) != 0) {
        return fail_run(path);
    }
    *out_program = strdup(path);
    return *out_program ? CUBINET_OK : cbn_error_memory();
}

cubinet_status ptxas_find(const struct toolkit *toolkit, const char *name, char **out_program)
{
    if (strcmp(name, "nvjitlink") == 0) {
        return CUBINET_OK;
    }
    if (strchr(name, '/')) {
        return find_by_path(name, out_program);
    }
    cubinet_status status = find_beside(toolkit->nvrtc, out_program);
    if (!status && !*out_program && strcmp(name, "ptxas") == 0) {
        return cbn_error(CUBINET_ERROR_TOOLKIT,
                         "the toolkit of '%s' has no ptxas; it comes with nvcc (NVIDIA's package "
                         "nvidia-cuda-nvcc); install it, name the program as in --assembler "
                         "/usr/local/cuda/bin/ptxas, or leave --assembler out",
                         toolkit->nvrtc);
    }
    return status;
}
