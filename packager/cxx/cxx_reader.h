/* SPDX-License-Identifier: Apache-2.0 */
/* A unit being read: what its parts share. cxx_unit.c reads files and directives, cxx_expand.c uses of
 * macros, cxx_condition.c the conditions of #if. */
#ifndef CXX_READER_H
#define CXX_READER_H

#include "cxx/cxx_macros.h"
#include "cxx/cxx_unit.h"

/* Tokens that are read before those of the file: what a macro made, or an argument. */
struct cxx_source {
    const struct cxx_token *at;
    const struct cxx_token *end;
    struct cxx_token *owned; /* to free, or NULL */
    struct cxx_macro *macro; /* is expanded again once these are read; or NULL */
};

struct cxx_reader {
    struct cxx_unit *unit;
    const struct cxx_settings *settings;
    struct cxx_macros macros;
    const struct cxx_token *at; /* the next token of the file; NULL: there is no file */
    struct cxx_source *sources; /* the last is read first */
    size_t source_count;
    size_t source_base;    /* those below are not read now */
    bool in_arguments;     /* of a macro: a file is not changed there */
    uint16_t file;         /* the number of the file that is read */
    unsigned depth;        /* of files in files */
    unsigned conditions;   /* #if that are open in this file */
    uint64_t made;         /* tokens that macros made */
    unsigned counter;      /* of __COUNTER__ */
    cubinet_status status; /* the first failure; nothing is read after it */
};

/* The next token of the file, after the directives before it. CXX_END at its end. */
const struct cxx_token *cxx_file_token(struct cxx_reader *reader);

/* The next token, which may be a macro's name. */
struct cxx_token cxx_take(struct cxx_reader *reader);

/* If the token, which was taken last, is the use of a macro, has what it makes read next. */
bool cxx_expand(struct cxx_reader *reader, struct cxx_token *token);

/* Expands a list of tokens by itself. The caller frees the result. */
void cxx_expand_list(struct cxx_reader *reader, const struct cxx_token *tokens, size_t count,
                     struct cxx_tokens *out_tokens);

/* The value of the condition in these tokens. */
bool cxx_condition(struct cxx_reader *reader, const struct cxx_token *at, const struct cxx_token *end);

/* Whether a header is there for an #include of this name. */
bool cxx_has_include(struct cxx_reader *reader, const struct cxx_token *at, const struct cxx_token *end);

/* Keeps the first failure. Whether it was one. */
bool cxx_failed(struct cxx_reader *reader, cubinet_status status);

#endif
