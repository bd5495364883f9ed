/* SPDX-License-Identifier: Apache-2.0 */
/* What PTX text says to a linker: which architecture it is for, and which symbols it defines and needs. The
 * rest is not looked at. */
#ifndef CBN_PTX_TEXT_H
#define CBN_PTX_TEXT_H

#include "loader/link/ptx_statement.h"

#include <cubinet/target.h>

/* Reads the .target directive; false, and `*out_target` untouched, if the text has none where PTX has it. */
bool cbn_ptx_target(const char *ptx, cubinet_target *out_target);

/* A function or variable that other pieces can see or have to bring. */
struct cbn_ptx_symbol {
    const char *name; /* in the text, not NUL-terminated */
    size_t name_size;
    bool is_defined;
    bool is_weak;
};

/* A text whose symbols are being read. */
struct cbn_ptx_symbols {
    struct cbn_ptx_lexer text; /* what is left of it */
    struct cbn_ptx_declarators variables;
    unsigned linkage; /* of the variables */
    bool is_damaged;  /* it stopped at something that is no PTX */
};

struct cbn_ptx_symbols cbn_ptx_symbols_in(const char *ptx);

/* Steps to the next symbol; false after the last. Functions that are declared and not used are left out, and
 * so are kernels. */
bool cbn_ptx_next_symbol(struct cbn_ptx_symbols *symbols, struct cbn_ptx_symbol *out_symbol);

#endif
