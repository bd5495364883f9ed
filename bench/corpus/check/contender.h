/* SPDX-License-Identifier: Apache-2.0 */
/* The corpus as one compiler made it, and launches of its kernels on the first GPU. Whatever fails ends the
 * program with a message. */
#ifndef CORPUS_CONTENDER_H
#define CORPUS_CONTENDER_H

#include "check.h"

/* An archive, or a folder of MODULE.cubin, whose kernels the driver finds by the names that an archive has.
 */
struct contender {
    const char *label;
    const char *path;
    cubinet_archive *archive; /* NULL: a folder */
    cubinet_module *module;   /* of the archive, while it is loaded */
    void *driver_module;      /* of the folder, likewise */
    CUfunction function;      /* the kernel that is launched */
    int registers;
};

/* Opens the driver and makes the first GPU's primary context current. False if there is no GPU, with the
 * reason printed. */
bool gpu_open(void);

/* `argument` is LABEL=PATH, which is altered and kept. */
void contender_open(struct contender *contender, char *argument);
void contender_close(struct contender *contender);

/* Loads a module of an archive and takes the kernel with that expression. Returns its name in the image,
 * which lives until the module is unloaded. */
const char *contender_load(struct contender *contender, const char *module, const char *expression);

/* Loads a cubin of a folder and takes the kernel with that name. */
void contender_load_cubin(struct contender *contender, const char *module, const char *name);

void contender_unload(struct contender *contender);

/* Device memory for a launch's arguments. */
void gpu_allocate(struct run *run);
void gpu_free(struct run *run);

/* Launches once, from the arguments' initial contents, and brings back the results. */
void gpu_run(const struct contender *contender, struct run *run);

/* Microseconds of one launch, of so many one after the other. */
double gpu_time(const struct contender *contender, const struct run *run, int launches);

#endif
