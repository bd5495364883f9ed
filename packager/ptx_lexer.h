/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of PTX text. */
#ifndef PTX_LEXER_H
#define PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of text, read from its front: what is left of it lies between `at` and `end`. */
struct ptx_lexer {
    const char *at;
    const char *end;
};

enum ptx_token_kind {
    PTX_END,
    PTX_WORD,      /* a name, an opcode or a number: "foo", "%r1", "0x10", "9.0" */
    PTX_DIRECTIVE, /* a dot and a word: ".global"; of "ld.global.u32" what follows "ld" */
    PTX_STRING,    /* with its quotes */
    PTX_PUNCTUATION,
    PTX_DAMAGED, /* a string or comment without an end, or a byte that PTX has no use for */
};

struct ptx_token {
    enum ptx_token_kind kind;
    const char *text;
    size_t size;
};

/* Takes the next token. White space, comments and line markers (`# 1 "file"`) are passed over. */
struct ptx_token ptx_next(struct ptx_lexer *lexer);

/* As ptx_next, but takes nothing. */
struct ptx_token ptx_peek(const struct ptx_lexer *lexer);

/* Takes words, and passes over everything else. False at the end; what is damaged is an end too. */
bool ptx_next_word(struct ptx_lexer *lexer, struct ptx_token *out_word);

/* Takes what follows an opening bracket, up to and with the one that closes it; brackets of the other kinds
 * are not matched. False if none does. out_inside: may be NULL */
bool ptx_skip_to_close(struct ptx_lexer *lexer, char open, char close, struct ptx_lexer *out_inside);

bool ptx_token_is(struct ptx_token token, const char *text);
bool ptx_is_punctuation(struct ptx_token token, char c);

/* The value of a word that is an integer literal of PTX: decimal, 0x…, 0b…, 0… (octal), each perhaps with U.
 * False for anything else, and for one above 64 bits. */
bool ptx_integer(struct ptx_token token, uint64_t *out_value);

#endif
