/* SPDX-License-Identifier: Apache-2.0 */
#include "source/skeleton.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 }; /* of blocks in blocks */

struct builder {
    const struct cxx_token *tokens;
    const struct skeleton_names *names;
    struct skeleton *skeleton;
    size_t first; /* of the function's parameters, or of the variable */
    unsigned depth;
    cubinet_status status;
};

static size_t read_statement(struct builder *builder, size_t at, size_t end);
static void read_expression(struct builder *builder, size_t at, size_t end);

static const struct cxx_token *token(const struct builder *builder, size_t at)
{
    return &builder->tokens[at];
}

static bool is(const struct builder *builder, size_t at, int sign)
{
    return cxx_is(&builder->tokens[at], sign);
}

static size_t skip_pair(const struct builder *builder, size_t at, size_t end)
{
    return declarations_skip_pair(builder->tokens, at, end);
}

/* Takes the text of the buffer over. */
static void add_piece(struct builder *builder, size_t at, enum skeleton_kind kind, struct buffer *text,
                      char *instead)
{
    struct skeleton *skeleton = builder->skeleton;
    struct skeleton_piece *pieces = array_grow(skeleton->pieces, skeleton->count, sizeof(*pieces));
    char *data = buffer_take(text);
    if (!pieces || !data) {
        skeleton->pieces = pieces ? pieces : skeleton->pieces;
        free(data);
        free(instead);
        builder->status = cbn_error_memory();
        return;
    }
    skeleton->pieces = pieces;
    pieces[skeleton->count] = (struct skeleton_piece){at, skeleton->count, kind, data, instead, false, false};
    skeleton->count++;
}

static void add_text(struct builder *builder, size_t at, enum skeleton_kind kind, const char *text)
{
    struct buffer buffer = {0};
    buffer_puts(&buffer, text);
    add_piece(builder, at, kind, &buffer, NULL);
}

/* Tokens as text, with white space where it was, and where words would run together. */
static void put_tokens(struct buffer *buffer, const struct builder *builder, size_t at, size_t end)
{
    for (; at < end; at++) {
        const struct cxx_token *token = &builder->tokens[at];
        bool words = token->kind != CXX_SIGN && buffer->size > 0 &&
                     !strchr(" (<,[{:.", buffer->data[buffer->size - 1]);
        if (words || !cxx_is_glued(token)) {
            buffer_puts(buffer, " ");
        }
        for (uint32_t i = 0; i < token->size;
             i++) { /* a piece is on one line; what strings say does not matter */
            buffer_append(buffer, token->text[i] == '\n' ? " " : &token->text[i], 1);
        }
    }
}

static bool is_launch(const struct builder *builder, size_t at, size_t end)
{
    return at + 3 < end && is(builder, at, '<') && is(builder, at + 1, '<') && is(builder, at + 2, '<') &&
           cxx_is_glued(token(builder, at + 1)) && cxx_is_glued(token(builder, at + 2));
}

/* Behind the >>> of the configuration that starts at `at`; `end` if there is none. */
static size_t skip_configuration(const struct builder *builder, size_t at, size_t end)
{
    at += 3;
    while (at + 2 < end) {
        if (is(builder, at, '(') || is(builder, at, '{') || is(builder, at, '[')) {
            at = skip_pair(builder, at, end);
        } else if (is(builder, at, '>') && is(builder, at + 1, '>') && is(builder, at + 2, '>')) {
            return at + 3;
        } else {
            at++;
        }
    }
    return end;
}

/* The bracket that the one before `at` closes; `first` if it is not there. */
static size_t pair_start(const struct builder *builder, size_t at, size_t first, int open, int close)
{
    unsigned depth = 0;
    do {
        at--;
        depth += is(builder, at, close);
        depth -= is(builder, at, open);
    } while (at > first && depth > 0);
    return at;
}

/* Where the object starts of which a member is selected, before the `.` at `at`: `a`, `a.b`, `f(x)`, `(a *
 * b)`, `a[i]`. */
static size_t object_start(const struct builder *builder, size_t at, size_t first)
{
    while (at > first && (is(builder, at - 1, ')') || is(builder, at - 1, ']'))) {
        bool is_call = is(builder, at - 1, ')');
        at = pair_start(builder, at, first, is_call ? '(' : '[', is_call ? ')' : ']');
    }
    if (at > first && is(builder, at - 1, '}')) {
        at = pair_start(builder, at, first, '{', '}');
    }
    if (at > first + 1 && is(builder, at - 1, '>')) { /* `f<T>(x)`, `C<T>(x)` */
        size_t before = pair_start(builder, at, first, '<', '>');
        at = before > first && token(builder, before - 1)->kind == CXX_WORD ? before : at;
    }
    return at > first && token(builder, at - 1)->kind == CXX_WORD ? at - 1 : at;
}

