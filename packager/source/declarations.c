/* SPDX-License-Identifier: Apache-2.0 */
#include "source/declarations.h"

#include "base/array.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

enum { MAX_DEPTH = 200 }; /* of scopes in scopes */

struct parser {
    const struct cxx_token *tokens;
    size_t end; /* the number of the CXX_END */
    size_t at;
    unsigned depth;
    struct declarations *declarations;
    cubinet_status status;
};

static const struct cxx_token *token(const struct parser *parser)
{
    return &parser->tokens[parser->at];
}

static bool is(const struct parser *parser, int sign)
{
    return cxx_is(token(parser), sign);
}

static bool is_word(const struct parser *parser, const char *word)
{
    return cxx_is_word(token(parser), word);
}

static int closing_of(const struct cxx_token *token)
{
    return cxx_is(token, '(') ? ')' : cxx_is(token, '[') ? ']' : cxx_is(token, '{') ? '}' : 0;
}

size_t declarations_skip_pair(const struct cxx_token *tokens, size_t at, size_t end)
{
    int close = closing_of(&tokens[at]);
    int open = tokens[at].sign;
    unsigned depth = 0;
    for (; at < end; at++) {
        depth += cxx_is(&tokens[at], open);
        depth -= cxx_is(&tokens[at], close);
        if (depth == 0) {
            return at + 1;
        }
    }
    return end;
}

size_t declarations_skip_angles(const struct cxx_token *tokens, size_t at, size_t end)
{
    size_t start = at;
    unsigned depth = 0;
    while (at < end) {
        const struct cxx_token *token = &tokens[at];
        if (cxx_is(token, ';') || cxx_is(token, ')') || cxx_is(token, ']') || cxx_is(token, '}')) {
            return start;
        }
        if (closing_of(token)) {
            at = declarations_skip_pair(tokens, at, end);
            continue;
        }
        depth += cxx_is(token, '<');
        depth -= cxx_is(token, '>');
        at++;
        if (depth == 0) {
            return at;
        }
    }
    return start;
}

size_t declarations_skip_template(const struct cxx_token *tokens, size_t at, size_t end)
{
    if (at + 1 >= end || !cxx_is_word(&tokens[at], "template") || !cxx_is(&tokens[at + 1], '<')) {
        return at;
    }
    size_t after = declarations_skip_angles(tokens, at + 1, end);
    return after == at + 1 ? at : after;
}

static void skip_pair(struct parser *parser)
{
    parser->at = declarations_skip_pair(parser->tokens, parser->at, parser->end);
}

/* Whether it was a list of template arguments. */
static bool skip_angles(struct parser *parser)
{
    size_t start = parser->at;
    parser->at = declarations_skip_angles(parser->tokens, parser->at, parser->end);
    return parser->at > start;
}

/* Skips to just after the next semicolon of this scope, or to the brace that closes the scope. */
static void skip_statement(struct parser *parser)
{
    while (parser->at < parser->end && !is(parser, ';') && !is(parser, '}')) {
        if (closing_of(token(parser))) {
            skip_pair(parser);
        } else {
            parser->at++;
        }
    }
    parser->at += is(parser, ';');
}

static size_t add(struct parser *parser, const struct declaration *declaration)
{
    struct declarations *all = parser->declarations;
    struct declaration *items = array_grow(all->items, all->count, sizeof(*items));
    if (!items) {
        parser->status = cbn_error_memory();
        parser->at = parser->end;
        return SIZE_MAX;
    }
    all->items = items;
    items[all->count] = *declaration;
    return all->count++;
}

static void read_scope(struct parser *parser, size_t parent, bool in_class);

/* Reads what is between braces, from the opening one on. */
static void read_braces(struct parser *parser, size_t parent, bool in_class)
{
    if (parser->depth >= MAX_DEPTH) {
        skip_pair(parser);
        return;
    }
    parser->at++;
    parser->depth++;
    read_scope(parser, parent, in_class);
    parser->depth--;
    parser->at += is(parser, '}');
}

/* Words before a parenthesis that is not a list of parameters. */
static bool takes_parentheses(const struct cxx_token *word)
{
    static const char *const words[] = {"__attribute__",     "__attribute",    "alignas",     "decltype",
                                        "__launch_bounds__", "noexcept",       "throw",       "explicit",
                                        "__align__",         "__declspec",     "__typeof__",  "typeof",
                                        "__cluster_dims__",  "__block_size__", "__maxnreg__", "asm",
                                        "__asm__",           "_Pragma",        "sizeof",      "alignof",
                                        "__underlying_type", "__nv_pure__",    NULL};
    return cxx_is_any_word(word, words);
}

