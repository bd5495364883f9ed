/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as kernels' arguments have them. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include "tune/description.h"

/* Stores a number as the type has it; whole ones are cut to its width. */
void number_store_real(enum tune_type type, double number, void *place);
void number_store_whole(enum tune_type type, int64_t number, void *place);

/* A number of a floating-point type. */
double number_load_real(enum tune_type type, const void *place);

#endif
