/* SPDX-License-Identifier: Apache-2.0 */
#include "cxx/cxx_token.h"

#include <string.h>

struct lexer {
    const char *text;
    const char *at;
    uint32_t line;
    uint8_t flags; /* of the next token */
};

static bool starts_word(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_in_word(char c)
{
    return starts_word((unsigned char)c) || is_digit(c);
}

/* The size of a backslash at the end of a line and of that line's end; 0 if none is here. */
static size_t splice_size(const char *at)
{
    if (at[0] != '\\') {
        return 0;
    }
    return at[1] == '\n' ? 2 : at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static void skip_line_comment(struct lexer *lexer)
{
    while (*lexer->at && *lexer->at != '\n') {
        size_t splice = splice_size(lexer->at);
        lexer->line += splice > 0;
        lexer->at += splice ? splice : 1;
    }
}

static void skip_block_comment(struct lexer *lexer)
{
    lexer->at += 2;
    while (*lexer->at && !(lexer->at[0] == '*' && lexer->at[1] == '/')) {
        lexer->line += *lexer->at++ == '\n';
    }
    lexer->at += *lexer->at ? 2 : 0;
}

/* Skips white space, comments and ends of lines before a token. */
static void skip_space(struct lexer *lexer)
{
    for (;;) {
        size_t splice = splice_size(lexer->at);
        if (splice) {
            lexer->line++;
            lexer->at += splice;
            continue; /* what it splits is still one */
        } else if (*lexer->at == '\n') {
            lexer->line++;
            lexer->at++;
            lexer->flags |= CXX_STARTS_LINE;
        } else if (strchr(" \t\r\v\f", *lexer->at) && *lexer->at) {
            lexer->at++;
        } else if (lexer->at[0] == '/' && lexer->at[1] == '/') {
            skip_line_comment(lexer);
        } else if (lexer->at[0] == '/' && lexer->at[1] == '*') {
            skip_block_comment(lexer);
        } else {
            return;
        }
        lexer->flags |= CXX_AFTER_SPACE;
    }
}

/* A string or a character, from its quote on. One that its line does not end ends with the line. */
static void skip_quoted(struct lexer *lexer)
{
    char quote = *lexer->at++;
    while (*lexer->at && *lexer->at != quote && *lexer->at != '\n') {
        size_t splice = splice_size(lexer->at);
        lexer->line += splice > 0;
        lexer->at += splice ? splice : *lexer->at == '\\' && lexer->at[1] ? 2 : 1;
    }
    lexer->at += *lexer->at == quote;
}

/* R"name(text)name", from its quote on. */
static void skip_raw(struct lexer *lexer)
{
    char end[20] = ")";
    size_t size = strcspn(lexer->at + 1, "( )\\\t\v\f\n");
    if (size > 16 || lexer->at[1 + size] != '(') {
        skip_quoted(lexer);
        return;
    }
    memcpy(end + 1, lexer->at + 1, size);
    memcpy(end + 1 + size, "\"", sizeof("\""));
    const char *last = strstr(lexer->at + size + 2, end);
    const char *after = last ? last + strlen(end) : lexer->at + strlen(lexer->at);
    while (lexer->at < after) {
        lexer->line += *lexer->at++ == '\n';
    }
}

static bool is_prefix(const char *text, size_t size, bool *out_raw)
{
    static const char *const prefixes[] = {"R", "L", "u", "U", "u8", "LR", "uR", "UR", "u8R"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strlen(prefixes[i]) == size && memcmp(prefixes[i], text, size) == 0) {
            *out_raw = text[size - 1] == 'R';
            return true;
        }
    }
    return false;
}

/* A word, or a string that starts like one. */
static enum cxx_token_kind read_word(struct lexer *lexer)
{
    const char *start = lexer->at;
    bool raw = false;
    while (is_in_word(*lexer->at)) {
        lexer->at++;
    }
    bool quoted = *lexer->at == '"' || *lexer->at == '\'';
    if (!quoted || !is_prefix(start, (size_t)(lexer->at - start), &raw)) {
        return CXX_WORD;
    }
    if (raw && *lexer->at == '"') {
        skip_raw(lexer);
    } else {
        skip_quoted(lexer);
    }
    return CXX_TEXT;
}

static void read_number(struct lexer *lexer)
{
    for (;;) {
        char c = *lexer->at;
        bool has_sign = strchr("eEpP", c) && c && (lexer->at[1] == '+' || lexer->at[1] == '-');
        bool separates = c == '\'' && is_in_word(lexer->at[1]);
        if (!is_in_word(c) && c != '.' && !separates) {
            return;
        }
        lexer->at += has_sign || separates ? 2 : 1;
    }
}

/* Signs of several characters, and digraphs. */
static const struct {
    const char *text;
    uint16_t sign;
} signs[] = {
    {"...", CXX_DOTS}, {"%:%:", CXX_PASTE}, {"::", CXX_SCOPE}, {"->", CXX_ARROW},   {"##", CXX_PASTE},
    {"&&", CXX_AND},   {"||", CXX_OR},      {"==", CXX_EQUAL}, {"!=", CXX_UNEQUAL}, {"<%", '{'},
    {"%>", '}'},       {":>", ']'},         {"%:", '#'},       {"<:", '['},
};

static uint16_t read_sign(struct lexer *lexer)
{
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        const char *text = signs[i].text;
        /* `<::` is an angle bracket and a scope, as in `vector<::T>`. */
        bool is_scope = strncmp(lexer->at, "<::", 3) == 0 && lexer->at[3] != ':' && lexer->at[3] != '>';
        if (*text == *lexer->at && strncmp(lexer->at, text, strlen(text)) == 0 && !is_scope) {
            lexer->at += strlen(text);
            return signs[i].sign;
        }
    }
    return (unsigned char)*lexer->at++;
}

static struct cxx_token read_token(struct lexer *lexer)
{
    struct cxx_token token = {.text = lexer->at, .line = lexer->line, .flags = lexer->flags};
    token.offset = (uint32_t)(lexer->at - lexer->text);
    char c = *lexer->at;
    if (c == '\0') {
        token.kind = CXX_END;
    } else if (starts_word((unsigned char)c)) {
        token.kind = (uint8_t)read_word(lexer);
    } else if (is_digit(c) || (c == '.' && is_digit(lexer->at[1]))) {
        token.kind = CXX_NUMBER;
        read_number(lexer);
    } else if (c == '"' || c == '\'') {
        token.kind = CXX_TEXT;
        skip_quoted(lexer);
    } else {
        token.kind = CXX_SIGN;
        token.sign = read_sign(lexer);
    }
    token.size = (uint32_t)(lexer->at - token.text);
    return token;
}

cubinet_status cxx_lex(const char *text, uint16_t file, struct cxx_tokens *out_tokens)
{
    struct lexer lexer = {.text = text, .at = text, .line = 1, .flags = CXX_STARTS_LINE};
    struct cxx_tokens tokens = {0};
    for (;;) {
        skip_space(&lexer);
        struct cxx_token token = read_token(&lexer);
        token.file = file;
        lexer.flags = 0;
        cubinet_status status = cxx_tokens_add(&tokens, &token);
        if (status) {
            cxx_tokens_free(&tokens);
            return status;
        }
        if (token.kind == CXX_END) {
            *out_tokens = tokens;
            return CUBINET_OK;
        }
    }
}
