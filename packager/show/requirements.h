/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive needs of a machine: what selection chooses on every machine of a grid of GPUs, nvJitLinks
 * and drivers. Nothing here knows a rule of selection. */
#ifndef REQUIREMENTS_H
#define REQUIREMENTS_H

#include "archive/listing.h"

#include <cubinet/select.h>

#include <stdbool.h>

/* How a module gets to run. Bits, since the modules of an archive may differ. */
enum {
    REQUIREMENTS_NATIVE = 1 << 0, /* a cubin */
    REQUIREMENTS_LINK = 1 << 1,   /* LTO-IR, linked by nvJitLink */
    REQUIREMENTS_JIT = 1 << 2,    /* PTX or Tile IR, compiled by the driver */
};

/* What selection chose on one machine. */
struct requirements_choice {
    unsigned how;          /* 0: nothing runs */
    cubinet_match match;   /* of a module; 0 for the whole archive, as the target's members */
    cubinet_target target; /* of a module */
};

/* The machines that are asked about. */
struct requirements_grid {
    int *computes; /* those of the table of GPUs, ascending, and last one beyond all that exist */
    size_t compute_count;
    uint32_t *releases; /* of CUDA, ascending: those of drivers and of nvJitLinks */
    size_t release_count;
};

/* The choice on each of them. */
struct requirements_table {
    const struct requirements_grid *grid;
    size_t linker_count; /* 1: whether there is an nvJitLink makes no difference */
    struct requirements_choice *choices;
};

/* The grid goes from CUDA 12.0, the first whose driver libcubinet uses, past the newest release that the
 * archive names. */
cubinet_status requirements_grid_make(const struct listing *listing, struct requirements_grid *out_grid);
void requirements_grid_free(struct requirements_grid *grid);

/* Whether selection sees no difference between two modules. */
bool requirements_are_alike(const struct listing_module *a, const struct listing_module *b);

cubinet_status requirements_table_make(const struct requirements_grid *grid,
                                       const struct listing_module *module,
                                       struct requirements_table *out_table);

/* A table that those of modules are added to, each with `is_first` until one was: what all of them run on. */
cubinet_status requirements_table_start(const struct requirements_grid *grid,
                                        struct requirements_table *out_table);
void requirements_table_add(struct requirements_table *whole, const struct requirements_table *module,
                            bool is_first);
void requirements_table_free(struct requirements_table *table);

/* linker: 0 for none, else one more than the number of a release. driver: the number of a release;
 * release_count for one that takes anything. */
const struct requirements_choice *requirements_at(const struct requirements_table *table, size_t device,
                                                  size_t linker, size_t driver);

bool requirements_same_choice(const struct requirements_choice *a, const struct requirements_choice *b);

/* Whether two devices get the same on machines that are the same otherwise. */
bool requirements_same_device(const struct requirements_table *table, size_t a, size_t b);

/* Whether a device runs anything, whatever else is on its machine. */
bool requirements_device_runs(const struct requirements_table *table, size_t device);

/* nvJitLinks with which a device gets the same. */
struct requirements_linkers {
    size_t first;    /* as requirements_at() takes it */
    uint32_t from;   /* 0: none, and every one that is in no other range */
    uint32_t before; /* the first release past them */
};

/* Steps through the ranges of a device, from *place 0: first the one without nvJitLink, then those that make
 * a difference. False after the last. */
bool requirements_next_linkers(const struct requirements_table *table, size_t device, size_t *place,
                               struct requirements_linkers *out_linkers);

/* From a driver on, up to the next step, a device gets this. */
struct requirements_step {
    uint32_t driver; /* 0: from one on that is newer than the grid */
    const struct requirements_choice *choice;
};

/* Steps through what a device gets with such an nvJitLink, from *place 0. False after the last: at once if
 * nothing runs. */
bool requirements_next_step(const struct requirements_table *table, size_t device, size_t linker,
                            size_t *place, struct requirements_step *out_step);

/* The release after another: 13.0 after 12.9. */
uint32_t requirements_release_after(uint32_t release);

#endif