static unsigned flags_of(const struct cxx_token *word)
{
    static const struct {
        const char *word;
        unsigned flags;
    } words[] = {
        {"__global__", DECLARED_KERNEL},
        {"__device__", DECLARED_DEVICE},
        {"__tile_global__", DECLARED_KERNEL},
        {"__tile__", DECLARED_DEVICE},
        {"__constant__", DECLARED_DEVICE},
        {"__shared__", DECLARED_DEVICE},
        {"__managed__", DECLARED_DEVICE},
        {"__host__", DECLARED_HOST},
        {"constexpr", DECLARED_CONSTEXPR},
        {"consteval", DECLARED_CONSTEXPR},
        {"const", DECLARED_CONST},
        {"static", DECLARED_STATIC},
        {"virtual", DECLARED_VIRTUAL},
        {"override", DECLARED_VIRTUAL},
        {"final", DECLARED_VIRTUAL},
        {"friend", DECLARED_FRIEND},
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (cxx_is_word(word, words[i].word)) {
            return words[i].flags;
        }
    }
    return 0;
}

/* `__attribute__((device))` is what the macro __device__ is. */
static unsigned attribute_flags(const struct parser *parser, size_t at, size_t end)
{
    unsigned flags = 0;
    for (; at < end; at++) {
        flags |= cxx_is_word(&parser->tokens[at], "device") ? DECLARED_DEVICE : 0;
        flags |= cxx_is_word(&parser->tokens[at], "global") ? DECLARED_KERNEL : 0;
    }
    return flags;
}

/* Skips `!a::b<c>`. */
static void skip_name(struct parser *parser)
{
    parser->at += is(parser, '!');
    parser->at += is(parser, CXX_SCOPE);
    while (token(parser)->kind == CXX_WORD) {
        parser->at++;
        if (is(parser, '<')) {
            skip_angles(parser);
        }
        if (!is(parser, CXX_SCOPE)) {
            return;
        }
        parser->at++;
    }
}

/* Skips `requires` and the constraint after it. */
static void skip_requires(struct parser *parser)
{
    parser->at++;
    while (parser->at < parser->end) {
        if (is_word(parser, "requires")) { /* an expression: `requires (T t) { … }` */
            parser->at++;
            if (is(parser, '(')) {
                skip_pair(parser);
            }
            if (is(parser, '{')) {
                skip_pair(parser);
            }
        } else if (is(parser, '(')) {
            skip_pair(parser);
        } else {
            skip_name(parser);
        }
        if (!is(parser, CXX_AND) && !is(parser, CXX_OR)) {
            return;
        }
        parser->at++;
    }
}

/* Skips `template <…> requires …`, any number of them. An explicit instantiation has no list. */
static unsigned read_template(struct parser *parser)
{
    unsigned flags = 0;
    while (is_word(parser, "template")) {
        parser->at++;
        if (!is(parser, '<')) {
            return DECLARED_INSTANCE;
        }
        flags |= DECLARED_TEMPLATE;
        if (!skip_angles(parser)) {
            parser->at++;
        }
        if (is_word(parser, "requires")) {
            skip_requires(parser);
        }
    }
    return flags;
}

/* Skips the symbol of an operator after its word: `operator()`, `operator new[]`, `operator T *`. */
static void skip_operator(struct parser *parser)
{
    parser->at++;
    if (is(parser, '(') || is(parser, '[')) {
        parser->at += parser->at + 1 < parser->end ? 2 : 1; /* the source may end here */
        return;
    }
    while (parser->at < parser->end && !is(parser, '(') && !is(parser, ';') && !is(parser, '{')) {
        bool is_type = token(parser)->kind == CXX_WORD;
        parser->at++;
        if (is_type && is(parser, '<')) {
            skip_angles(parser);
        }
    }
}

/* A declaration being read. */
struct reading {
    struct declaration declaration;
    bool has_type; /* a word that is not the name is before it */
    bool has_equals;
    bool has_arrow;
    bool is_operator;
    bool is_enum;
    bool in_pointer; /* after `(*name)`: what follows are not its own parameters */
};

