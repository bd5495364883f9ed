/* SPDX-License-Identifier: Apache-2.0 */
/* The macros of a unit, by name. */
#ifndef CXX_MACROS_H
#define CXX_MACROS_H

#include "cxx/cxx_token.h"

struct cxx_macro {
    const char *name;
    uint32_t name_size;
    bool is_defined;
    bool takes_arguments;
    bool is_variadic;                    /* its last parameter takes what is left */
    bool is_disabled;                    /* its text is being read again: it is not expanded there */
    const struct cxx_token *body;        /* in a file's tokens */
    size_t body_size;                    /* in tokens */
    const struct cxx_token **parameters; /* their names; an unnamed last one is its `...` */
    size_t parameter_count;
};

struct cxx_macros {
    struct cxx_macro **slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;
};

/* The macro of that name if it is defined, or NULL. */
struct cxx_macro *cxx_macros_find(const struct cxx_macros *macros, const struct cxx_token *name);

/* Reads `NAME body` or `NAME(parameters) body`, up to `end`, which is the first token after the line. The
 * tokens have to stay. Nothing is defined if that is not a definition. */
cubinet_status cxx_macros_define(struct cxx_macros *macros, const struct cxx_token *name,
                                 const struct cxx_token *end);

void cxx_macros_remove(struct cxx_macros *macros, const struct cxx_token *name);

void cxx_macros_free(struct cxx_macros *macros);

/* The number of the parameter that a token names; -1: of none. */
int cxx_macro_parameter(const struct cxx_macro *macro, const struct cxx_token *token);

#endif
