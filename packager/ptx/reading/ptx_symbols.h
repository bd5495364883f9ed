/* SPDX-License-Identifier: Apache-2.0 */
/* What PTX that was compiled to be linked (-rdc=true) defines for other modules and needs of them. */
#ifndef PTX_SYMBOLS_H
#define PTX_SYMBOLS_H

#include "image/symbol_list.h"
#include "loader/link/ptx_lexer.h"

#include <stddef.h>

/* Reads functions and variables that other modules see, and those of other modules that this one uses, in the
 * order of an archive. Left out are kernels, variables in shared memory, functions that every GPU driver
 * brings (vprintf, malloc, …) and what is declared but not used.
 *
 * Marks the list as recorded and complete. Fails as ptx_read() does, which says more of what is wrong. */
cubinet_status ptx_symbols_read(const char *text, size_t size, struct symbol_list *out_list);

/* The name whose address is the initial value of a variable; its size is 0 if there is no such variable or it
 * has another value. */
struct cbn_ptx_token ptx_symbols_address_in(const char *text, size_t size, const char *variable);

/* Whether a function is what CUDA calls a system call, which every GPU driver links: vprintf, malloc, … */
bool ptx_is_drivers(struct cbn_ptx_token name);

#endif