/* Skips `: a(b), c{d}` of a constructor, up to its body. */
static void skip_initializers(struct parser *parser)
{
    do {
        parser->at++;
        while (parser->at < parser->end && !is(parser, '(') && !is(parser, '{') && !is(parser, ';')) {
            if (!is(parser, '<') || !skip_angles(parser)) {
                parser->at++;
            }
        }
        if (closing_of(token(parser))) {
            skip_pair(parser);
        }
        parser->at += is(parser, CXX_DOTS);
    } while (is(parser, ','));
}

/* A function's body, and the handlers of one that is a try block. */
static void read_body(struct parser *parser, struct declaration *declaration)
{
    declaration->body = parser->at;
    skip_pair(parser);
    while (is_word(parser, "catch")) {
        parser->at++;
        if (is(parser, '(')) {
            skip_pair(parser);
        }
        if (is(parser, '{')) {
            skip_pair(parser);
        }
    }
    declaration->body_end = parser->at;
    declaration->end = parser->at;
}

/* Skips the attributes and the name after a class key. How many words the name and what follows it have. */
static unsigned skip_class_name(struct parser *parser, size_t *out_name)
{
    unsigned words = 0;
    static const char *const qualifiers[] = {"const", "volatile", "override", NULL};
    while (parser->at < parser->end && !is(parser, '{') && !is(parser, ';') && !is(parser, ':')) {
        if (cxx_is_any_word(token(parser), qualifiers)) { /* of a function, or of a type */
            return words + 1;
        }
        bool has_pair = takes_parentheses(token(parser));
        if (token(parser)->kind == CXX_WORD && !has_pair && !is_word(parser, "final")) {
            words += !cxx_is(token(parser) - 1, CXX_SCOPE);
            *out_name = parser->at;
        } else if (is(parser, '[') || is(parser, '(')) {
            skip_pair(parser);
            continue;
        } else if (is(parser, '<') && skip_angles(parser)) {
            continue;
        } else if (!has_pair && !is(parser, CXX_SCOPE) && !is_word(parser, "final")) {
            return words + 1;
        }
        parser->at++;
    }
    return words;
}

/* Whether a name is a function's: `struct point make(int x) {`, `struct pair<T> make() {`. */
static bool has_parameters(const struct parser *parser, size_t name)
{
    size_t next = name + 1;
    if (next < parser->at && cxx_is(&parser->tokens[next], '<')) {
        next = declarations_skip_angles(parser->tokens, next, parser->at);
    }
    return next < parser->at && cxx_is(&parser->tokens[next], '(');
}

enum class_use { CLASS_DEFINED, CLASS_DECLARED, CLASS_NAMED };

/* What a class key starts: a definition, whose members are read, a declaration of the class alone, or the
 * name of a type, and then only the key is read. */
static enum class_use read_class(struct parser *parser, struct reading *reading, size_t *out_number)
{
    struct declaration *declaration = &reading->declaration;
    size_t start = parser->at++;
    size_t name = SIZE_MAX;
    unsigned words = skip_class_name(parser, &name);
    if (is(parser, ';') && words == 1) {
        return CLASS_DECLARED;
    }
    bool has_bases = is(parser, ':');
    while (has_bases && parser->at < parser->end && !is(parser, '{') && !is(parser, ';')) {
        if (!is(parser, '<') || !skip_angles(parser)) {
            parser->at++;
        }
    }
    if (!is(parser, '{') || (name != SIZE_MAX && has_parameters(parser, name))) {
        parser->at = start + 1; /* `struct point *p` */
        return CLASS_NAMED;
    }
    declaration->kind = DECLARATION_CLASS;
    declaration->name = name;
    declaration->body = parser->at;
    *out_number = add(parser, declaration);
    if (*out_number != SIZE_MAX) {
        read_braces(parser, *out_number, true);
    }
    return CLASS_DEFINED;
}

