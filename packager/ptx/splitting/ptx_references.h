/* SPDX-License-Identifier: Apache-2.0 */
/* What the statements of PTX refer to. */
#ifndef PTX_REFERENCES_H
#define PTX_REFERENCES_H

#include "ptx/splitting/ptx_units.h"

/* Fills in the references of each unit, and what they tell of it. */
void ptx_references_find(struct ptx_units *units);

#endif
