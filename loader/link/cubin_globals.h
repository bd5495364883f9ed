/* SPDX-License-Identifier: Apache-2.0 */
/* Which variables of device code are only there because a compiler met them: CUDA's headers have tens of
 * thousands of static members and constants of templates, which whole-program code defines and never uses. */
#ifndef CBN_CUBIN_GLOBALS_H
#define CBN_CUBIN_GLOBALS_H

#include "loader/link/device_elf.h"

#include <stdbool.h>

/* Whether a lowered name is that of a template's instance or member, of a variable in a function, or of
 * CUDA's libraries. The host names such a variable for code that uses it, if at all. */
bool cbn_is_by_the_way(const char *name, size_t name_size);

/* Whether a weak variable of that name is none that a source could have said __device__ of: a member of a
 * class template, a variable in a function, or one of CUDA's libraries. Linked code refers to all that it
 * has, so that relocations don't tell. */
bool cbn_is_member(const char *name, size_t name_size);

/* Marks the symbols that relocations are about: used[i] of symbol i, of elf->symbol_count of them. */
void cbn_mark_used(const struct cbn_elf *elf, bool *used);

#endif
