/* SPDX-License-Identifier: Apache-2.0 */
/* Taking parts out of the images of a draft. */
#ifndef DRAFT_KEEP_H
#define DRAFT_KEEP_H

#include "archive/draft.h"

/* Keeps those parts of an image for whose number `kept` is true, and lets go of the others. `image` is the
 * place of the first; one that is left alone is an ordinary image, and without any the image is gone. What
 * the module lists of kernels and globals stays. Returns how many are kept. */
size_t draft_keep_parts(struct draft_module *module, size_t image, const bool *kept);

#endif
