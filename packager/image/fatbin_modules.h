/* SPDX-License-Identifier: Apache-2.0 */
/* Which modules a file's fatbins are. nvcc makes a container of each source, which the CUDA runtime loads as
 * a module of its own, and where it links, one more of what was linked: in most programs nothing at all. */
#ifndef FATBIN_MODULES_H
#define FATBIN_MODULES_H

#include <cubinet/status.h>

#include <stddef.h>

struct fatbin_modules {
    size_t *numbers; /* of each container's module, from 1; 0: there is nothing in it to be filed */
    size_t container_count;
    size_t count; /* of modules */
};

/* Reads the containers. A file in which there is nothing at all is one module. CUBINET_ERROR_DAMAGED for what
 * is not a fatbin. The caller frees the result. */
cubinet_status fatbin_modules_find(const void *data, size_t size, struct fatbin_modules *out_modules);
void fatbin_modules_free(struct fatbin_modules *modules);

#endif
