/* SPDX-License-Identifier: Apache-2.0 */
/* Assembling PTX with the toolkit's ptxas program in the place of nvJitLink.
 *
 * nvJitLink assembles PTX as a piece that may be linked with others (ptxas -c). ptxas alone knows that it has
 * the whole program, and often needs fewer registers. */
#ifndef PTXAS_H
#define PTXAS_H

#include "toolkit/assemble.h"
#include "toolkit/toolkit.h"

/* The path of the program that `name`, the value of --assembler, stands for, which the caller frees: NULL for
 * "nvjitlink", `name` itself if it has a '/', else the ptxas that belongs to the toolkit. If that has none it
 * stays NULL for "auto", and is CUBINET_ERROR_TOOLKIT for "ptxas". */
cubinet_status ptxas_find(const struct toolkit *toolkit, const char *name, char **out_program);

/* The release of a ptxas, 1000 * major + 10 * minor, as it tells itself; 0: it does not. */
cubinet_status ptxas_version(const char *program, int *out_version);

/* Of an option of nvJitLink's the one for ptxas in it: what is in -Xptxas=; NULL: it is none. */
const char *ptxas_forwarded(const char *option);

/* Assembles a job's PTX, from any thread; its options are nvJitLink's. On failure CUBINET_ERROR_LINK with
 * what ptxas said from the message's second line on. On success the caller frees what is in `out_result`. */
cubinet_status ptxas_assemble(const char *program, const struct assemble_job *job,
                              struct cbn_link_result *out_result);

#endif
