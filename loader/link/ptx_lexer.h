/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of PTX text. */
#ifndef CBN_PTX_LEXER_H
#define CBN_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of text, read from its front: what is left of it lies between `at` and `end`. */
struct cbn_ptx_lexer {
    const char *at;
    const char *end;
};

enum cbn_ptx_token_kind {
    CBN_PTX_END,
    CBN_PTX_WORD,      /* a name, an opcode or a number: "foo", "%r1", "0x10", "9.0" */
    CBN_PTX_DIRECTIVE, /* a dot and a word: ".global"; of "ld.global.u32" what follows "ld" */
    CBN_PTX_STRING,    /* with its quotes */
    CBN_PTX_PUNCTUATION,
    CBN_PTX_DAMAGED, /* a string or comment without an end, or a byte that PTX has no use for */
};

struct cbn_ptx_token {
    enum cbn_ptx_token_kind kind;
    const char *text;
    size_t size;
};

/* Takes the next token. White space, comments and line markers (`# 1 "file"`) are passed over. */
struct cbn_ptx_token cbn_ptx_next(struct cbn_ptx_lexer *lexer);

/* As cbn_ptx_next, but takes nothing. */
struct cbn_ptx_token cbn_ptx_peek(const struct cbn_ptx_lexer *lexer);

/* Takes words, and passes over everything else. False at the end; what is damaged is an end too. */
bool cbn_ptx_next_word(struct cbn_ptx_lexer *lexer, struct cbn_ptx_token *out_word);

/* Passes over what is left of a line. */
void cbn_ptx_skip_line(struct cbn_ptx_lexer *lexer);

/* Takes what follows an opening bracket, up to and with the one that closes it; brackets of the other kinds
 * are not matched. False if none does. out_inside: may be NULL */
bool cbn_ptx_skip_to_close(struct cbn_ptx_lexer *lexer, char open, char close,
                           struct cbn_ptx_lexer *out_inside);

bool cbn_ptx_token_is(struct cbn_ptx_token token, const char *text);
bool cbn_ptx_is_punctuation(struct cbn_ptx_token token, char c);

/* The value of a word that is an integer literal of PTX: decimal, 0x…, 0b…, 0… (octal), each perhaps with U.
 * False for anything else, and for one above 64 bits. */
bool cbn_ptx_integer(struct cbn_ptx_token token, uint64_t *out_value);

#endif
