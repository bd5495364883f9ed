/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of a C++ source. Their text points into the file, or into what macros made of it. */
#ifndef CXX_TOKEN_H
#define CXX_TOKEN_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cxx_token_kind {
    CXX_END,    /* of the file or of the list */
    CXX_WORD,   /* an identifier or a keyword */
    CXX_NUMBER, /* as the preprocessor sees one */
    CXX_TEXT,   /* a string or a character, with its prefix */
    CXX_SIGN,   /* all else: see the signs below */
};

/* Signs of more than one character that are tokens. All others are tokens of one character each, so that
 * angle brackets are always single: `>>` closes two lists of template arguments. */
enum cxx_sign {
    CXX_SCOPE = 256, /* :: */
    CXX_ARROW,       /* -> */
    CXX_PASTE,       /* ## */
    CXX_DOTS,        /* ... */
    CXX_AND,         /* && */
    CXX_OR,          /* || */
    CXX_EQUAL,       /* == */
    CXX_UNEQUAL,     /* != */
};

enum cxx_token_flags {
    CXX_AFTER_SPACE = 1, /* white space or a comment is before it */
    CXX_STARTS_LINE = 2, /* it is the first of its line */
    CXX_PAINTED = 4,     /* a macro's name that is not expanded any more */
};

struct cxx_token {
    const char *text;
    uint32_t size;
    uint32_t offset;    /* in the file; of what a macro made: where the macro is used */
    uint32_t line;      /* from 1 */
    uint32_t expansion; /* the use of a macro that made it; 0: it is in the file */
    uint16_t file;      /* its number in the unit */
    uint16_t sign;      /* of a CXX_SIGN: the character, or a value of cxx_sign */
    uint8_t kind;
    uint8_t flags;
};

struct cxx_tokens {
    struct cxx_token *items;
    size_t count;
    size_t capacity;
};

/* CUBINET_ERROR_OUT_OF_MEMORY if there is no room. */
cubinet_status cxx_tokens_add(struct cxx_tokens *tokens, const struct cxx_token *token);

void cxx_tokens_free(struct cxx_tokens *tokens);

/* Reads the tokens of a NUL-terminated text, which has to stay, and ends them with CXX_END. Bytes that are
 * no C++ are signs of their own. */
cubinet_status cxx_lex(const char *text, uint16_t file, struct cxx_tokens *out_tokens);

static inline bool cxx_is(const struct cxx_token *token, int sign)
{
    return token->kind == CXX_SIGN && token->sign == sign;
}

bool cxx_is_word(const struct cxx_token *token, const char *word);

/* Whether it is the `#` of a directive, in a file's own tokens. */
bool cxx_is_directive(const struct cxx_token *token, const char *word);

/* The first token at or after `at` that starts a line, or the end: after a directive, given its word. */
const struct cxx_token *cxx_line_end(const struct cxx_token *at);

/* Whether it is one of the words; NULL ends them. */
bool cxx_is_any_word(const struct cxx_token *token, const char *const *words);

/* Whether two tokens have the same text. */
bool cxx_same(const struct cxx_token *one, const struct cxx_token *other);

/* Whether nothing is between a token and the one before it. */
static inline bool cxx_is_glued(const struct cxx_token *token)
{
    return !(token->flags & (CXX_AFTER_SPACE | CXX_STARTS_LINE));
}

#endif
