/* SPDX-License-Identifier: Apache-2.0 */
/* What an image defines for other images and needs of them: the functions and variables that a linker brings
 * together. */
#ifndef SYMBOL_LIST_H
#define SYMBOL_LIST_H

#include <cubinet/archive.h>

#include <stdbool.h>
#include <stddef.h>

struct symbol {
    char *name;       /* lowered */
    char *expression; /* what the user calls it; NULL: nothing */
    char *type;       /* as in cubinet_symbol_info; NULL: not known */
    bool is_defined;  /* false: needed */
    bool is_weak;
    bool is_variable;
    bool is_used; /* by code or initial values of the same image; archives don't record it */
};

struct symbol_list {
    bool is_recorded; /* somebody looked; without that the list is empty and says nothing */
    bool is_complete; /* the image defines and needs nothing else */
    struct symbol *items;
    size_t count;
};

/* Frees what is inside and zeroes it. */
void symbol_list_free(struct symbol_list *list);

/* Adds a copy of a symbol. */
cubinet_status symbol_list_add(struct symbol_list *list, const struct symbol *symbol);

/* Makes `to`, which is empty, a copy. After a failure `to` is empty. */
cubinet_status symbol_list_copy(const struct symbol_list *from, struct symbol_list *to);

/* Defined ones first, then needed ones, both in byte order of names: the order of an archive. */
void symbol_list_sort(struct symbol_list *list);

/* The symbol of that lowered name in a list in order; NULL if there is none. */
struct symbol *symbol_list_find(const struct symbol_list *list, const char *name);

/* Drops weak variables that nobody asked for: CUDA's headers have hundreds, which every module defines. */
void symbol_list_drop_weak_variables(struct symbol_list *list);

/* How many are defined, of a list in order. */
size_t symbol_list_defined(const struct symbol_list *list);

/* Reads what an archive records of an image into a list that is empty. After a failure it is empty. */
cubinet_status symbol_list_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                const cubinet_image_info *info, struct symbol_list *out_list);

#endif
