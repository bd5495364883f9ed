/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of a function of the host's that launches kernels: the uses of kernel templates in it, and
 * what these need. The compiler makes the instances that they name, as nvcc does for the whole function, and
 * emits nothing of the function itself.
 *
 *     int blocks = count(n);                       |
 *     for (int i = 0; i < 2; i++) {                | { {
 *         scale<T, 256><<<blocks, 256>>>(x + i);   |     int &i = cubinet_any<int>(); scale<T, 256><<<1,
 * 1>>>(x + i); }                                            | } }
 *
 * Blocks stay blocks, and of variables only those stay whose names are used; they are references to nothing,
 * for what is not run needs no values. */
#ifndef SKELETON_H
#define SKELETON_H

#include "source/declarations.h"
#include "source/name_set.h"

enum skeleton_kind {
    SKELETON_BRACE, /* opens or closes a block */
    SKELETON_LOCAL, /* declares a variable or a type */
    SKELETON_USE,   /* of a kernel, or of a function that uses one */
    SKELETON_GUESS, /* an expression with an operator that may be one that uses a kernel */
};

struct skeleton_piece {
    size_t token; /* before which its text stands */
    size_t order; /* among those of the same token */
    enum skeleton_kind kind;
    char *text;
    char *instead; /* names the template alone, if the text is refused; NULL: nothing */
    bool is_dropped;
    bool is_refused; /* by the compiler: it is dropped, or names the template alone now */
};

struct skeleton {
    struct skeleton_piece *pieces;
    size_t count;
};

/* What uses are looked for. */
struct skeleton_names {
    struct name_set kernels;   /* templates */
    struct name_set functions; /* templates of the host's that use those, or each other */
    struct name_set classes;   /* made of such: bases or members. They are functions, too */
    bool operators[128];       /* that do: by skeleton_operator() */
};

/* What stands for the operator whose sign is at a token; 0 for no operator. */
unsigned char skeleton_operator(const struct cxx_token *tokens, size_t at);

/* Whether a type, such as `ns::a<b>`, is a class of which a constructor uses kernels. */
bool skeleton_is_users_class(const struct cxx_token *tokens, size_t type, size_t type_end,
                             const struct skeleton_names *names);

/* Whether a function, or the value of a variable, uses any of the names. */
bool skeleton_is_needed(const struct cxx_token *tokens, const struct declaration *function,
                        const struct skeleton_names *names);

cubinet_status skeleton_read(const struct cxx_token *tokens, const struct declaration *declaration,
                             const struct skeleton_names *names, struct skeleton *out_skeleton);

void skeleton_free(struct skeleton *skeleton);

#endif
