/* SPDX-License-Identifier: Apache-2.0 */
/* What to do where no image of a module runs. */
#ifndef CBN_REMEDY_H
#define CBN_REMEDY_H

#include <cubinet/select.h>

#include <stdio.h>

/* Prints a line with the remedy that asks least of the user: another policy, nvJitLink, another driver, or an
 * image that the archive lacks. Nothing where an image has no reason against it.
 *
 * verdicts: on each image, `images` those that they are on by their `image` */
void cbn_remedy_print(FILE *file, const cubinet_verdict *verdicts, const cubinet_image_info *images,
                      size_t count, const cubinet_device_profile *device);

#endif