/* Where a qualified name starts, of which `at` is the last word: `a::b<c>::` before it, and with `members`
 * also `a.b->`. */
static size_t name_start(const struct builder *builder, size_t at, size_t first, bool members)
{
    while (at > first) {
        at -= cxx_is_word(token(builder, at - 1), "template"); /* `a.template f<T>()` */
        bool scopes = is(builder, at - 1, CXX_SCOPE);
        bool selects = members && (is(builder, at - 1, '.') || is(builder, at - 1, CXX_ARROW));
        size_t before = at - 1;
        if (selects) {
            at = object_start(builder, before, first);
        } else if (scopes && before > first) {
            before = is(builder, before - 1, '>') ? pair_start(builder, before, first, '<', '>') : before;
            bool has_word = before > first && token(builder, before - 1)->kind == CXX_WORD;
            if (!has_word) {
                return at - 1; /* `::name` */
            }
            at = before - 1;
        } else {
            return scopes ? at - 1 : at;
        }
    }
    return at;
}

/* Ends the text of a use. One of a pack, as in `(f<I>(x), ...)`, is one for each of the pack. */
static char *end_use(const struct builder *builder, size_t after, size_t end, struct buffer *text)
{
    bool is_pack = after + 1 < end && is(builder, after, ',') && is(builder, after + 1, CXX_DOTS);
    struct buffer whole = {0};
    buffer_printf(&whole, is_pack ? "(%s, ...);" : "%s;", text->data ? text->data : "");
    buffer_free(text);
    return buffer_take(&whole);
}

static void add_use(struct builder *builder, size_t at, char *text, char *instead)
{
    struct buffer buffer = {0};
    buffer_puts(&buffer, text ? text : "");
    buffer.failed |= !text;
    free(text);
    add_piece(builder, at, SKELETON_USE, &buffer, instead);
}

/* A use of a kernel: `k<T><<<…>>>(x)`, `(k<T>)<<<…>>>(x)`, `&k<T>`. */
static void read_kernel(struct builder *builder, size_t at, size_t first, size_t end)
{
    size_t start = name_start(builder, at, first, false);
    size_t angles = at + 1;
    size_t after = is(builder, angles, '<') && !is_launch(builder, angles, end)
                       ? declarations_skip_angles(builder->tokens, angles, end)
                       : angles;
    bool has_arguments = after > angles;
    if (has_arguments && after < end && token(builder, after)->kind != CXX_SIGN) {
        return; /* `k < a && b > 2`, of a variable */
    }
    size_t launch = is(builder, after, ')') ? after + 1 : after;
    size_t arguments = is_launch(builder, launch, end) ? skip_configuration(builder, launch, end) : end;
    size_t last = arguments < end && is(builder, arguments, '(') ? skip_pair(builder, arguments, end) : after;
    struct buffer text = {0};
    char *alone = NULL;
    if (has_arguments) {
        buffer_puts(&text, "(void)&");
        put_tokens(&text, builder, start, after);
        alone = end_use(builder, last, end, &text);
    }
    if (last > after) {
        put_tokens(&text, builder, start, after);
        buffer_puts(&text, "<<<1, 1>>>");
        put_tokens(&text, builder, arguments, last);
        add_use(builder, at, end_use(builder, last, end, &text), alone);
    } else if (alone) {
        add_use(builder, at, alone, NULL);
    }
}

/* A use of a function that uses kernels: `f<T>(x)`, `a.f(x)`, `&f<T>`. */
static void read_call(struct builder *builder, size_t at, size_t first, size_t end)
{
    size_t start = name_start(builder, at, first, true);
    size_t after = is(builder, at + 1, '<') ? declarations_skip_angles(builder->tokens, at + 1, end) : at + 1;
    bool is_call = after < end && is(builder, after, '(');
    bool is_member = start < at && !is(builder, at - 1, CXX_SCOPE);
    size_t last = is_call ? skip_pair(builder, after, end) : after;
    struct buffer text = {0};
    char *alone = NULL;
    if (after > at + 1 && !is_member) {
        buffer_puts(&text, "(void)&");
        put_tokens(&text, builder, start, after);
        alone = end_use(builder, last, end, &text);
    }
    if (is_call) {
        put_tokens(&text, builder, start, last);
        add_use(builder, at, end_use(builder, last, end, &text), alone);
        return;
    }
    bool is_value = after >= end || is(builder, after, ',') || is(builder, after, '}') ||
                    is(builder, after, ')') || is(builder, after, ';') || is(builder, after, ':');
    if (alone && is_value) { /* as in a table of functions */
        add_use(builder, at, alone, NULL);
    } else {
        free(alone);
    }
}

