/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the CUDA toolkit of the build machine: NVRTC, nvJitLink and headers that belong together. */
#ifndef TOOLKIT_H
#define TOOLKIT_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct limits;

struct toolkit {
    char *root;           /* where it was found; NULL: the dynamic loader finds NVRTC */
    char *nvrtc;          /* path of the library */
    char *nvjitlink;      /* path of the library of the same major version; NULL if there is none */
    char *device_runtime; /* path of libcudadevrt.a; NULL if there is none */
    char *ptxas;          /* path of the program, if it is to assemble; NULL: nvJitLink does */
    char *tileiras; /* path of the program, where tile kernels are compiled; NULL: not looked for, or none */
    char *tile_ptxas; /* paths of what tileiras takes for its own work, from its toolkit; NULL: none */
    char *tile_nvvm;
    char **includes;        /* folders of its headers, in the order of the search */
    char *includes_sharing; /* of each: whether all its headers are CUDA's, once that was asked; NULL: not
                               kept */
    size_t include_count;
    char *shipped_headers; /* folder of the headers that device_headers.h adds; NULL: none are added */
};

/* Finds a toolkit. Where a library has to be loaded for it, a child process does so within `limits` (NULL:
 * without any).
 *
 * The first of these that is set is the only one looked at, and an error says what it
 * lacks: `root` (may be NULL), the environment's CUBINET_TOOLKIT, CUDAToolkit_ROOT, CUDA_HOME, CUDA_PATH.
 * Otherwise the first that has NVRTC: the activated Python environment (VIRTUAL_ENV, CONDA_PREFIX),
 * /usr/local/cuda, the packages of the python3 of PATH and the user's own, the dynamic loader's path.
 *
 * A root may be a toolkit's or Conda's folder, a prefix such as /usr, or a folder of Python packages: what
 * is in site-packages/nvidia, that folder itself, site-packages, or an environment's prefix.
 * A failure is CUBINET_ERROR_TOOLKIT. */
cubinet_status toolkit_find(const char *root, const struct limits *limits, struct toolkit *out_toolkit);

/* Adds a folder of headers after the others, or before them, to be taken as the toolkit's own. */
cubinet_status toolkit_add_headers(struct toolkit *toolkit, const char *folder, bool before);

void toolkit_free(struct toolkit *toolkit);

/* Whether a path lies in a header folder of the toolkit's own. In one that it shares with others, such as
 * /usr/include, nothing tells its headers from theirs. */
bool toolkit_has_header(const struct toolkit *toolkit, const char *path);

#endif
