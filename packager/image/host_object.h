/* SPDX-License-Identifier: Apache-2.0 */
/* Fatbins in host code: objects, programs and shared libraries that nvcc made. */
#ifndef HOST_OBJECT_H
#define HOST_OBJECT_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

struct host_fatbins {
    const unsigned char *bytes; /* one container after the other, in the object */
    size_t size;
    bool is_relocatable; /* they hold code that is to be linked */
    bool is_split;       /* there are more, in other sections: `cubinet slim --cut` leaves such files */
};

/* Finds them. CUBINET_ERROR_INVALID_ARGUMENT if there are none, CUBINET_ERROR_DAMAGED for no 64-bit ELF file.
 */
cubinet_status host_object_find(const void *data, size_t size, struct host_fatbins *out_fatbins);

/* The next section of a 64-bit ELF file, from *number on, in which clang or LLVM keep what is for a GPU of
 * NVIDIA's: offload binaries (offload.h), or an image. False if there is none. *number is moved on. Start
 * with 0. */
bool host_object_next_offload(const void *data, size_t size, size_t *number, const unsigned char **out_bytes,
                              size_t *out_size);

#endif