/* A parenthesis outside of initializers: parameters, or what a declarator has in parentheses. */
static void read_parentheses(struct parser *parser, struct reading *reading)
{
    struct declaration *declaration = &reading->declaration;
    const struct cxx_token *inside = &parser->tokens[parser->at + 1];
    const struct cxx_token *before = parser->at > declaration->first ? &parser->tokens[parser->at - 1] : NULL;
    bool after_attribute = before && takes_parentheses(before);
    bool is_pointer = !reading->is_operator && declaration->parameters == 0 &&
                      declaration->name != SIZE_MAX &&
                      (cxx_is(inside, '*') || cxx_is(inside, '&') || cxx_is(inside, '^'));
    size_t start = parser->at;
    skip_pair(parser);
    if (after_attribute) {
        declaration->flags |= attribute_flags(parser, start, parser->at);
    } else if (is_pointer) {
        reading->in_pointer = true;
        for (size_t i = start; i < parser->at && !(i > start && cxx_is(&parser->tokens[i], '(')); i++) {
            declaration->name = parser->tokens[i].kind == CXX_WORD ? i : declaration->name;
        }
    } else if (declaration->parameters == 0 && !reading->in_pointer) {
        declaration->parameters = start;
    }
}

/* A word of a declaration: annotations, the name. */
static void read_word(struct parser *parser, struct reading *reading)
{
    struct declaration *declaration = &reading->declaration;
    unsigned flags = flags_of(token(parser));
    if (flags) {
        declaration->flags |= flags;
        parser->at++;
        return;
    }
    if (is_word(parser, "operator")) {
        declaration->name = parser->at;
        reading->is_operator = true;
        skip_operator(parser);
        return;
    }
    bool has_pair = takes_parentheses(token(parser));
    if (!has_pair && declaration->parameters == 0 && !reading->has_equals && !reading->in_pointer) {
        reading->has_type |= declaration->name != SIZE_MAX && !cxx_is(token(parser) - 1, CXX_SCOPE);
        declaration->name = parser->at;
    }
    parser->at++;
    if (is(parser, '<') && !has_pair && !reading->has_equals) {
        skip_angles(parser);
    }
}

/* What an equals sign says of a function: `= default`. */
static void read_equals(struct parser *parser, struct reading *reading)
{
    reading->declaration.value = parser->at++;
    if (reading->declaration.parameters && (is_word(parser, "default") || is_word(parser, "delete"))) {
        reading->declaration.flags |= DECLARED_DEFAULTED;
    }
    reading->has_equals = true;
}

/* Whether what was read can only be the use of a macro that is unknown: `NAME` or `NAME(…)` without a type,
 * and before another declaration. */
static bool starts_declaration(const struct parser *parser, const struct reading *reading)
{
    static const char *const starts[] = {"namespace", "template", "using", "typedef", "static_assert", NULL};
    static const char *const after_macro[] = {
        "class",        "struct",          "union",    "enum",    "extern",    "static",     "inline",
        "const",        "friend",          "public",   "private", "constexpr", "__global__", "__device__",
        "__constant__", "__tile_global__", "__tile__", NULL};
    const struct declaration *declaration = &reading->declaration;
    const struct cxx_token *before = token(parser) - 1;
    if (reading->has_equals || parser->at == declaration->first || cxx_is(before, CXX_SCOPE) ||
        cxx_is_word(before, "extern")) {
        return false;
    }
    bool is_use =
        declaration->parameters && !reading->has_type && !reading->is_operator && cxx_is(before, ')');
    return is_use ? cxx_is_any_word(token(parser), starts) || cxx_is_any_word(token(parser), after_macro)
                  : declaration->parameters == 0 && cxx_is_any_word(token(parser), starts);
}

static bool is_class_key(const struct parser *parser)
{
    static const char *const keys[] = {"class", "struct", "union", NULL};
    return cxx_is_any_word(token(parser), keys);
}

/* A brace outside of initializers. True if the declaration ends with it. */
static bool read_brace(struct parser *parser, struct reading *reading)
{
    struct declaration *declaration = &reading->declaration;
    /* `int (*choose(int a))(int) {` */
    if (reading->in_pointer && !reading->has_equals && cxx_is(token(parser) - 1, ')')) {
        declaration->parameters = parser->at - 1;
    }
    if (declaration->parameters && !reading->has_equals) {
        read_body(parser, declaration);
        return true;
    }
    declaration->value = declaration->value || reading->is_enum ? declaration->value : parser->at;
    skip_pair(parser);
    return false;
}

