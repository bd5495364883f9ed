/* SPDX-License-Identifier: Apache-2.0 */
/* nvcc's extended lambdas, `[=] __device__ (int i) { … }`. NVRTC refuses the annotation, which says nothing
 * there: the lambdas of device code are device code. */
#ifndef LAMBDA_ANNOTATIONS_H
#define LAMBDA_ANNOTATIONS_H

/* Writes blanks over `__device__` and `__host__` between a lambda's captures and its parameters or body, so
 * that lines and columns stay. Comments and literals are left alone. */
void lambda_annotations_blank(char *source);

#endif
