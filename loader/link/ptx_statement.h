/* SPDX-License-Identifier: Apache-2.0 */
/* The statements that PTX text consists of at module scope, and what variables and parameters declare. */
#ifndef CBN_PTX_STATEMENT_H
#define CBN_PTX_STATEMENT_H

#include "loader/link/ptx_lexer.h"

enum cbn_ptx_statement_kind {
    CBN_PTX_STATEMENT_END,
    CBN_PTX_STATEMENT_VERSION,
    CBN_PTX_STATEMENT_TARGET,
    CBN_PTX_STATEMENT_FILE,
    CBN_PTX_STATEMENT_SECTION,
    CBN_PTX_STATEMENT_VARIABLE,
    CBN_PTX_STATEMENT_FUNCTION, /* .entry or .func, a definition or a prototype */
    CBN_PTX_STATEMENT_OTHER,
    CBN_PTX_STATEMENT_DAMAGED,
};

enum cbn_ptx_linkage {
    CBN_PTX_VISIBLE = 1 << 0,
    CBN_PTX_EXTERN = 1 << 1,
    CBN_PTX_WEAK = 1 << 2,
    CBN_PTX_COMMON = 1 << 3,
};

struct cbn_ptx_statement {
    enum cbn_ptx_statement_kind kind;
    const char *start; /* its first byte, comments before it excluded */
    const char *end;
    unsigned linkage;               /* of enum cbn_ptx_linkage */
    struct cbn_ptx_token directive; /* what it is: ".entry", ".global", ".version" */
    struct cbn_ptx_token name;      /* of a function */

    /* What lies between the directive and the end; of a function between the parameters and the body. */
    struct cbn_ptx_lexer rest;
    struct cbn_ptx_lexer parameters; /* of a function, without the parentheses */
    struct cbn_ptx_lexer body;       /* of a function or section, without the braces */
    bool has_body;
};

/* Takes the next statement. After an end or damage, where `start` shows the place, there is none. */
struct cbn_ptx_statement cbn_ptx_next_statement(struct cbn_ptx_lexer *lexer);

/* One name that a variable statement or a list of parameters declares. */
struct cbn_ptx_declarator {
    struct cbn_ptx_token name;
    uint64_t bytes; /* 0 if its size is not told */
    uint32_t alignment;
    bool opaque;     /* a texture, sampler or surface reference */
    bool many_names; /* "name<4>" stands for name0 to name3 */
};

struct cbn_ptx_declarators {
    struct cbn_ptx_lexer lexer;
    uint64_t element; /* bytes of the type, vector included */
    uint64_t explicit_alignment;
    bool opaque;
    bool managed;
    bool pointer; /* what follows describes what a parameter points to */
    bool damaged;
};

/* Starts on the rest of a variable statement or a list of parameters. */
struct cbn_ptx_declarators cbn_ptx_declarators_in(struct cbn_ptx_lexer text);

/* False at the end, and with `damaged` set if what is there is no declaration. */
bool cbn_ptx_next_declarator(struct cbn_ptx_declarators *declarators,
                             struct cbn_ptx_declarator *out_declarator);

#endif
