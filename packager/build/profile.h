/* SPDX-License-Identifier: Apache-2.0 */
/* What the time of a build went to, summed up from its trace: headers and modules. */
#ifndef PROFILE_H
#define PROFILE_H

#include "base/buffer.h"

#include <cubinet/status.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Times are microseconds, of all processes together. */
struct profile_header {
    const char *path;
    int64_t self;      /* its own text */
    int64_t inclusive; /* with what it includes */
    size_t compiles;   /* that parsed it */
    int64_t direct;    /* inclusive, where a source includes it itself: precompiling saves that */
    size_t direct_compiles;
    size_t last_process; /* that was counted */
    size_t last_direct_process;
};

struct profile_module {
    const char *name;
    size_t compiles; /* processes that compiled or linked it; precompiled headers are told like a module */
    int64_t total;
    int64_t nvrtc;
    int64_t front_end; /* of NVRTC; 0: it does not tell, as before CUDA 12.5 */
    int64_t nvvm;      /* of NVRTC; likewise */
    int64_t assembling;
};

struct profile {
    struct profile_header *headers;
    size_t header_count;
    struct profile_module *modules;
    size_t module_count;
    struct profile_module all; /* the modules' sum, without a name */
    json_t *header_index;      /* where each path is in `headers`; owns the paths */
    json_t *module_index;
};

/* Reads the trace in a folder, or a trace itself, and sorts: headers by `self`, modules by `total`, the most
 * expensive first. CUBINET_ERROR_IO, CUBINET_ERROR_DAMAGED (no trace of this command). */
cubinet_status profile_read(const char *path, struct profile *out_profile);
void profile_free(struct profile *profile);

/* Prints the `most` most expensive of each kind, and which headers to precompile. */
cubinet_status profile_print(const struct profile *profile, size_t most, FILE *file);

/* The same as a document, with all of them; NULL if memory is out. */
json_t *profile_json(const struct profile *profile);

#endif
