/* SPDX-License-Identifier: Apache-2.0 */
/* The volumes of blocks, grids and clusters. */
#ifndef CBN_VOLUME_H
#define CBN_VOLUME_H

#include <stdint.h>

/* The volume of a box of which some sides may be left at 0, which counts as 1; 0 if all are. UINT64_MAX if it
 * is beyond any device. */
uint64_t cbn_volume(const uint32_t sides[3]);

/* As cbn_volume(), of sides that the archive records: also 0 if they are CUBINET_UNKNOWN. */
uint64_t cbn_recorded_volume(const uint32_t sides[3]);

#endif
