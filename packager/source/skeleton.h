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
    char *instead; /* what the text becomes if it is refused, line by line; NULL: nothing */
    size_t group;  /* of pieces that are given up together; 0: none */
    bool is_dropped;
    bool is_refused; /* by the compiler: it is dropped, or its text is another now */
};

struct skeleton {
    struct skeleton_piece *pieces;
    size_t count;
};

/* What uses are looked for. */
struct skeleton_names {
    struct name_set kernels;   /* templates */
    struct name_set functions; /* templates of the host's that use those, or each other */
    struct name_set classes;   /* made of such: bases or members */
    struct name_set types;     /* classes whose constructors use kernels. They are functions, too */
    struct name_set templates; /* of classes: a variable's type may be one, with its arguments deduced */
    struct name_set appliers;  /* templates of the host's that call what they are given (appliers.h) */
    struct name_set callables; /* classes whose operator() uses kernels: what appliers are given */
    bool has_appliers;         /* that are given anything */
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

/* What a skeleton is made of. */
struct skeleton_source {
    const struct cxx_token *tokens;
    const struct declaration *declaration;
    size_t class_name; /* the token of the name of the class that a member is declared in, or SIZE_MAX */
    bool is_applier;
};

cubinet_status skeleton_read(const struct skeleton_source *source, const struct skeleton_names *names,
                             struct skeleton *out_skeleton);

enum skeleton_dropped {
    SKELETON_HAS_NOTHING, /* on that line */
    SKELETON_HAS_DROPPED,
    SKELETON_HAS_OTHERS, /* but nothing with that name */
};

/* Gives up what a skeleton has on the line of a token, and, if `named`, with the token's name: its guesses,
 * or the others, first the arguments of a use, then the use. */
enum skeleton_dropped skeleton_drop(struct skeleton *skeleton, const struct cxx_token *tokens, size_t token,
                                    bool named);

/* Whether anything that is left on the line of a token has its name. */
bool skeleton_has(const struct skeleton *skeleton, const struct cxx_token *tokens, size_t token);

/* Whether a piece's text has a word. */
bool skeleton_mentions(const char *text, const struct cxx_token *word);

void skeleton_free(struct skeleton *skeleton);

#endif
