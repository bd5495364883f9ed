/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a description's set: "kernel", or "instances" with "for". */
#ifndef READ_INSTANCES_H
#define READ_INSTANCES_H

#include "tune/description.h"
#include "tune/place.h"

/* object: the set's. Gives the set the name of its only kernel if it has none. */
cubinet_status read_instances(const struct place *place, const json_t *object, struct tune_set *set);

#endif