/* Whether a bracket starts a lambda: nothing that can be indexed is before it. */
static bool starts_lambda(const struct builder *builder, size_t at, size_t first)
{
    if (!is(builder, at, '[') || at == first) {
        return is(builder, at, '[');
    }
    const struct cxx_token *before = token(builder, at - 1);
    return before->kind == CXX_SIGN ? !cxx_is(before, ')') && !cxx_is(before, ']') && !cxx_is(before, '[')
                                    : cxx_is_word(before, "return");
}

/* A variable that is declared: its type is in two places, as in `const T a, *b`. */
struct local {
    size_t type;
    size_t type_end;
    size_t pointers; /* up to the name */
    size_t name;
    bool is_array;
};

static void put_type(struct buffer *type, const struct builder *builder, size_t at, size_t end)
{
    static const char *const left_out[] = {"static", "register", "thread_local", "extern", "constexpr", NULL};
    for (; at < end; at++) {
        const struct cxx_token *here = token(builder, at);
        if (!cxx_is_any_word(here, left_out) && !cxx_is(here, '&') && !cxx_is(here, CXX_AND)) {
            put_tokens(type, builder, at, at + 1);
        }
    }
}

/* A reference to nothing of that type. */
static void put_local(struct buffer *text, const struct builder *builder, const struct local *local)
{
    struct buffer type = {0};
    const struct cxx_token *name = token(builder, local->name);
    put_type(&type, builder, local->type, local->type_end);
    put_type(&type, builder, local->pointers, local->name);
    buffer_puts(&type, local->is_array ? " *" : " ");
    buffer_printf(text, "%s&%.*s = cubinet_any<%s>();", type.data ? type.data : "", (int)name->size,
                  name->text, type.data ? type.data : "");
    text->failed |= type.failed;
    buffer_free(&type);
}

static void add_local(struct builder *builder, const struct local *local)
{
    struct buffer text = {0};
    put_local(&text, builder, local);
    add_piece(builder, local->name, SKELETON_LOCAL, &text, NULL);
}

/* A variable whose constructor uses kernels, as it is. `end`: of its declarator. */
static void add_object(struct builder *builder, const struct local *local, size_t end)
{
    struct buffer text = {0};
    struct buffer instead = {0};
    put_type(&text, builder, local->type, local->type_end);
    put_tokens(&text, builder, local->name, end);
    buffer_puts(&text, ";");
    put_local(&instead, builder, local);
    add_piece(builder, local->name, SKELETON_USE, &text, buffer_take(&instead));
}

/* Parameters of a lambda, as variables. */
static void read_parameters(struct builder *builder, size_t at, size_t end)
{
    size_t first = at;
    size_t name = SIZE_MAX;
    unsigned words = 0;
    for (; at <= end && !builder->status; at++) {
        if (at == end || is(builder, at, ',')) {
            if (words > 1 && !cxx_is_word(token(builder, first), "auto")) {
                add_local(builder, &(struct local){first, name, name, name, false});
            }
            first = at + 1;
            words = 0;
        } else if (is(builder, at, '<')) {
            size_t after = declarations_skip_angles(builder->tokens, at, end);
            at = after > at ? after - 1 : at;
        } else if (is(builder, at, '(') || is(builder, at, '{') || is(builder, at, '[')) {
            at = skip_pair(builder, at, end) - 1;
        } else if (token(builder, at)->kind == CXX_WORD) {
            words++;
            name = at;
        }
    }
}

/* A block, from its opening brace to behind its closing one. */
static size_t read_block(struct builder *builder, size_t at, size_t end)
{
    size_t last = skip_pair(builder, at, end);
    if (builder->depth >= MAX_DEPTH) {
        return last;
    }
    builder->depth++;
    add_text(builder, at, SKELETON_BRACE, "{");
    for (at++; at + 1 < last && !builder->status;) {
        at = read_statement(builder, at, last - 1);
    }
    add_text(builder, last - 1, SKELETON_BRACE, "}");
    builder->depth--;
    return last;
}

