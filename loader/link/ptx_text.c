/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx_text.h"

#include "target.h"

#include <stdio.h>
#include <string.h>

/* What follows white space and comments. */
static const char *skip_blank(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n\v\f");
        if (strncmp(text, "//", 2) == 0) {
            text += strcspn(text, "\n");
        } else if (strncmp(text, "/*", 2) == 0) {
            const char *end = strstr(text + 2, "*/");
            text = end ? end + 2 : text + strlen(text);
        } else {
            return text;
        }
    }
}

static const char *skip_word(const char *text)
{
    return text + strcspn(text, " \t\r\n\v\f,;/");
}

/* What follows a directive's name; NULL if the text does not start with that. */
static const char *take_directive(const char *text, const char *name)
{
    const char *end = skip_word(text);
    size_t size = strlen(name);
    return (size_t)(end - text) == size && memcmp(text, name, size) == 0 ? skip_blank(end) : NULL;
}

bool cbn_ptx_target(const char *ptx, cubinet_target *out_target)
{
    const char *version = take_directive(skip_blank(ptx), ".version");
    const char *target = version ? take_directive(skip_blank(skip_word(version)), ".target") : NULL;
    char name[CUBINET_TARGET_NAME_SIZE];
    if (!target) {
        return false;
    }
    snprintf(name, sizeof(name), "%.*s", (int)(skip_word(target) - target), target);
    cubinet_target found;
    if (!cbn_target_read(name, &found)) {
        return false;
    }
    found.kind = CUBINET_IMAGE_PTX;
    *out_target = found;
    return true;
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

static size_t name_size(const char *text)
{
    size_t size = 0;
    while (is_name_character(text[size])) {
        size++;
    }
    return size;
}

static const char *skip_string(const char *text)
{
    text++;
    while (*text && *text != '"') {
        text += text[0] == '\\' && text[1] ? 2 : 1;
    }
    return *text ? text + 1 : text;
}

/* What follows a comment, a string, white space, or else one character. */
static const char *skip_one(const char *text)
{
    const char *next = skip_blank(text);
    if (next > text) {
        return next;
    }
    return *text == '"' ? skip_string(text) : text + 1;
}

/* What follows the bracket that closes the one at `text`. */
static const char *skip_brackets(const char *text)
{
    size_t depth = 0;
    while (*(text += strcspn(text, "(){}\"/"))) {
        bool opens = *text == '(' || *text == '{';
        bool closes = *text == ')' || *text == '}';
        text = skip_one(text);
        depth += opens;
        depth -= closes && depth > 0;
        if (depth == 0) {
            return text;
        }
    }
    return text;
}

/* What follows the statement, which ends with a body or a semicolon. */
static const char *skip_statement(const char *text, bool *out_body)
{
    *out_body = false;
    while (*text && *text != ';' && *text != '{') {
        text = *text == '(' ? skip_brackets(text) : skip_one(text);
    }
    *out_body = *text == '{';
    return *text == '{' ? skip_brackets(text) : *text ? text + 1 : text;
}

/* Whether a name stands as a word somewhere in the text, comments left aside. */
static bool is_used(const char *text, const char *name, size_t size)
{
    while (*text) {
        size_t word = name_size(text);
        if (word == size && memcmp(text, name, size) == 0) {
            return true;
        }
        text = word > 0 ? text + word : skip_one(text);
    }
    return false;
}

/* A function or variable that is being read. */
struct declaration {
    const char *name;
    size_t size;
    bool has_body;
};

/* `text` follows ".func": a result in brackets perhaps, the name, parameters, and a body or none. */
static const char *read_function(const char *text, struct declaration *out)
{
    text = skip_blank(text);
    if (*text == '(') {
        text = skip_blank(skip_brackets(text));
    }
    out->name = text;
    out->size = name_size(text);
    return skip_statement(text + out->size, &out->has_body);
}

/* `text` follows ".global" or ".const": its name is the last one before a size, a value or the end. */
static const char *read_variable(const char *text, struct declaration *out)
{
    *out = (struct declaration){.has_body = true};
    while (*text && *text != ';' && *text != '[' && *text != '=') {
        size_t size = *text == '.' ? 0 : name_size(text);
        if (size > 0) {
            out->name = text;
            out->size = size;
        }
        text = size > 0 ? text + size : *text == '.' ? skip_word(text) : skip_one(text);
    }
    while (*text && *text != ';') {
        text = *text == '{' ? skip_brackets(text) : skip_one(text);
    }
    return *text ? text + 1 : text;
}

/* What is read of the text between two symbols. */
struct linkage {
    bool is_extern;
    bool is_visible;
    bool is_weak;
};

static bool is_word(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

enum statement {
    STATEMENT_NONE, /* the text's end */
    STATEMENT_FUNCTION,
    STATEMENT_KERNEL,
    STATEMENT_VARIABLE,
    STATEMENT_SHARED, /* a variable that other pieces have nothing to do with */
};

static enum statement statement_of(const char *word, size_t size)
{
    static const struct {
        const char *word;
        enum statement statement;
    } known[] = {
        {".func", STATEMENT_FUNCTION},  {".entry", STATEMENT_KERNEL},  {".global", STATEMENT_VARIABLE},
        {".const", STATEMENT_VARIABLE}, {".shared", STATEMENT_SHARED},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (is_word(word, size, known[i].word)) {
            return known[i].statement;
        }
    }
    return STATEMENT_NONE;
}

/* Reads up to the end of the next statement. */
static enum statement next_statement(const char **at, struct linkage *out_linkage,
                                     struct declaration *out_declaration)
{
    struct linkage linkage = {0};
    for (*at = skip_blank(*at); **at; *at = skip_blank(*at)) {
        const char *word = *at;
        size_t size = *word == '.' ? 1 + name_size(word + 1) : 0;
        enum statement statement = statement_of(word, size);
        *at = size > 0 ? word + size : *word == '{' ? skip_brackets(word) : skip_one(word);
        linkage.is_extern |= is_word(word, size, ".extern");
        linkage.is_visible |= is_word(word, size, ".visible");
        linkage.is_weak |= is_word(word, size, ".weak") || is_word(word, size, ".common");
        if (statement != STATEMENT_NONE) {
            bool is_code = statement == STATEMENT_FUNCTION || statement == STATEMENT_KERNEL;
            *out_declaration = (struct declaration){0};
            *at = is_code ? read_function(*at, out_declaration) : read_variable(*at, out_declaration);
            *out_linkage = linkage;
            return statement;
        }
    }
    return STATEMENT_NONE;
}

/* Whether other pieces have to do with a function or variable, which `rest` follows. */
static bool is_symbol(const struct linkage *linkage, const struct declaration *declaration, const char *rest)
{
    if (declaration->size == 0) {
        return false;
    }
    return linkage->is_extern ? is_used(rest, declaration->name, declaration->size)
                              : declaration->has_body && (linkage->is_visible || linkage->is_weak);
}

bool cbn_ptx_next_symbol(const char **at, struct cbn_ptx_symbol *out_symbol)
{
    struct linkage linkage;
    struct declaration declaration;
    enum statement statement;
    while ((statement = next_statement(at, &linkage, &declaration)) != STATEMENT_NONE) {
        bool is_shareable = statement == STATEMENT_FUNCTION || statement == STATEMENT_VARIABLE;
        if (is_shareable && is_symbol(&linkage, &declaration, *at)) {
            *out_symbol = (struct cbn_ptx_symbol){
                .name = declaration.name,
                .name_size = declaration.size,
                .is_defined = !linkage.is_extern,
                .is_weak = linkage.is_weak,
            };
            return true;
        }
    }
    return false;
}

bool cbn_ptx_next_dynamic_shared(const char **at, struct cbn_ptx_name *out_name)
{
    static const char linkage[] = ".extern";
    for (const char *found = *at; (found = strstr(found, linkage));) {
        found += sizeof(linkage) - 1;
        const char *rest = take_directive(skip_blank(found), ".shared");
        struct declaration declaration = {0};
        if (rest) {
            *at = read_variable(rest, &declaration);
            *out_name = (struct cbn_ptx_name){declaration.name, declaration.size};
            return true;
        }
    }
    return false;
}

bool cbn_ptx_next_body(const char **at, struct cbn_ptx_body *out_body)
{
    struct linkage linkage;
    struct declaration declaration;
    enum statement statement;
    while ((statement = next_statement(at, &linkage, &declaration)) != STATEMENT_NONE) {
        bool is_kernel = statement == STATEMENT_KERNEL;
        if ((is_kernel || statement == STATEMENT_FUNCTION) && declaration.has_body) {
            *out_body = (struct cbn_ptx_body){
                .name = {declaration.name, declaration.size},
                .text = declaration.name + declaration.size,
                .end = *at,
                .is_kernel = is_kernel,
            };
            return true;
        }
    }
    return false;
}

bool cbn_ptx_next_word(const char **at, const char *end, struct cbn_ptx_name *out_word)
{
    const char *text = *at;
    while (text < end) {
        size_t size = name_size(text);
        if (size > 0) {
            *out_word = (struct cbn_ptx_name){text, size};
            *at = text + size;
            return true;
        }
        text = *text == '"' || *text == '/' ? skip_one(text) : text + 1;
    }
    return false;
}
