/* SPDX-License-Identifier: Apache-2.0 */
/* From PTX to machine code with nvJitLink, and what is in LTO-IR. Nothing is taken for made before it was
 * looked at. */
#ifndef ASSEMBLE_H
#define ASSEMBLE_H

#include "image/contents.h"
#include "loader/link/nvjitlink.h"

struct assemble_job;

/* Where machine code is kept that was assembled before. Its functions are called from any thread. */
struct assemble_store {
    /* Finds what assembling the job gives. If it can't, others that look for the same may wait until keep()
     * is called with the claim. */
    bool (*find)(void *user, const struct assemble_job *job, void **out_claim,
                 struct cbn_link_result *out_result);
    /* Keeps what assembling gave; NULL: it failed. */
    void (*keep)(void *user, const struct assemble_job *job, void *claim,
                 const struct cbn_link_result *result);
    void *user;
};

struct assemble_job {
    const char *ptx; /* NUL-terminated */
    size_t size;
    const struct contents *contents; /* what is in the PTX: its kernels must be in the cubin */
    cubinet_target target;           /* of the cubin */
    const char *device_runtime;      /* libcudadevrt.a, linked to it; NULL: not */
    size_t device_runtime_size;
    const char *ptxas;          /* path of the program to assemble with; NULL: nvJitLink */
    const char *const *options; /* nvJitLink's, beside -arch */
    size_t option_count;
    const struct assemble_store *store; /* NULL: there is none */
    size_t threads; /* that work on it, at most SPLIT_NOTE_MOST_THREADS; 0: one, of a release that knows no
                       more */
};

struct assembled {
    unsigned char *data;
    size_t size;
    struct contents contents;
    char *log;     /* what ptxas said, "" if nothing */
    bool is_found; /* in the job's store */
};

/* Whether machine code can be what assembling the job gives: for its target, and with its kernels. Others may
 * have put anything where it was found. */
bool assemble_fits(const struct assemble_job *job, const void *data, size_t size);

/* Assembles PTX, from any thread. The bytes are the same for any number of threads but 0. What is linked with
 * the device runtime goes through nvJitLink in any case. CUBINET_ERROR_LINK if the assembler refuses or its
 * cubin lacks a kernel. The caller frees what is in `out_assembled`. */
cubinet_status assemble_ptx(const struct cbn_nvjitlink *nvjitlink, const struct assemble_job *job,
                            struct assembled *out_assembled);
void assembled_free(struct assembled *assembled);

/* Reads which kernels are in LTO-IR and which symbols they need of other modules, by having nvJitLink make
 * PTX of it. `source` is the virtual architecture that it was compiled for. The kernels' resources are all
 * unknown. `keep`: lowered names of variables that are told even if nothing uses them */
cubinet_status assemble_read_ltoir(const struct cbn_nvjitlink *nvjitlink, const void *data, size_t size,
                                   cubinet_target source, const char *const *keep, size_t keep_count,
                                   struct contents *out_contents);

#endif
