/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test includes: cmocka, and the headers it wants before it. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The size of an array that is one. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