/* A lambda's body as a block. Behind it, or `at` + 1 if it is no lambda. */
static size_t read_lambda(struct builder *builder, size_t at, size_t end)
{
    size_t next = skip_pair(builder, at, end);
    size_t parameters = 0;
    if (next < end && is(builder, next, '<')) {
        next = declarations_skip_angles(builder->tokens, next, end);
    }
    if (next < end && is(builder, next, '(')) {
        parameters = next;
        next = skip_pair(builder, next, end);
    }
    while (next < end && !is(builder, next, '{') && !is(builder, next, ';') && !is(builder, next, ',') &&
           !is(builder, next, ')')) {
        next++;
    }
    if (next >= end || !is(builder, next, '{')) {
        return at + 1;
    }
    add_text(builder, at, SKELETON_BRACE, "{");
    if (parameters) {
        read_parameters(builder, parameters + 1, skip_pair(builder, parameters, end) - 1);
    }
    next = read_block(builder, next, end);
    add_text(builder, next - 1, SKELETON_BRACE, "}");
    return next;
}

static void read_expression(struct builder *builder, size_t at, size_t end)
{
    size_t first = at;
    while (at < end && !builder->status) {
        const struct cxx_token *here = token(builder, at);
        bool is_member = at > first && (is(builder, at - 1, '.') || is(builder, at - 1, CXX_ARROW));
        if (starts_lambda(builder, at, first)) {
            at = read_lambda(builder, at, end);
            continue;
        }
        if (cxx_is(here, '(') && at + 1 < end && is(builder, at + 1, '{')) { /* a statement as expression */
            at = read_block(builder, at + 1, end);
            continue;
        }
        if (here->kind == CXX_WORD && !is_member && name_set_has(&builder->names->kernels, here)) {
            read_kernel(builder, at, first, end);
        } else if (here->kind == CXX_WORD && name_set_has(&builder->names->functions, here)) {
            read_call(builder, at, first, end);
        }
        at++;
    }
}

/* Behind the semicolon that ends a statement. */
static size_t statement_end(const struct builder *builder, size_t at, size_t end)
{
    while (at < end && !is(builder, at, ';')) {
        bool opens = is(builder, at, '(') || is(builder, at, '{') || is(builder, at, '[');
        at = opens ? skip_pair(builder, at, end) : at + 1;
    }
    return at < end ? at + 1 : end;
}

/* Behind the type that a declaration starts with; `at` if it starts with none. */
static size_t skip_type(const struct builder *builder, size_t at, size_t end)
{
    static const char *const qualifiers[] = {"const",    "volatile", "static", "constexpr",    "register",
                                             "unsigned", "signed",   "long",   "thread_local", "short",
                                             "typename", "struct",   "class",  "enum",         NULL};
    static const char *const builtin[] = {"unsigned", "signed", "long", "short", NULL};
    static const char *const no_types[] = {"return", "throw",    "delete",    "new",    "goto",
                                           "break",  "continue", "co_return", "sizeof", "this",
                                           "case",   "default",  NULL};
    bool has_name = false;
    size_t start = at;
    while (at < end && token(builder, at)->kind == CXX_WORD) {
        if (cxx_is_any_word(token(builder, at), qualifiers)) {
            has_name |= cxx_is_any_word(token(builder, at), builtin);
            at++;
            continue;
        }
        if (has_name || cxx_is_any_word(token(builder, at), no_types)) {
            static const char *const last[] = {"int", "double", "char", NULL};
            at += has_name && cxx_is_any_word(token(builder, at), last);
            break;
        }
        has_name = true;
        at++;
        size_t after = at < end && is(builder, at, '<') && !is_launch(builder, at, end)
                           ? declarations_skip_angles(builder->tokens, at, end)
                           : at;
        at = after;
        if (at < end && is(builder, at, CXX_SCOPE)) {
            has_name = false;
            at++;
        }
    }
    return has_name ? at : start;
}

/* A declaration as it is, of the name at that token; not static, which would be made when it is reached. */
static void add_whole(struct builder *builder, size_t start, size_t name, size_t end, enum skeleton_kind kind)
{
    static const char *const storage[] = {"static", "thread_local", "inline", NULL};
    struct buffer text = {0};
    while (kind == SKELETON_USE && cxx_is_any_word(token(builder, start), storage)) {
        start++;
    }
    put_tokens(&text, builder, start, end);
    buffer_puts(&text, ";");
    add_piece(builder, name, kind, &text, NULL);
}

bool skeleton_is_users_class(const struct cxx_token *tokens, size_t type, size_t type_end,
                             const struct skeleton_names *names)
{
    for (size_t i = type; i < type_end; i++) {
        if (cxx_is(&tokens[i], '<')) {
            return false;
        }
        bool is_last = i + 1 == type_end || cxx_is(&tokens[i + 1], '<');
        if (is_last && name_set_has(&names->functions, &tokens[i])) {
            return true;
        }
    }
    return false;
}