/* Ends a declaration that has no class or function body. */
static void finish(struct parser *parser, struct reading *reading, bool is_other)
{
    struct declaration *declaration = &reading->declaration;
    declaration->end = declaration->body_end ? declaration->body_end : parser->at;
    if (declaration->end == declaration->first) {
        return;
    }
    bool is_function = declaration->parameters && !is_other;
    bool is_variable = declaration->name != SIZE_MAX && !is_other;
    declaration->kind = is_function   ? DECLARATION_FUNCTION
                        : is_variable ? DECLARATION_VARIABLE
                                      : DECLARATION_OTHER;
    if (is_function && reading->has_arrow && !reading->has_type && !declaration->body) {
        declaration->flags |= DECLARED_GUIDE;
    }
    add(parser, declaration);
}

/* What comes after a class's body: declarators, up to the semicolon. */
static void finish_class(struct parser *parser, size_t number)
{
    size_t body_end = parser->at;
    skip_statement(parser);
    if (number != SIZE_MAX) {
        struct declaration *declaration = &parser->declarations->items[number];
        declaration->body_end = body_end;
        declaration->end = parser->at;
    }
}

/* One part of a declaration of functions or variables. Whether the declaration ends with it. */
static bool read_part(struct parser *parser, struct reading *reading)
{
    struct declaration *declaration = &reading->declaration;
    bool after_parameters = declaration->parameters && !reading->has_equals;
    if (is(parser, ';')) {
        parser->at++;
        return true;
    }
    if (is(parser, '{')) {
        return read_brace(parser, reading);
    }
    if (is(parser, '(') && !reading->has_equals) {
        read_parentheses(parser, reading);
    } else if (is(parser, '(') || is(parser, '[')) {
        skip_pair(parser);
    } else if (is(parser, '=') && !reading->has_equals) {
        read_equals(parser, reading);
    } else if (declaration->parameters && is_word(parser, "requires")) {
        skip_requires(parser);
    } else if (after_parameters && is(parser, ':')) {
        declaration->initializers = parser->at;
        skip_initializers(parser);
    } else if (token(parser)->kind == CXX_WORD) {
        reading->is_enum |= is_word(parser, "enum") && !after_parameters && !reading->has_equals;
        read_word(parser, reading);
    } else {
        reading->has_arrow |= is(parser, CXX_ARROW);
        reading->has_type |= is(parser, '*') || is(parser, '&') || is(parser, CXX_AND);
        parser->at++;
    }
    return false;
}

/* A declaration of any other kind than those that a word tells. */
static void read_general(struct parser *parser, struct reading *reading)
{
    struct declaration *declaration = &reading->declaration;
    bool is_other = false;
    bool ends = false;
    while (!ends && parser->at < parser->end && !is(parser, '}') && !starts_declaration(parser, reading)) {
        bool is_type = declaration->parameters == 0 && !reading->has_equals && !reading->is_enum;
        size_t number = SIZE_MAX;
        enum class_use use =
            is_type && is_class_key(parser) ? read_class(parser, reading, &number) : CLASS_NAMED;
        if (use == CLASS_DEFINED) {
            finish_class(parser, number);
            return;
        }
        is_other |= use == CLASS_DECLARED;
        ends = parser->at < parser->end && read_part(parser, reading);
    }
    bool is_use = declaration->parameters && !reading->has_type && !declaration->body &&
                  !reading->is_operator && !(declaration->flags & DECLARED_MEMBER);
    is_other |= !ends || (is_use && !reading->has_arrow);
    is_other |= reading->is_enum && declaration->parameters == 0;
    is_other |= declaration->flags & (DECLARED_FRIEND | DECLARED_INSTANCE) && declaration->parameters == 0;
    finish(parser, reading, is_other);
}

static void read_namespace(struct parser *parser, struct declaration *declaration)
{
    declaration->kind = DECLARATION_NAMESPACE;
    declaration->flags |= DECLARED_UNNAMED;
    while (parser->at < parser->end && !is(parser, '{') && !is(parser, ';')) {
        if (is(parser, '[') || is(parser, '(')) {
            skip_pair(parser);
            continue;
        }
        if (token(parser)->kind == CXX_WORD && !is_word(parser, "namespace") && !is_word(parser, "inline") &&
            !takes_parentheses(token(parser))) {
            declaration->name = parser->at;
            declaration->flags &= ~(unsigned)DECLARED_UNNAMED;
        }
        parser->at++;
    }
    if (parser->at >= parser->end || is(parser, ';')) { /* an alias, or what is cut off */
        parser->at += parser->at < parser->end;
        declaration->kind = DECLARATION_OTHER;
        declaration->end = parser->at;
        add(parser, declaration);
        return;
    }
    declaration->body = parser->at;
    size_t number = add(parser, declaration);
    if (number != SIZE_MAX) {
        read_braces(parser, number, false);
        parser->declarations->items[number].end = parser->at;
        parser->declarations->items[number].body_end = parser->at;
    }
}

