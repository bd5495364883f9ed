/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations of a preprocessed source, at namespace and class scope: what is a function, a variable or
 * a class, how it is annotated, and where it ends. Bodies of functions are not looked into.
 *
 * This is not a compiler: names are not looked up, so `a b(c);` may be a function or a variable, and either
 * will do (constructed_objects.h tells more). Any tokens are read without failure; nonsense makes nonsensical
 * declarations. */
#ifndef DECLARATIONS_H
#define DECLARATIONS_H

#include "cxx/cxx_token.h"

enum declaration_kind {
    DECLARATION_OTHER, /* an alias, a using-declaration, an enumeration, an assertion, … */
    DECLARATION_FUNCTION,
    DECLARATION_VARIABLE, /* data members, too */
    DECLARATION_CLASS,    /* a definition: declarators may follow its body */
    DECLARATION_NAMESPACE,
};

enum declaration_flags {
    DECLARED_TEMPLATE = 1 << 0,
    DECLARED_INSTANCE = 1 << 1, /* an explicit instantiation */
    DECLARED_KERNEL = 1 << 2,   /* __global__ */
    DECLARED_DEVICE = 1 << 3,   /* __device__, __constant__, __shared__, __managed__ */
    DECLARED_HOST = 1 << 4,     /* __host__ */
    DECLARED_CONSTEXPR = 1 << 5,
    DECLARED_CONST = 1 << 6,
    DECLARED_STATIC = 1 << 7,
    DECLARED_VIRTUAL = 1 << 8, /* virtual, override, final */
    DECLARED_FRIEND = 1 << 9,
    DECLARED_DEFAULTED = 1 << 10, /* = default, = delete */
    DECLARED_GUIDE = 1 << 11,     /* of template arguments */
    DECLARED_MEMBER = 1 << 12,    /* directly in a class */
    DECLARED_UNNAMED = 1 << 13,   /* a namespace without a name */
    DECLARED_ON_DEVICE = DECLARED_KERNEL | DECLARED_DEVICE,
};

/* Tokens are given by their number; ends are after the last. */
struct declaration {
    size_t first;
    size_t end;
    size_t parent;       /* the number of the declaration that encloses it, or SIZE_MAX */
    size_t name;         /* the token of its name, the last part of it; SIZE_MAX: none */
    size_t parameters;   /* of a function: the parenthesis */
    size_t initializers; /* of a constructor: the colon; 0: none */
    size_t value;    /* of a variable: the equals sign, brace or parenthesis of its initializer; 0: none */
    size_t body;     /* the brace of a function, a class or a namespace; 0: none */
    size_t body_end; /* after its closing brace, and what is caught */
    enum declaration_kind kind;
    unsigned flags;
};

struct declarations {
    struct declaration *items; /* those that enclose others before them */
    size_t count;
};

cubinet_status declarations_read(const struct cxx_tokens *tokens, struct declarations *out_declarations);

void declarations_free(struct declarations *declarations);

/* The position after the bracket that closes the one at `at`; `end` if none does. */
size_t declarations_skip_pair(const struct cxx_token *tokens, size_t at, size_t end);

/* The position after the list of template arguments that starts with the `<` at `at`; `at` if it is not one.
 */
size_t declarations_skip_angles(const struct cxx_token *tokens, size_t at, size_t end);

/* The position after the `template <…>` that starts at `at`; `at` if none does. */
size_t declarations_skip_template(const struct cxx_token *tokens, size_t at, size_t end);

/* Whether a function or variable is defined outside of its class or namespace: `C::f`, `C::~C`. */
bool declaration_is_qualified(const struct cxx_token *tokens, const struct declaration *declaration);

/* The innermost declaration that has a token; SIZE_MAX if none has. */
size_t declarations_innermost(const struct declarations *declarations, size_t token);

#endif