static bool ends_declarator(const struct builder *builder, size_t at, size_t end)
{
    return at == end || is(builder, at, '=') || is(builder, at, ',') || is(builder, at, '(') ||
           is(builder, at, '{') || is(builder, at, '[') || is(builder, at, ':');
}

static size_t skip_pointers(const struct builder *builder, size_t at, size_t end)
{
    static const char *const qualifiers[] = {"const", "__restrict__", "__restrict", "volatile", NULL};
    while (at < end && (is(builder, at, '*') || is(builder, at, '&') || is(builder, at, CXX_AND) ||
                        cxx_is_any_word(token(builder, at), qualifiers))) {
        at++;
    }
    return at;
}

unsigned char skeleton_operator(const struct cxx_token *tokens, size_t at)
{
    const struct cxx_token *here = &tokens[at];
    if (here->kind != CXX_SIGN || !strchr("+-*/%^&|~!=<>[(", here->text[0]) || cxx_is(here, CXX_ARROW)) {
        return 0;
    }
    char sign = here->text[0];
    bool is_double = cxx_is(here + 1, sign) && cxx_is_glued(here + 1) && !cxx_is(here + 2, sign);
    return (unsigned char)(is_double && (sign == '<' || sign == '>') ? sign - '<' + 1 : sign);
}

/* Whether the word at a token is declared before it, in tokens from `first` on: `T a(`, `T &a,`. */
static bool is_variable(const struct cxx_token *tokens, size_t first, size_t at)
{
    for (size_t i = first + 1; i < at; i++) {
        const struct cxx_token *before = &tokens[i - 1];
        const struct cxx_token *after = &tokens[i + 1];
        if (cxx_same(&tokens[i], &tokens[at]) &&
            (before->kind == CXX_WORD || cxx_is(before, '>') || cxx_is(before, '&') ||
             cxx_is(before, CXX_AND)) &&
            (cxx_is(after, ';') || cxx_is(after, '=') || cxx_is(after, '(') || cxx_is(after, '{') ||
             cxx_is(after, ',') || cxx_is(after, ')'))) {
            return true;
        }
    }
    return false;
}

/* Whether the sign at a token may call an operator that uses kernels. `first`: of the function's parameters.
 */
static bool is_operator_use(const struct cxx_token *tokens, size_t at, size_t first,
                            const struct skeleton_names *names)
{
    unsigned char sign = skeleton_operator(tokens, at);
    const struct cxx_token *before = &tokens[at - 1];
    bool is_operand =
        before->kind == CXX_WORD || cxx_is(before, ')') || cxx_is(before, ']') || cxx_is(before, '}');
    if (!sign || !names->operators[sign] || at == first) {
        return false;
    }
    switch (sign) {
    case '(':
        return before->kind == CXX_WORD ? is_variable(tokens, first, at - 1) : is_operand;
    case '[':
        return is_operand;
    case '=':
        return is_operand && !(before->kind == CXX_WORD && at >= 2 && tokens[at - 2].kind == CXX_WORD);
    default:
        return true;
    }
}

/* An expression that may call such an operator, if it is one that can stand by itself. */
static void read_guess(struct builder *builder, size_t at, size_t end)
{
    bool is_use = false;
    at += at < end && cxx_is_word(token(builder, at), "return");
    for (size_t i = at; i < end; i++) {
        is_use |= is_operator_use(builder->tokens, i, builder->first, builder->names);
        if (starts_lambda(builder, i, at) || is_launch(builder, i, end) || is(builder, i, ';')) {
            return;
        }
    }
    if (is_use) {
        struct buffer text = {0};
        buffer_puts(&text, "(void)(");
        put_tokens(&text, builder, at, end);
        buffer_puts(&text, ");");
        add_piece(builder, at, SKELETON_GUESS, &text, NULL);
    }
}

static size_t declarator_end(const struct builder *builder, size_t at, size_t end)
{
    while (at < end && !is(builder, at, ',')) {
        bool opens = is(builder, at, '(') || is(builder, at, '{') || is(builder, at, '[');
        at = opens ? skip_pair(builder, at, end) : at + 1;
    }
    return at;
}

/* Behind a declarator's initializer, whose value is looked at. */
static size_t read_initializer(struct builder *builder, size_t at, size_t end)
{
    size_t last = declarator_end(builder, at, end);
    if (at < end && is(builder, at, '=')) {
        read_guess(builder, at + 1, last);
    }
    return last;
}

