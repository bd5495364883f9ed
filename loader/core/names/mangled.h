/* SPDX-License-Identifier: Apache-2.0 */
/* What a name says that was mangled by the Itanium C++ ABI, as a tree. */
#ifndef CBN_MANGLED_H
#define CBN_MANGLED_H

#include <stdbool.h>
#include <stddef.h>

enum cbn_mangled_kind {
    CBN_MANGLED_TEXT,            /* text */
    CBN_MANGLED_NESTED,          /* left::right */
    CBN_MANGLED_TEMPLATE,        /* left<right>; right: a list, or NULL */
    CBN_MANGLED_THIS_QUALIFIERS, /* left, a function's name; text: what follows its parameters */
    CBN_MANGLED_ENCODING,  /* left: name, right: list of result (NULL: none) and parameters; NULL: variable */
    CBN_MANGLED_LIST,      /* left (NULL: nothing), and right: the rest of the list */
    CBN_MANGLED_PACK,      /* left: list of a pack's elements, or NULL */
    CBN_MANGLED_PARAMETER, /* left: the template argument that stands for it */
    CBN_MANGLED_EXPANSION, /* left, for each element of the packs in it */
    CBN_MANGLED_PACK_SIZE, /* left: a template parameter or an expansion */
    CBN_MANGLED_SUFFIXED,  /* left, and text after it, such as "*" and " const" */
    CBN_MANGLED_FUNCTION,  /* left: result, right: list of parameters, text: what follows them */
    CBN_MANGLED_ARRAY,     /* left: of what, right: how many; NULL: not said */
    CBN_MANGLED_MEMBER,    /* pointer to a member: left: class, right: type */
    CBN_MANGLED_LITERAL,   /* left: type, text: value as mangled; size 0: nullptr */
    CBN_MANGLED_LAMBDA,    /* right: list of parameters, number */
    CBN_MANGLED_NUMBERED,  /* text, number, '}' */
    CBN_MANGLED_WRAPPED,   /* text, left, ')' */
    CBN_MANGLED_JOINED,    /* left, text, right */
    CBN_MANGLED_OPERATOR,  /* a function's name: text, left */
    CBN_MANGLED_UNARY,     /* an operator of an expression: text, left */
    CBN_MANGLED_BINARY,    /* left, text, right */
    CBN_MANGLED_CONDITION, /* left ? first of right : second of right */
    CBN_MANGLED_CALL,      /* left(right) */
    CBN_MANGLED_CAST,      /* (left)(right) */
    CBN_MANGLED_BRACED     /* left{right}; left: a type or NULL */
};

struct cbn_mangled {
    enum cbn_mangled_kind kind;
    const struct cbn_mangled *left;
    const struct cbn_mangled *right;
    const char *text; /* in the mangled name, or static */
    size_t size;      /* of the text */
    size_t number;
};

/* Longer names, and those that say more, are not read. */
enum { CBN_MANGLED_NODES = 8192, CBN_MANGLED_SUBSTITUTIONS = 2048 };

struct cbn_mangled_space {
    struct cbn_mangled nodes[CBN_MANGLED_NODES];
    const struct cbn_mangled *substitutions[CBN_MANGLED_SUBSTITUTIONS];
};

/* Reads a name into `space`, for as long as that is not used again: a tree whose root is an encoding. NULL if
 * it is not mangled, or has something in it that kernels' names hardly have. */
const struct cbn_mangled *cbn_mangled_read(struct cbn_mangled_space *space, const char *name);

#endif
