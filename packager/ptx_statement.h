/* SPDX-License-Identifier: Apache-2.0 */
/* The statements that PTX text consists of at module scope, and what variables and parameters declare. */
#ifndef PTX_STATEMENT_H
#define PTX_STATEMENT_H

#include "ptx_lexer.h"

enum ptx_statement_kind {
    PTX_STATEMENT_END,
    PTX_STATEMENT_VERSION,
    PTX_STATEMENT_TARGET,
    PTX_STATEMENT_FILE,
    PTX_STATEMENT_SECTION,
    PTX_STATEMENT_VARIABLE,
    PTX_STATEMENT_FUNCTION, /* .entry or .func, a definition or a prototype */
    PTX_STATEMENT_OTHER,
    PTX_STATEMENT_DAMAGED,
};

enum ptx_linkage {
    PTX_VISIBLE = 1 << 0,
    PTX_EXTERN = 1 << 1,
    PTX_WEAK = 1 << 2,
    PTX_COMMON = 1 << 3,
};

struct ptx_statement {
    enum ptx_statement_kind kind;
    const char *start; /* its first byte, comments before it excluded */
    const char *end;
    unsigned linkage;           /* of enum ptx_linkage */
    struct ptx_token directive; /* what it is: ".entry", ".global", ".version" */
    struct ptx_token name;      /* of a function */

    /* What lies between the directive and the end; of a function between the parameters and the body. */
    struct ptx_lexer rest;
    struct ptx_lexer parameters; /* of a function, without the parentheses */
    struct ptx_lexer body;       /* of a function or section, without the braces */
    bool has_body;
};

/* Takes the next statement. After an end or damage, where `start` shows the place, there is none. */
struct ptx_statement ptx_next_statement(struct ptx_lexer *lexer);

/* One name that a variable statement or a list of parameters declares. */
struct ptx_declarator {
    struct ptx_token name;
    uint64_t bytes; /* 0 if its size is not told */
    uint32_t alignment;
    bool opaque;     /* a texture, sampler or surface reference */
    bool many_names; /* "name<4>" stands for name0 to name3 */
};

struct ptx_declarators {
    struct ptx_lexer lexer;
    uint64_t element; /* bytes of the type, vector included */
    uint64_t explicit_alignment;
    bool opaque;
    bool managed;
    bool pointer; /* what follows describes what a parameter points to */
    bool damaged;
};

/* Starts on the rest of a variable statement or a list of parameters. */
struct ptx_declarators ptx_declarators_in(struct ptx_lexer text);

/* False at the end, and with `damaged` set if what is there is no declaration. */
bool ptx_next_declarator(struct ptx_declarators *declarators, struct ptx_declarator *out_declarator);

#endif