/* `T *a = x, b[2]`, of which the type was read. Whether it declares anything. */
static bool read_declarators(struct builder *builder, size_t start, size_t type_end, size_t end)
{
    bool found = false;
    size_t at = type_end;
    while (at < end && !builder->status) {
        size_t pointers = at;
        size_t name = skip_pointers(builder, at, end);
        at = name + 1;
        if (name < end && is(builder, name, '[') && cxx_is_word(token(builder, type_end - 1), "auto")) {
            add_whole(builder, start, name + 1, end, SKELETON_LOCAL); /* `auto [a, b] = …` */
            return true;
        }
        if (name >= end || token(builder, name)->kind != CXX_WORD || !ends_declarator(builder, at, end)) {
            return found;
        }
        found = true;
        if (cxx_is_word(token(builder, type_end - 1), "auto")) {
            add_whole(builder, start, name, end, SKELETON_LOCAL);
            read_initializer(builder, at, end);
            return true;
        }
        bool is_array = at < end && is(builder, at, '[');
        const struct local local = {start, type_end, pointers, name, is_array};
        bool is_object =
            pointers == name && skeleton_is_users_class(builder->tokens, start, type_end, builder->names);
        at = is_object ? declarator_end(builder, at, end) : read_initializer(builder, at, end);
        if (is_object) {
            add_object(builder, &local, at);
        } else {
            add_local(builder, &local);
        }
        at++;
    }
    return found;
}

/* Whether a statement declares a type or a constant, which may be an argument of a template. */
static bool is_constant(const struct builder *builder, size_t at, size_t end)
{
    static const char *const kept[] = {"using", "typedef", "constexpr", NULL};
    at += at < end && cxx_is_word(token(builder, at), "static");
    if (at >= end || cxx_is_any_word(token(builder, at), kept)) {
        return at < end;
    }
    bool is_plain = cxx_is_word(token(builder, at), "const");
    for (; at < end && is_plain && !is(builder, at, '='); at++) {
        is_plain = token(builder, at)->kind == CXX_WORD || is(builder, at, CXX_SCOPE);
    }
    return is_plain && at < end;
}

/* A statement that is an expression or a declaration, without its semicolon. */
static void read_simple(struct builder *builder, size_t at, size_t end)
{
    size_t type_end = skip_type(builder, at, end);
    if (is_constant(builder, at, end)) {
        struct buffer text = {0};
        put_tokens(&text, builder, at, end);
        buffer_puts(&text, ";");
        add_piece(builder, at, SKELETON_LOCAL, &text, NULL);
    } else if (type_end == at || !read_declarators(builder, at, type_end, end)) {
        read_guess(builder, at, end);
    }
    read_expression(builder, at, end);
}

static bool is_word(const struct builder *builder, size_t at, size_t end, const char *word)
{
    return at < end && cxx_is_word(token(builder, at), word);
}

static void close_block(struct builder *builder, size_t after)
{
    add_text(builder, after - 1, SKELETON_BRACE, "}");
}

/* `if constexpr (…) … else …`, which decides what instances there are. */
static size_t read_constexpr_if(struct builder *builder, size_t at, size_t end)
{
    size_t condition_end = skip_pair(builder, at + 2, end);
    struct buffer text = {0};
    put_tokens(&text, builder, at, condition_end);
    buffer_puts(&text, " {");
    add_piece(builder, at, SKELETON_BRACE, &text, NULL);
    builder->depth++;
    at = read_statement(builder, condition_end, end);
    close_block(builder, at);
    if (is_word(builder, at, end, "else")) {
        add_text(builder, at, SKELETON_BRACE, "else {");
        at = read_statement(builder, at + 1, end);
        close_block(builder, at);
    }
    builder->depth--;
    return at;
}

/* Opens a block for `for (…)` and its like, and reads what is in the parentheses. Behind these; 0 without
 * them. */
static size_t open_head(struct builder *builder, size_t at, size_t end)
{
    size_t open = at + 1;
    if (open >= end || !is(builder, open, '(')) {
        return 0;
    }
    size_t close = skip_pair(builder, open, end);
    add_text(builder, at, SKELETON_BRACE, "{");
    for (size_t i = open + 1; i + 1 < close;) {
        size_t next = statement_end(builder, i, close - 1);
        read_simple(builder, i, is(builder, next - 1, ';') ? next - 1 : next);
        i = next;
    }
    return close;
}

/* `for (…) …` and its like: a block of what is in the parentheses and of the statement. */
static size_t read_head(struct builder *builder, size_t at, size_t end)
{
    size_t close = open_head(builder, at, end);
    if (!close) {
        return at + 1;
    }
    at = read_statement(builder, close, end);
    close_block(builder, at);
    return at;
}

