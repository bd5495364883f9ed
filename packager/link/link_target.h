/* SPDX-License-Identifier: Apache-2.0 */
/* Linking for one target, to an image of a module. */
#ifndef LINK_TARGET_H
#define LINK_TARGET_H

#include "link/link_work.h"

/* Adds the image of a cubin's target or a PTX's to the module. */
cubinet_status link_target(struct link_work *work, cubinet_target target);

#endif