/* `extern "C" {`. */
static void read_linkage(struct parser *parser, struct declaration *declaration)
{
    parser->at += 2;
    declaration->kind = DECLARATION_NAMESPACE;
    declaration->flags |= DECLARED_UNNAMED;
    declaration->body = parser->at;
    size_t number = add(parser, declaration);
    if (number != SIZE_MAX) {
        read_braces(parser, number, false);
        parser->declarations->items[number].end = parser->at;
        parser->declarations->items[number].body_end = parser->at;
    }
}

static bool starts_namespace(const struct parser *parser)
{
    bool is_inline = is_word(parser, "inline");
    return cxx_is_word(token(parser) + is_inline, "namespace");
}

/* Declarations that are told by their first word, and are not looked at. */
static bool is_simple(const struct parser *parser)
{
    static const char *const words[] = {"using",   "typedef", "static_assert", "_Static_assert", "concept",
                                        "_Pragma", NULL};
    return cxx_is_any_word(token(parser), words);
}

static void read_simple(struct parser *parser, struct declaration *declaration)
{
    bool is_pragma = is_word(parser, "_Pragma");
    parser->at++;
    if (is_pragma && is(parser, '(')) {
        skip_pair(parser);
    } else if (!is_pragma) {
        skip_statement(parser);
    }
    declaration->end = parser->at;
    add(parser, declaration);
}

static bool skip_access(struct parser *parser)
{
    static const char *const words[] = {"public", "private", "protected", "signals", "slots", NULL};
    if (!cxx_is_any_word(token(parser), words) || !cxx_is(token(parser) + 1, ':')) {
        return false;
    }
    parser->at += 2;
    return true;
}

static void read_declaration(struct parser *parser, size_t parent, bool in_class)
{
    struct reading reading = {.declaration = {.first = parser->at, .parent = parent, .name = SIZE_MAX}};
    struct declaration *declaration = &reading.declaration;
    declaration->flags = (in_class ? DECLARED_MEMBER : 0) | read_template(parser);
    if (is_simple(parser)) {
        read_simple(parser, declaration);
    } else if (starts_namespace(parser)) {
        read_namespace(parser, declaration);
    } else if (is_word(parser, "extern") && token(parser)[1].kind == CXX_TEXT &&
               cxx_is(&token(parser)[2], '{')) {
        read_linkage(parser, declaration);
    } else {
        read_general(parser, &reading);
    }
}

/* Up to the brace that closes the scope, or the end. */
static void read_scope(struct parser *parser, size_t parent, bool in_class)
{
    while (parser->at < parser->end && !is(parser, '}')) {
        size_t start = parser->at;
        if (is(parser, ';')) {
            parser->at++;
        } else if (!in_class || !skip_access(parser)) {
            read_declaration(parser, parent, in_class);
        }
        parser->at += parser->at == start; /* whatever it is */
    }
}

cubinet_status declarations_read(const struct cxx_tokens *tokens, struct declarations *out_declarations)
{
    struct declarations declarations = {0};
    struct parser parser = {.tokens = tokens->items, .end = tokens->count - 1, .declarations = &declarations};
    while (parser.at < parser.end) {
        read_scope(&parser, SIZE_MAX, false);
        parser.at += parser.at < parser.end; /* a brace that closes nothing */
    }
    if (parser.status) {
        declarations_free(&declarations);
        return parser.status;
    }
    *out_declarations = declarations;
    return CUBINET_OK;
}

void declarations_free(struct declarations *declarations)
{
    free(declarations->items);
    *declarations = (struct declarations){0};
}

bool declaration_is_qualified(const struct cxx_token *tokens, const struct declaration *declaration)
{
    size_t name = declaration->name;
    if (name == SIZE_MAX || name <= declaration->first) {
        return false;
    }
    name -= cxx_is(&tokens[name - 1], '~');
    return name > declaration->first && cxx_is(&tokens[name - 1], CXX_SCOPE);
}

size_t declarations_innermost(const struct declarations *declarations, size_t token)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < declarations->count && declarations->items[i].first <= token; i++) {
        found = token < declarations->items[i].end ? i : found;
    }
    return found;
}