static bool is_constexpr_if(const struct builder *builder, size_t at, size_t end)
{
    return is_word(builder, at, end, "if") && is_word(builder, at + 1, end, "constexpr") && at + 2 < end &&
           is(builder, at + 2, '(');
}

/* `if (…) … else if (…) … else …`. What a condition declares is known in all that follows it. */
static size_t read_if(struct builder *builder, size_t at, size_t end)
{
    unsigned open = 0;
    bool goes_on = true;
    while (goes_on && !builder->status) {
        size_t close = open_head(builder, at, end);
        if (!close) {
            at++;
            break;
        }
        open++;
        builder->depth++;
        at = read_statement(builder, close, end);
        goes_on = false;
        if (is_word(builder, at, end, "else")) {
            at++;
            goes_on = is_word(builder, at, end, "if") && !is_constexpr_if(builder, at, end);
            at = goes_on ? at : read_statement(builder, at, end);
        }
        if (goes_on && builder->depth > MAX_DEPTH / 2) { /* a long chain */
            close_block(builder, at);
            builder->depth--;
            open--;
        }
    }
    for (; open > 0; open--) {
        close_block(builder, at);
        builder->depth--;
    }
    return at;
}

/* `do … while (…);` */
static size_t read_do(struct builder *builder, size_t at, size_t end)
{
    builder->depth++;
    at = read_statement(builder, at + 1, end);
    builder->depth--;
    return is_word(builder, at, end, "while") ? statement_end(builder, at, end) : at;
}

/* `try { … } catch (…) { … }` */
static size_t read_try(struct builder *builder, size_t at, size_t end)
{
    builder->depth++;
    at = read_statement(builder, at + 1, end);
    while (is_word(builder, at, end, "catch")) {
        at = read_head(builder, at, end);
    }
    builder->depth--;
    return at;
}

/* `case 1: case 2:` and `default:`, of which the statement that follows is a part. */
static size_t skip_labels(const struct builder *builder, size_t at, size_t end)
{
    while (is_word(builder, at, end, "case") || is_word(builder, at, end, "default")) {
        while (at < end && !is(builder, at, ':') && !is(builder, at, ';')) {
            at++;
        }
        at = at < end ? at + 1 : end;
    }
    return at;
}

static size_t read_statement(struct builder *builder, size_t at, size_t end)
{
    static const char *const heads[] = {"for", "while", "switch", NULL};
    if (builder->depth >= MAX_DEPTH) {
        return end;
    }
    at = skip_labels(builder, at, end);
    if (at >= end) {
        return end;
    }
    const struct cxx_token *here = token(builder, at);
    if (cxx_is(here, '{')) {
        return read_block(builder, at, end);
    }
    if (is_constexpr_if(builder, at, end)) {
        return read_constexpr_if(builder, at, end);
    }
    if (cxx_is_word(here, "if")) {
        return read_if(builder, at, end);
    }
    if (cxx_is_word(here, "do")) {
        return read_do(builder, at, end);
    }
    if (cxx_is_any_word(here, heads)) {
        builder->depth++;
        size_t after = read_head(builder, at, end);
        builder->depth--;
        return after;
    }
    if (cxx_is_word(here, "try")) {
        return read_try(builder, at, end);
    }
    if (cxx_is_word(here, "else")) { /* of no `if` */
        return at + 1;
    }
    size_t next = statement_end(builder, at, end);
    read_simple(builder, at, next > at && is(builder, next - 1, ';') ? next - 1 : next);
    return next;
}

