/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that take time and write results: see sim_compute.c. */
#ifndef SIM_COMPUTE_H
#define SIM_COMPUTE_H

#include "sim.h"

/* Forgets memory, time and the model. */
void sim_compute_reset(void);

/* Does what an accepted launch does; the lock is held. */
void sim_compute_launch(const struct simdriver_launch *launch);

/* A function of sim_compute.c by its name in <cuda.h>. */
bool sim_compute_find(const char *name, void **function);

#endif
