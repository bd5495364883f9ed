/* SPDX-License-Identifier: Apache-2.0 */
/* Images and devices for the tests of selection, written as in docs/reference/selection.md. */
#ifndef SELECT_CASES_H
#define SELECT_CASES_H

#include <cubinet/select.h>

/* An image from its target's name. `from`: the CUDA release that made it, which for PTX sets the ISA and for
 * LTO-IR the floor too. */
cubinet_image_info image_of(const char *target, uint32_t from);

/* The ISA of PTX that a CUDA release writes. */
uint32_t isa_of(uint32_t release);

/* A device of compute capability `number` / 10. */
cubinet_device_profile device_of(int number, uint32_t driver, uint32_t nvjitlink);

/* Every compute capability of a GPU that a CUDA 12 or 13 driver serves; 0 at the end. */
extern const int all_computes[];

/* Whether an image may run on a device, by the lists of docs/reference/selection.md: written anew, and in
 * another way than the library's rules. */
int may_run(const cubinet_image_info *image, const cubinet_device_profile *device);

#endif