static bool is_in_word(char c)
{
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool mentions(const char *text, const struct cxx_token *word)
{
    for (const char *at = text; (at = memmem(at, strlen(at), word->text, word->size)); at++) {
        if ((at == text || !is_in_word(at[-1])) && !is_in_word(at[word->size])) {
            return true;
        }
    }
    return false;
}

/* Whether a piece behind this one has the name of the local, which stands where the piece does. Types and
 * constants stay in any case. */
static bool is_used(const struct builder *builder, size_t number)
{
    static const char *const kept[] = {"using", "typedef", "constexpr", "const", "static", NULL};
    const struct skeleton *skeleton = builder->skeleton;
    const struct cxx_token *name = token(builder, skeleton->pieces[number].token);
    bool is_kept = cxx_is_any_word(name, kept);
    for (size_t i = number + 1; i < skeleton->count && !is_kept; i++) {
        is_kept = !skeleton->pieces[i].is_dropped && mentions(skeleton->pieces[i].text, name);
    }
    return is_kept;
}

static void drop_unused(struct builder *builder)
{
    struct skeleton *skeleton = builder->skeleton;
    for (size_t i = skeleton->count; i > 0; i--) {
        struct skeleton_piece *piece = &skeleton->pieces[i - 1];
        piece->is_dropped = piece->kind == SKELETON_LOCAL && !is_used(builder, i - 1);
    }
}

/* In the order of the source; those of one place stay in theirs. */
static int compare_pieces(const void *left, const void *right)
{
    const struct skeleton_piece *one = left;
    const struct skeleton_piece *other = right;
    if (one->token != other->token) {
        return one->token < other->token ? -1 : 1;
    }
    return one->order < other->order ? -1 : one->order > other->order;
}

/* Where what may use kernels starts: a constructor's initializers, a body, a variable's value. */
static size_t uses_start(const struct declaration *declaration)
{
    return declaration->kind == DECLARATION_VARIABLE ? declaration->value
           : declaration->initializers               ? declaration->initializers
                                                     : declaration->body;
}

/* Whether a name is used as a kernel's or a function's: with arguments, launched, called, or as a type. */
static bool is_use(const struct cxx_token *tokens, size_t at, size_t end, const struct skeleton_names *names)
{
    if (at + 1 >= end || tokens[at].kind != CXX_WORD) {
        return false;
    }
    const struct cxx_token *next = &tokens[at + 1];
    bool has_arguments = cxx_is(next, '<');
    if (name_set_has(&names->kernels, &tokens[at])) {
        return has_arguments || (at + 2 < end && cxx_is(next, ')') && cxx_is(next + 1, '<'));
    }
    return (has_arguments || cxx_is(next, '(') || cxx_is(next, '{') || next->kind == CXX_WORD) &&
           name_set_has(&names->functions, &tokens[at]);
}

bool skeleton_is_needed(const struct cxx_token *tokens, const struct declaration *function,
                        const struct skeleton_names *names)
{
    size_t start = uses_start(function);
    size_t first = function->kind == DECLARATION_FUNCTION ? function->parameters : start;
    for (size_t i = start; i < function->end; i++) {
        if (is_use(tokens, i, function->end, names) || is_operator_use(tokens, i, first, names)) {
            return true;
        }
    }
    return false;
}

/* Uses in initializers are as good at the start of the body. */
static void move_into_body(struct skeleton *skeleton, size_t body)
{
    for (size_t i = 0; i < skeleton->count; i++) {
        size_t token = skeleton->pieces[i].token;
        skeleton->pieces[i].token = token < body ? body + 1 : token;
    }
}

/* A variable of the host's that is dropped: what makes it, or its value, may use kernels. */
static void read_variable(struct builder *builder, const struct declaration *declaration)
{
    size_t end = declaration->end - 1;
    if (skeleton_is_users_class(builder->tokens, declaration->first, declaration->name, builder->names)) {
        add_whole(builder, declaration->first, declaration->name, end, SKELETON_USE);
    } else if (declaration->value && is(builder, declaration->value, '=')) {
        read_guess(builder, declaration->value + 1, end);
    }
}

cubinet_status skeleton_read(const struct cxx_token *tokens, const struct declaration *declaration,
                             const struct skeleton_names *names, struct skeleton *out_skeleton)
{
    struct skeleton skeleton = {0};
    struct builder builder = {.tokens = tokens, .names = names, .skeleton = &skeleton};
    bool is_function = declaration->kind != DECLARATION_VARIABLE;
    size_t last = is_function ? declaration->body : declaration->end;
    builder.first = is_function ? declaration->parameters : declaration->first;
    if (is_function || declaration->value) {
        read_expression(&builder, uses_start(declaration), last);
    }
    if (!is_function) {
        read_variable(&builder, declaration);
    }
    for (size_t at = last + 1; is_function && at + 1 < declaration->body_end && !builder.status;) {
        at = read_statement(&builder, at, declaration->body_end - 1);
    }
    drop_unused(&builder);
    if (is_function) {
        move_into_body(&skeleton, declaration->body);
    }
    if (skeleton.count > 0) {
        qsort(skeleton.pieces, skeleton.count, sizeof(*skeleton.pieces), compare_pieces);
    }
    if (builder.status) {
        skeleton_free(&skeleton);
        return builder.status;
    }
    *out_skeleton = skeleton;
    return CUBINET_OK;
}

void skeleton_free(struct skeleton *skeleton)
{
    for (size_t i = 0; i < skeleton->count; i++) {
        free(skeleton->pieces[i].text);
        free(skeleton->pieces[i].instead);
    }
    free(skeleton->pieces);
    *skeleton = (struct skeleton){0};
}
