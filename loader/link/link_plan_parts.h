/* SPDX-License-Identifier: Apache-2.0 */
/* A plan from the inside: for the files that work with its pieces. */
#ifndef CBN_LINK_PLAN_PARTS_H
#define CBN_LINK_PLAN_PARTS_H

#include "loader/link/link_piece.h"
#include "loader/link/link_settings.h"

struct cbn_link_plan {
    cubinet_target target;
    struct cbn_link_settings settings;
    struct cbn_piece *pieces;
    size_t piece_count;
};

#endif
