/* SPDX-License-Identifier: Apache-2.0 */
/* What selection and its sentences share. */
#ifndef CBN_SELECT_H
#define CBN_SELECT_H

#include <cubinet/select.h>

#include <stdio.h>

/* A device and a policy as this version of the library knows them. */
struct cbn_selection {
    cubinet_device_profile device;
    cubinet_policy policy;
    int compute;         /* the device's compute capability as targets have it */
    cubinet_target only; /* the policy's, if it names one */
};

struct cbn_selection cbn_selection(const cubinet_device_profile *device, const cubinet_policy *policy);

/* The CUDA release whose Tile IR a Tile IR image is: 13030 for tile_133. */
uint32_t cbn_tile_version_release(cubinet_target target);

/* The oldest nvJitLink that links an image: what the archive says, or else the toolkit that made it; 0 if
 * nothing is known. */
uint32_t cbn_link_floor(const cubinet_image_info *image);

/* The CUDA release whose driver takes an image's code: the major that made it, of LTO-IR nvJitLink's; for
 * OptiX-IR the very release. */
uint32_t cbn_driver_floor(const cubinet_image_info *image, uint32_t nvjitlink_version);

/* Writes "TARGET: why", on a line of its own, for a list of images that do not do. */
void cbn_verdict_print(FILE *file, const cubinet_verdict *verdict, const cubinet_image_info *image,
                       const cubinet_device_profile *device, const cubinet_policy *policy);

#endif
