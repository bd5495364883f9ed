/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a cubin: NVIDIA's ELF for machine code, with what ptxas recorded of each kernel.
 * docs/internals/cubin.md says what is read from where. */
#ifndef CBN_READ_CUBIN_H
#define CBN_READ_CUBIN_H

#include <cubinet/archive.h>

#include <stdbool.h>

struct cbn_cubin_kernel {
    const char *name;                   /* lowered; in the cubin */
    cubinet_kernel_resources resources; /* its params point to `params` */
    cubinet_param *params;
    uint32_t toolkit; /* that compiled it; 0 if the cubin does not tell */
};

struct cbn_cubin_global {
    const char *name; /* lowered; in the cubin */
    uint64_t bytes;
    bool is_constant;
    bool is_managed;
};

struct cbn_cubin {
    cubinet_target target;
    uint32_t toolkit;                 /* 13000 for CUDA 13.0; 0 if the cubin does not tell */
    struct cbn_cubin_kernel *kernels; /* in byte order of names */
    size_t kernel_count;
    struct cbn_cubin_global *globals; /* in byte order of names */
    size_t global_count;
};

/* Reads a cubin of any architecture that CUDA 12 and 13 toolkits make. `data` needs no alignment, is not
 * written to, and must live as long as what was read.
 *
 * Fails with CUBINET_ERROR_DAMAGED, and a message that says what was found, on anything that is not one
 * (relocatable objects included), and CUBINET_ERROR_OUT_OF_MEMORY.
 *
 * The suffix: 'a' is part of the ELF. 'f' is not: it is known only from the options that the assembler noted,
 * so 0 for an 'f' image is possible.
 * Resources equal what cuFuncGetAttribute() reports. The minimum of blocks for each multiprocessor is not in
 * a cubin: it is CUBINET_UNKNOWN for a kernel with launch bounds and 0 for one without. Globals are the
 * variables of the source, `static` ones too: the ELF does not tell them apart. Instances and members of
 * templates are among them only if code refers to them (cubin_globals.h). */
cubinet_status cbn_cubin_read(const void *data, size_t size, struct cbn_cubin *out_cubin);

/* The architecture that a finished cubin's ELF header tells: 90 for sm_90. 0 for anything else. */
int cbn_cubin_number(const void *data, size_t size);

/* The same of a relocatable object. */
int cbn_relocatable_number(const void *data, size_t size);

/* How much of a kernel's shared memory is the system's on that architecture, in bytes. */
uint32_t cbn_reserved_shared(int number);

/* Frees what is inside and zeroes it; half-built ones are fine. */
void cbn_cubin_free(struct cbn_cubin *cubin);

/* Whether a variable's name is one that compilers make up: string literals ($str), tables of virtual
 * functions and type information, and variables of unnamed namespaces, whose names change with every compile.
 */
bool cbn_is_compilers_own(const char *name, size_t name_size);

#endif
