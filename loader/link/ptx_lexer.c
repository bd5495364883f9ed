/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/ptx_lexer.h"

#include <string.h>

enum { SPACE = 1, WORD = 2, DIGIT = 4, SKIP = 8 };

/* SKIP: what can neither be part of a word nor start something that words must not be looked for in. */
static const unsigned char classes[256] = {
    [' '] = SPACE | SKIP,  ['\t'] = SPACE | SKIP, ['\n'] = SPACE | SKIP,
    ['\r'] = SPACE | SKIP, ['\v'] = SPACE | SKIP, ['\f'] = SPACE | SKIP,
    ['.'] = SKIP,          [','] = SKIP,          [';'] = SKIP,
    [':'] = SKIP,          ['('] = SKIP,          [')'] = SKIP,
    ['['] = SKIP,          [']'] = SKIP,          ['{'] = SKIP,
    ['}'] = SKIP,          ['<'] = SKIP,          ['>'] = SKIP,
    ['='] = SKIP,          ['+'] = SKIP,          ['-'] = SKIP,
    ['*'] = SKIP,          ['@'] = SKIP,          ['!'] = SKIP,
    ['|'] = SKIP,          ['&'] = SKIP,          ['^'] = SKIP,
    ['~'] = SKIP,          ['?'] = SKIP,          ['_'] = WORD,
    ['$'] = WORD,          ['%'] = WORD,          ['0' ... '9'] = WORD | DIGIT,
    ['A' ... 'Z'] = WORD,  ['a' ... 'z'] = WORD,  [0x80 ... 0xff] = WORD,
};

static bool is(char c, int class)
{
    return (classes[(unsigned char)c] & class) != 0;
}

void cbn_ptx_skip_line(struct cbn_ptx_lexer *lexer)
{
    const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
    lexer->at = newline ? newline : lexer->end;
}

/* Passes over a comment that starts here. False, with nothing taken, if none starts or it has no end. */
static bool skip_comment(struct cbn_ptx_lexer *lexer)
{
    size_t left = (size_t)(lexer->end - lexer->at);
    if (left < 2 || lexer->at[0] != '/') {
        return false;
    }
    if (lexer->at[1] == '/') {
        cbn_ptx_skip_line(lexer);
        return true;
    }
    const char *close = lexer->at[1] == '*' ? memmem(lexer->at + 2, left - 2, "*/", 2) : NULL;
    if (!close) {
        return false;
    }
    lexer->at = close + 2;
    return true;
}

/* Passes over a string that starts here. False, with nothing taken, if it has no end. */
static bool skip_string(struct cbn_ptx_lexer *lexer)
{
    for (const char *at = lexer->at + 1; at < lexer->end; at++) {
        if (*at == '"') {
            lexer->at = at + 1;
            return true;
        }
        if (*at == '\\') {
            at++;
        }
    }
    return false;
}

static void skip_space(struct cbn_ptx_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (is(*lexer->at, SPACE)) {
            lexer->at++;
        } else if (*lexer->at == '#') {
            cbn_ptx_skip_line(lexer);
        } else if (!skip_comment(lexer)) {
            return;
        }
    }
}

/* A number goes on after a dot; the dot after another word starts a directive. */
static void skip_word(struct cbn_ptx_lexer *lexer)
{
    bool number = is(*lexer->at, DIGIT);
    while (lexer->at < lexer->end && (is(*lexer->at, WORD) || (number && *lexer->at == '.'))) {
        lexer->at++;
    }
}

struct cbn_ptx_token cbn_ptx_next(struct cbn_ptx_lexer *lexer)
{
    skip_space(lexer);
    struct cbn_ptx_token token = {CBN_PTX_END, lexer->at, 0};
    if (lexer->at == lexer->end) {
        return token;
    }
    char first = *lexer->at;
    if (is(first, WORD)) {
        token.kind = CBN_PTX_WORD;
        skip_word(lexer);
    } else if (first == '.' && lexer->end - lexer->at > 1 && is(lexer->at[1], WORD)) {
        token.kind = CBN_PTX_DIRECTIVE;
        lexer->at++;
        while (lexer->at < lexer->end && is(*lexer->at, WORD)) {
            lexer->at++;
        }
    } else if (first == '"') {
        token.kind = skip_string(lexer) ? CBN_PTX_STRING : CBN_PTX_DAMAGED;
    } else {
        token.kind = is(first, SKIP) ? CBN_PTX_PUNCTUATION : CBN_PTX_DAMAGED;
        lexer->at += token.kind == CBN_PTX_PUNCTUATION;
    }
    token.size = (size_t)(lexer->at - token.text);
    return token;
}

struct cbn_ptx_token cbn_ptx_peek(const struct cbn_ptx_lexer *lexer)
{
    struct cbn_ptx_lexer copy = *lexer;
    return cbn_ptx_next(&copy);
}

bool cbn_ptx_next_word(struct cbn_ptx_lexer *lexer, struct cbn_ptx_token *out_word)
{
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (is(c, WORD)) {
            *out_word = (struct cbn_ptx_token){CBN_PTX_WORD, lexer->at, 0};
            skip_word(lexer);
            out_word->size = (size_t)(lexer->at - out_word->text);
            return true;
        }
        if (is(c, SKIP)) {
            lexer->at++;
        } else if (c == '#') {
            cbn_ptx_skip_line(lexer);
        } else if (c == '"' ? !skip_string(lexer) : !skip_comment(lexer)) {
            return false;
        }
    }
    return false;
}

bool cbn_ptx_skip_to_close(struct cbn_ptx_lexer *lexer, char open, char close,
                           struct cbn_ptx_lexer *out_inside)
{
    struct cbn_ptx_lexer inside = {lexer->at, lexer->at};
    size_t depth = 1;
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == open) {
            depth++;
        } else if (c == close && --depth == 0) {
            inside.end = lexer->at++;
            if (out_inside) {
                *out_inside = inside;
            }
            return true;
        }
        if (is(c, WORD | SKIP)) {
            lexer->at++;
        } else if (c == '#') {
            cbn_ptx_skip_line(lexer);
        } else if (c == '"' ? !skip_string(lexer) : !skip_comment(lexer)) {
            return false;
        }
    }
    return false;
}

bool cbn_ptx_token_is(struct cbn_ptx_token token, const char *text)
{
    return token.size == strlen(text) && memcmp(token.text, text, token.size) == 0;
}

bool cbn_ptx_is_punctuation(struct cbn_ptx_token token, char c)
{
    return token.kind == CBN_PTX_PUNCTUATION && *token.text == c;
}

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a' + 10) : 16;
}

bool cbn_ptx_integer(struct cbn_ptx_token token, uint64_t *out_value)
{
    const char *at = token.text;
    const char *end = token.text + token.size;
    if (token.kind != CBN_PTX_WORD || !is(*at, DIGIT)) {
        return false;
    }
    if (end - at > 1 && end[-1] == 'U') {
        end--;
    }
    unsigned base = 10;
    if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x') {
        base = 16;
        at += 2;
    } else if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'b') {
        base = 2;
        at += 2;
    } else if (end - at > 1 && at[0] == '0') {
        base = 8;
        at++;
    }
    uint64_t value = 0;
    for (; at < end; at++) {
        unsigned digit = digit_value(*at);
        if (digit >= base || value > (UINT64_MAX - digit) / base) {
            return false;
        }
        value = value * base + digit;
    }
    *out_value = value;
    return true;
}
