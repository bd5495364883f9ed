/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that callers leave out of a launch, because the kernel's launch record says what they are given.
 */
#ifndef CBN_LAUNCH_HIDDEN_H
#define CBN_LAUNCH_HIDDEN_H

#include "loader/driver/launch_check.h"

/* The value of one. */
struct cbn_hidden {
    CUdeviceptr memory;       /* allocated for the launch; 0: none */
    CUdeviceptr address;      /* in there, aligned */
    unsigned char bounds[32]; /* of launch bounds */
};

/* How many arguments a launch with that many gets in addition: all hidden ones, or none if the caller gave
 * one for each parameter, or said that nothing is taken from the record. */
uint32_t cbn_hidden_count(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                          size_t arg_count);

/* CUBINET_ERROR_LAUNCH_ARGUMENTS unless there are as many arguments as parameters that are not hidden, if
 * that is known. */
cubinet_status cbn_hidden_check_count(const cubinet_kernel *kernel, const cubinet_arg *args,
                                      size_t arg_count);

/* Puts the arguments that were given and the hidden ones in the order of the parameters. `values`: one for
 * each hidden parameter, zeroed. `out_args`: as many as both together. */
cubinet_status cbn_hidden_place(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                const cubinet_arg *args, size_t arg_count, struct cbn_hidden *values,
                                cubinet_arg *out_args);

/* How much memory a hidden parameter of a launch is given, with room to align it. */
cubinet_status cbn_hidden_bytes(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                const cubinet_hidden_param *hidden, uint64_t *out_bytes);

/* For how many blocks that many bytes suffice. */
uint64_t cbn_hidden_blocks(const cubinet_hidden_param *hidden, uint64_t bytes);

/* Sets the value of one to memory of that many bytes. */
void cbn_hidden_set(const cubinet_hidden_param *hidden, CUdeviceptr memory, struct cbn_hidden *value);

/* Allocates and frees the memory of a launch in its stream, in the module's context. What was allocated when
 * it failed is to be freed, too. */
cubinet_status cbn_hidden_allocate(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                   struct cbn_hidden *values, uint32_t count);
cubinet_status cbn_hidden_free(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                               const struct cbn_hidden *values, uint32_t count);

/* The hidden parameter that takes launch bounds; NULL: there is none. */
const cubinet_hidden_param *cbn_launch_bounds_param(const cubinet_kernel *kernel);

/* Threads that the configuration's extent asks for. CUBINET_ERROR_INVALID_ARGUMENT if the kernel takes no
 * extent, or not one of so many dimensions. */
cubinet_status cbn_extent_threads(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                  uint64_t *out_threads);

/* Whether a kernel that takes an extent can be given this one: Warp has 32 bits for each side. */
bool cbn_extent_fits(const cubinet_kernel *kernel, const uint64_t extent[3]);

/* Gives an extent that fits to a kernel that takes one. */
void cbn_extent_put(const cubinet_kernel *kernel, const uint64_t extent[3], cubinet_launch_config *config);

#endif
