/* SPDX-License-Identifier: Apache-2.0 */
/* The nvJitLinks of this machine: found when one is first needed, opened when one first has to link, and kept
 * for the rest of the process. Usable from any thread. docs/guide/linking.md has the order of the search. */
#ifndef CBN_LINKER_H
#define CBN_LINKER_H

#include "loader/link/library_build.h"
#include "loader/link/nvjitlink.h"

#include <cubinet/status.h>

#include <stdint.h>

/* One that was found. Lives as long as the process. */
struct cbn_linker;

/* What a link asks of an nvJitLink. */
struct cbn_linker_need {
    const char *path; /* the only one looked at; NULL: $CUBINET_NVJITLINK if it is set, else all are */
    uint32_t floor;   /* it is of the same major and not older; 0: any */
    int compute;      /* it makes code for this compute capability, as targets have it */
    uint32_t driver;  /* whose CUDA major has to be as new as its own, to load what it makes; 0: any */
};

/* The first that does; or else, `*out_fits` false, the first of all.
 * CUBINET_ERROR_TOOLKIT if there is none: the message lists what was tried. */
cubinet_status cbn_linker_find(const struct cbn_linker_need *need, const struct cbn_linker **out_linker,
                               bool *out_fits);

const char *cbn_linker_path(const struct cbn_linker *linker);
uint32_t cbn_linker_release(const struct cbn_linker *linker); /* as CUDA_VERSION */
struct cbn_sha256 cbn_linker_identity(const struct cbn_linker *linker);

/* Opens it, if that did not happen before. CUBINET_ERROR_TOOLKIT if it can't be opened, or is another one
 * than the one that was found: somebody replaced the file. */
cubinet_status cbn_linker_open(const struct cbn_linker *linker, const struct cbn_nvjitlink **out_nvjitlink);

#endif
