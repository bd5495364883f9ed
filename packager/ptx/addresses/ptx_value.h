/* SPDX-License-Identifier: Apache-2.0 */
/* What registers hold, as sums: the lower 32 bits of a register's value are c1·x1 + … + cn·xn + constant
 * modulo 2^32, where the x are things that nothing more is known of. */
#ifndef PTX_VALUE_H
#define PTX_VALUE_H

#include "ptx/addresses/ptx_code.h"
#include "ptx/addresses/ptx_flow.h"

struct ptx_value {
    uint32_t shape; /* number of the sum without its constant: two values of one shape differ by a constant */
    uint32_t constant;
};

struct ptx_values;

/* Values in a function. `code` and `flow` stay the caller's and are to outlive what is returned. NULL if
 * memory is out. */
struct ptx_values *ptx_values_new(const struct ptx_code *code, const struct ptx_flow *flow);
void ptx_values_free(struct ptx_values *values);
/* Whether memory ran out on the way, or the function took too long: then no value is to be relied upon. */
bool ptx_values_failed(const struct ptx_values *values);

/* The definition (row of the code's `definitions`) that gave a register what it holds when `instruction`
 * starts; PTX_NONE if that depends on the way that was taken. */
uint32_t ptx_value_definition(struct ptx_values *values, uint32_t reg, uint32_t instruction);

/* What `definition` leaves in its register.
 *
 * When two definitions that are on every way to an instruction have values of the same shape, what they left
 * in their registers when they last ran differs by the difference of the constants: what both are sums of
 * can't have changed in between, since a way from its change to the instruction leads through both. */
struct ptx_value ptx_value_of(struct ptx_values *values, uint32_t definition);

#endif
