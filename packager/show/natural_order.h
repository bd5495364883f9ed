/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which people look for names: "k2" before "k10". */
#ifndef NATURAL_ORDER_H
#define NATURAL_ORDER_H

/* As strcmp(), but a run of digits counts as the number that it is. Names that differ in leading zeros alone
 * are not equal. */
int natural_order(const char *a, const char *b);

#endif
