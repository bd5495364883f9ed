/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing C++ name expressions, as programs write them. */
#ifndef CBN_EXPRESSION_H
#define CBN_EXPRESSION_H

#include <stdbool.h>

/* Whether two expressions differ in nothing but white space that separates no words, and a '&' before them:
 * "&segsum< float, 4 >" is "segsum<float,4>", but "unsigned int" is not "unsignedint". */
bool cbn_expression_equal(const char *a, const char *b);

/* What follows the white space and '&' that an expression may start with. */
const char *cbn_expression_start(const char *expression);

#endif
