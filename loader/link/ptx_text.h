/* SPDX-License-Identifier: Apache-2.0 */
/* What PTX text says to a linker: which architecture it is for, and which symbols it defines and needs. The
 * rest is not looked at, and text that is no PTX is for nvJitLink to refuse. */
#ifndef CBN_PTX_TEXT_H
#define CBN_PTX_TEXT_H

#include <cubinet/target.h>

#include <stdbool.h>
#include <stddef.h>

/* Reads the .target directive; false, and `*out_target` untouched, if the text has none where PTX has it. */
bool cbn_ptx_target(const char *ptx, cubinet_target *out_target);

/* A function or variable that other pieces can see or have to bring. */
struct cbn_ptx_symbol {
    const char *name; /* in the text, not NUL-terminated */
    size_t name_size;
    bool is_defined;
    bool is_weak;
};

/* Steps to the next symbol of a text, from `*at` on, which is its start at first; false behind the last.
 * Functions that are declared and not used are left out, and so are kernels. */
bool cbn_ptx_next_symbol(const char **at, struct cbn_ptx_symbol *out_symbol);

/* A name in the text, not NUL-terminated. */
struct cbn_ptx_name {
    const char *text;
    size_t size;
};

/* Steps to the next variable whose size is given when a kernel is launched (.extern .shared), from `*at` on.
 */
bool cbn_ptx_next_dynamic_shared(const char **at, struct cbn_ptx_name *out_name);

/* A kernel or function, and what follows its name, up to `end`. */
struct cbn_ptx_body {
    struct cbn_ptx_name name;
    const char *text;
    const char *end;
    bool is_kernel;
};

/* Steps to the next kernel or function, from `*at` on, which is the text's start at first. */
bool cbn_ptx_next_body(const char **at, struct cbn_ptx_body *out_body);

/* Steps to the next word before `end`: a name, a number or part of an instruction. */
bool cbn_ptx_next_word(const char **at, const char *end, struct cbn_ptx_name *out_word);

#endif
