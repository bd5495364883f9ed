/* SPDX-License-Identifier: Apache-2.0 */
#include "source/skeleton.h"

#include "loader/core/support/error.h"
#include "source/appliers.h"
#include "source/complex_type.h"
#include "source/skeleton_builder.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 }; /* of blocks in blocks */

static size_t read_statement(struct builder *builder, size_t at, size_t end);
static void read_expression(struct builder *builder, size_t at, size_t end);

/* The position after a call at the name of what is called, or after its template arguments; after the name if
 * it is neither. */
static size_t call_end(const struct cxx_token *tokens, size_t at, size_t end)
{
    size_t after = at + 1;
    if (after < end && cxx_is(&tokens[after], '<')) {
        after = declarations_skip_angles(tokens, after, end);
    }
    return after < end && cxx_is(&tokens[after], '(') ? declarations_skip_pair(tokens, after, end) : after;
}

/* Whether an applier is called with an object of a class whose operator() uses kernels. */
static bool is_handed_over(const struct cxx_token *tokens, size_t at, size_t end,
                           const struct skeleton_names *names)
{
    if (names->callables.count == 0 || !name_set_has(&names->appliers, &tokens[at])) {
        return false;
    }
    size_t last = call_end(tokens, at, end);
    for (size_t i = at + 1; i < last; i++) {
        if (name_set_has(&names->callables, &tokens[i])) {
            return true;
        }
    }
    return false;
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
    bool is_called = has_arguments || cxx_is(next, '(') || cxx_is(next, '{') || next->kind == CXX_WORD;
    return is_called &&
           (name_set_has(&names->functions, &tokens[at]) || is_handed_over(tokens, at, end, names));
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

/* Parameters of a lambda, as variables. */
static void read_parameters(struct builder *builder, size_t at, size_t end)
{
    size_t first = at;
    size_t name = SIZE_MAX;
    unsigned words = 0;
    for (; at <= end && !builder->status; at++) {
        if (at == end || is(builder, at, ',')) {
            if (words > 1 && !cxx_is_word(token(builder, first), "auto")) {
                builder_add_local(builder, &(struct local){first, name, name, name, false});
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

/* A block, from its opening brace to just after its closing one. */
static size_t read_block(struct builder *builder, size_t at, size_t end)
{
    size_t last = skip_pair(builder, at, end);
    if (builder->depth >= MAX_DEPTH) {
        return last;
    }
    builder->depth++;
    builder_add_text(builder, at, SKELETON_BRACE, "{");
    for (at++; at + 1 < last && !builder->status;) {
        at = read_statement(builder, at, last - 1);
    }
    builder_add_text(builder, last - 1, SKELETON_BRACE, "}");
    builder->depth--;
    return last;
}

/* A lambda's body as a block. Returns the position after it, or `at` + 1 if it is not a lambda. */
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
    builder_add_text(builder, at, SKELETON_BRACE, "{");
    if (parameters) {
        read_parameters(builder, parameters + 1, skip_pair(builder, parameters, end) - 1);
    }
    next = read_block(builder, next, end);
    builder_add_text(builder, next - 1, SKELETON_BRACE, "}");
    return next;
}

/* Whether something between two tokens uses kernels, or is handed to an applier by one. */
static bool has_uses(const struct builder *builder, size_t at, size_t end)
{
    for (; at < end; at++) {
        const struct cxx_token *here = token(builder, at);
        if (is_use(builder->tokens, at, end, builder->names) || name_set_has(&builder->lambdas, here) ||
            (builder->source->is_applier &&
             (name_set_has(&builder->names->appliers, here) || cxx_is_word(here, "operator")))) {
            return true;
        }
    }
    return false;
}

/* The next generic lambda that uses kernels; `end` if there is none. */
static size_t find_generic(struct builder *builder, size_t at, size_t end, size_t *out_body)
{
    const struct declaration *declaration = builder->source->declaration;
    struct generic_lambda *next = &builder->generic;
    if (next->from > at || next->at < at) {
        size_t body = 0;
        *next = (struct generic_lambda){at, at, 0};
        while (next->at < declaration->end) {
            bool is_lambda = starts_lambda(builder, next->at, declaration->first) &&
                             applier_is_generic_lambda(builder->tokens, next->at, declaration->end, &body);
            size_t last = is_lambda ? skip_pair(builder, body, declaration->end) : next->at + 1;
            if (is_lambda && has_uses(builder, body, last)) {
                next->body = body;
                break;
            }
            next->at = last;
        }
    }
    *out_body = next->body;
    return next->at < end ? next->at : end;
}

static void add_part(struct builder *builder, size_t group, size_t at, struct buffer *text,
                     const char *instead)
{
    size_t count = builder->skeleton->count;
    char *other = strdup(instead);
    builder_add(builder, at, SKELETON_USE, text, other);
    if (!builder->status) {
        builder->skeleton->pieces[count].group = group;
        builder->status = other ? CUBINET_OK : cbn_error_memory();
    }
}

/* An expression as it is, but for the bodies of its generic lambdas: these are skeletons. If it is refused,
 * they are blocks. The position after it; `at` if it has no such lambda. */
static size_t read_wrapped(struct builder *builder, size_t at, size_t start, size_t end)
{
    size_t body = 0;
    size_t lambda = find_generic(builder, start, end, &body);
    if (lambda >= end || builder->depth >= MAX_DEPTH) {
        return at;
    }
    const size_t group = ++builder->groups;
    const char *instead = "{";
    size_t place = at;
    builder->depth++;
    while (lambda < end && !builder->status) {
        struct buffer text = {0};
        builder_put(&text, builder, start, body);
        add_part(builder, group, place, &text, instead);
        start = read_block(builder, body, end);
        place = start;
        lambda = find_generic(builder, start, end, &body);
        instead = "} {";
    }
    builder->depth--;
    struct buffer text = {0};
    builder_put(&text, builder, start, end);
    buffer_puts(&text, ";");
    add_part(builder, group, place, &text, "}");
    return end;
}

/* A call with a generic lambda among its arguments, at the name of what is called. The position after it, or
 * `at`. */
static size_t read_wrapped_call(struct builder *builder, size_t at, size_t first, size_t end)
{
    size_t after = at + 1;
    if (after < end && is(builder, after, '<')) {
        after = declarations_skip_angles(builder->tokens, after, end);
    }
    size_t body = 0;
    if (after >= end || !is(builder, after, '(') || cxx_is_word(token(builder, at), "return") ||
        find_generic(builder, at, end, &body) >= end) {
        return at;
    }
    size_t start = builder_name_start(builder, at, first, true);
    size_t last = skip_pair(builder, after, end);
    return read_wrapped(builder, at, start, last) == at ? at : last;
}

/* Whether a call hands something to an applier that uses kernels. */
static bool hands_over(const struct builder *builder, size_t at, size_t end)
{
    if (!name_set_has(&builder->names->appliers, token(builder, at))) {
        return false;
    }
    bool found = builder->source->is_applier;
    size_t last = call_end(builder->tokens, at, end);
    for (size_t i = at + 1; i < last && !found; i++) {
        found = name_set_has(&builder->names->callables, token(builder, i)) ||
                name_set_has(&builder->lambdas, token(builder, i));
    }
    return found;
}

/* A word in an expression. The position after what was read of it. */
static size_t read_word(struct builder *builder, size_t at, size_t first, size_t end)
{
    const struct skeleton_names *names = builder->names;
    const struct cxx_token *here = token(builder, at);
    bool is_member = at > first && (is(builder, at - 1, '.') || is(builder, at - 1, CXX_ARROW));
    if (names->has_appliers) {
        size_t next = read_wrapped_call(builder, at, first, end);
        next = next > at ? next : builder_read_applied(builder, at, first, end);
        if (next > at) {
            return next;
        }
    }
    if (!is_member && name_set_has(&names->kernels, here)) {
        builder_read_kernel(builder, at, first, end);
    } else if (name_set_has(&names->functions, here) || hands_over(builder, at, end) ||
               (!is_member && is(builder, at + 1, '(') && name_set_has(&builder->lambdas, here))) {
        builder_read_call(builder, at, first, end);
    }
    return at + 1;
}

static void read_expression(struct builder *builder, size_t at, size_t end)
{
    size_t first = at;
    while (at < end && !builder->status) {
        if (starts_lambda(builder, at, first)) {
            at = read_lambda(builder, at, end);
        } else if (is(builder, at, '(') && at + 1 < end && is(builder, at + 1, '{')) {
            at = read_block(builder, at + 1, end); /* a statement as expression */
        } else if (token(builder, at)->kind == CXX_WORD) {
            at = read_word(builder, at, first, end);
        } else {
            at++;
        }
    }
}

/* The position after the semicolon that ends a statement. */
static size_t statement_end(const struct builder *builder, size_t at, size_t end)
{
    while (at < end && !is(builder, at, ';')) {
        bool opens = is(builder, at, '(') || is(builder, at, '{') || is(builder, at, '[');
        at = opens ? skip_pair(builder, at, end) : at + 1;
    }
    return at < end ? at + 1 : end;
}

/* The position after the type that a declaration starts with; `at` if it starts with none. */
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
        char complex[64];
        size_t next = has_name ? at : complex_type_name(builder->tokens, at, complex, sizeof(complex));
        if (next > at) {
            has_name = true;
            at = next;
            continue;
        }
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
        size_t after = at < end && is(builder, at, '<') && !builder_is_launch(builder, at, end)
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
    builder_put(&text, builder, start, end);
    buffer_puts(&text, ";");
    builder_add(builder, name, kind, &text, NULL);
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
        if (starts_lambda(builder, i, at) || builder_is_launch(builder, i, end) || is(builder, i, ';')) {
            return;
        }
    }
    if (is_use) {
        struct buffer text = {0};
        buffer_puts(&text, "(void)(");
        builder_put(&text, builder, at, end);
        buffer_puts(&text, ");");
        builder_add(builder, at, SKELETON_GUESS, &text, NULL);
    }
}

/* The position after the template arguments at `at`, as in `= f<a, b>`, `= C<a, b>(x)`; `at` if there are
 * none, as in `= a < b, c = d > e`. */
static size_t skip_arguments(const struct builder *builder, size_t at, size_t end)
{
    if (!is(builder, at, '<') || token(builder, at - 1)->kind != CXX_WORD) {
        return at;
    }
    size_t after = declarations_skip_angles(builder->tokens, at, end);
    bool is_name = after >= end || is(builder, after, '(') || is(builder, after, '{') ||
                   is(builder, after, ')') || is(builder, after, ',') || is(builder, after, ';') ||
                   is(builder, after, CXX_SCOPE);
    return is_name ? after : at;
}

static size_t declarator_end(const struct builder *builder, size_t at, size_t end)
{
    while (at < end && !is(builder, at, ',')) {
        bool opens = is(builder, at, '(') || is(builder, at, '{') || is(builder, at, '[');
        size_t after = opens ? skip_pair(builder, at, end) : skip_arguments(builder, at, end);
        at = after > at ? after : at + 1;
    }
    return at;
}

/* The position after a declarator's initializer, whose value is looked at. */
static size_t read_initializer(struct builder *builder, size_t at, size_t end)
{
    size_t last = declarator_end(builder, at, end);
    if (at < end && is(builder, at, '=')) {
        read_guess(builder, at + 1, last);
    }
    return last;
}

/* What variables become whose values are refused: references; NULL if their type is not told. */
static char *references_instead(const struct builder *builder, size_t at, size_t end)
{
    struct buffer text = {0};
    size_t type_end = skip_type(builder, at, end);
    if (type_end == at || builder_is_auto(builder, at, type_end)) {
        return NULL;
    }
    for (size_t i = type_end; i < end;) {
        size_t name = skip_pointers(builder, i, end);
        if (name >= end || token(builder, name)->kind != CXX_WORD ||
            !ends_declarator(builder, name + 1, end)) {
            buffer_free(&text);
            return NULL;
        }
        bool is_array = name + 1 < end && is(builder, name + 1, '[');
        builder_put_local(&text, builder, &(struct local){at, type_end, i, name, is_array});
        i = declarator_end(builder, name + 1, end) + 1;
    }
    return buffer_take(&text);
}

/* Whether a function is a member of a class of that name, which is a type in it. */
static bool is_own_class(const struct builder *builder, const struct cxx_token *class)
{
    const struct skeleton_source *source = builder->source;
    size_t name = source->declaration->name;
    if (source->class_name != SIZE_MAX || name == SIZE_MAX) {
        return source->class_name != SIZE_MAX && cxx_same(token(builder, source->class_name), class);
    }
    size_t at = builder_name_start(builder, name, source->declaration->first, false);
    while (at < name && !cxx_same(token(builder, at), class)) {
        at++;
    }
    return at < name;
}

/* Whether a type is a class template, whose arguments the value tells: `Tensor a = make_tensor(p);`. */
static bool is_deduced(const struct builder *builder, size_t type_end, size_t at, size_t end)
{
    const struct cxx_token *last = token(builder, type_end - 1);
    bool has_value = at < end && (is(builder, at, '=') || is(builder, at, '(') || is(builder, at, '{'));
    return has_value && declarator_end(builder, at, end) == end &&
           name_set_has(&builder->names->templates, last) && !is_own_class(builder, last);
}

/* Adds a variable of such a type as it is. If that is refused, the type was another of that name. */
static void add_deduced(struct builder *builder, size_t start, size_t name, size_t end)
{
    struct buffer text = {0};
    builder_put(&text, builder, start, end);
    buffer_puts(&text, ";");
    builder_add(builder, name, SKELETON_LOCAL, &text, references_instead(builder, start, end));
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
        if (name < end && is(builder, name, '[') && builder_is_auto(builder, start, type_end)) {
            add_whole(builder, start, name + 1, end, SKELETON_LOCAL); /* `auto [a, b] = …` */
            return true;
        }
        if (name >= end || token(builder, name)->kind != CXX_WORD || !ends_declarator(builder, at, end)) {
            return found;
        }
        found = true;
        if (builder_is_auto(builder, start, type_end)) {
            add_whole(builder, start, name, end, SKELETON_LOCAL);
            read_initializer(builder, at, end);
            return true;
        }
        bool is_array = at < end && is(builder, at, '[');
        const struct local local = {start, type_end, pointers, name, is_array};
        if (name == type_end && is_deduced(builder, type_end, at, end)) {
            add_deduced(builder, start, name, end);
            read_initializer(builder, at, end);
            return true;
        }
        bool is_object =
            pointers == name && skeleton_is_users_class(builder->tokens, start, type_end, builder->names);
        at = is_object ? declarator_end(builder, at, end) : read_initializer(builder, at, end);
        if (is_object) {
            builder_add_object(builder, &local, at);
        } else {
            builder_add_local(builder, &local);
        }
        at++;
    }
    return found;
}

/* Whether a statement declares a type or a constant, which may be an argument of a template, or names a
 * namespace. */
static bool is_constant(const struct builder *builder, size_t at, size_t end)
{
    static const char *const kept[] = {"using", "typedef", "constexpr", "enum", "namespace", NULL};
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

/* `auto f = [&](auto x) { … }`, of which the type was read: to call it is a use. */
static bool read_named_lambda(struct builder *builder, size_t at, size_t type_end, size_t end)
{
    size_t name = skip_pointers(builder, type_end, end);
    if (!builder->names->has_appliers || type_end == at || name + 2 >= end ||
        !builder_is_auto(builder, at, type_end) || !is(builder, name + 1, '=') ||
        !is(builder, name + 2, '[') || read_wrapped(builder, at, at, end) == at) {
        return false;
    }
    if (!builder->status) {
        builder->status = name_set_add(&builder->lambdas, token(builder, name));
    }
    builder->generic.from = SIZE_MAX;
    return true;
}

/* A class that is defined in a function, from its first word on. False if it is none. */
static bool read_class(struct builder *builder, size_t at, size_t end)
{
    static const char *const words[] = {"struct", "class", "union", NULL};
    size_t name = SIZE_MAX;
    size_t next = at;
    if (!cxx_is_any_word(token(builder, at), words)) {
        return false;
    }
    for (next++; next < end && !is(builder, next, '{'); next++) {
        if (is(builder, next, '=') || is(builder, next, '(') || is(builder, next, ';')) {
            return false;
        }
        name = name == SIZE_MAX && token(builder, next)->kind == CXX_WORD ? next : name;
    }
    size_t after = next < end ? skip_pair(builder, next, end) : end;
    if (next >= end || (name == SIZE_MAX && after >= end)) {
        return false;
    }
    add_whole(builder, at, name == SIZE_MAX ? after : name, end,
              has_uses(builder, next, after) ? SKELETON_USE : SKELETON_LOCAL);
    return true;
}

/* A statement that is an expression or a declaration, without its semicolon. */
static void read_simple(struct builder *builder, size_t at, size_t end)
{
    size_t type_end = skip_type(builder, at, end);
    if (read_named_lambda(builder, at, type_end, end) || (at < end && read_class(builder, at, end))) {
        return;
    }
    if (is_constant(builder, at, end)) {
        struct buffer text = {0};
        builder_put(&text, builder, at, end);
        buffer_puts(&text, ";");
        size_t name = at + cxx_is_word(token(builder, at), "namespace"); /* it goes if none uses it */
        builder_add(builder, name, SKELETON_LOCAL, &text, references_instead(builder, at, end));
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
    builder_add_text(builder, after - 1, SKELETON_BRACE, "}");
}

/* `if constexpr (…) … else …`, which decides what instances there are. */
static size_t read_constexpr_if(struct builder *builder, size_t at, size_t end)
{
    size_t condition_end = skip_pair(builder, at + 2, end);
    struct buffer text = {0};
    builder_put(&text, builder, at, condition_end);
    buffer_puts(&text, " {");
    builder_add(builder, at, SKELETON_BRACE, &text, NULL);
    builder->depth++;
    at = read_statement(builder, condition_end, end);
    close_block(builder, at);
    if (is_word(builder, at, end, "else")) {
        builder_add_text(builder, at, SKELETON_BRACE, "else {");
        at = read_statement(builder, at + 1, end);
        close_block(builder, at);
    }
    builder->depth--;
    return at;
}

/* Opens a block for `for (…)` and its like, and reads what is in the parentheses. The position after these; 0
 * without them. */
static size_t open_head(struct builder *builder, size_t at, size_t end)
{
    size_t open = at + 1;
    if (open >= end || !is(builder, open, '(')) {
        return 0;
    }
    size_t close = skip_pair(builder, open, end);
    builder_add_text(builder, at, SKELETON_BRACE, "{");
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

/* A label (`case 1:`, `default:`), or a _Pragma() before a statement; the same place if there is none. */
static size_t skip_label(const struct builder *builder, size_t at, size_t end)
{
    if (is_word(builder, at, end, "_Pragma") && is(builder, at + 1, '(')) {
        return skip_pair(builder, at + 1, end);
    }
    if (!is_word(builder, at, end, "case") && !is_word(builder, at, end, "default")) {
        return at;
    }
    while (at < end && !is(builder, at, ':') && !is(builder, at, ';')) {
        at++;
    }
    return at < end ? at + 1 : end;
}

/* Labels are a part of the statement that follows. */
static size_t skip_labels(const struct builder *builder, size_t at, size_t end)
{
    for (size_t next; (next = skip_label(builder, at, end)) > at;) {
        at = next;
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
    builder->first = declaration->first;
    if (declaration->value) {
        read_expression(builder, declaration->value, declaration->end);
    }
    if (skeleton_is_users_class(builder->tokens, declaration->first, declaration->name, builder->names)) {
        add_whole(builder, declaration->first, declaration->name, end, SKELETON_USE);
    } else if (declaration->value && is(builder, declaration->value, '=')) {
        read_guess(builder, declaration->value + 1, end);
    }
    builder_drop_unused(builder);
}

/* The names of an applier's parameters, which it may call. */
static void add_parameters(struct builder *builder, const struct declaration *function)
{
    for (size_t i = function->parameters + 1; i < function->body && !builder->status; i++) {
        const struct cxx_token *after = token(builder, i + 1);
        if (token(builder, i)->kind == CXX_WORD &&
            (cxx_is(after, ',') || cxx_is(after, ')') || cxx_is(after, '='))) {
            builder->status = name_set_add(&builder->lambdas, token(builder, i));
        }
    }
}

static void read_function(struct builder *builder, const struct declaration *function)
{
    builder->first = function->parameters;
    if (builder->source->is_applier) {
        add_parameters(builder, function);
    }
    read_expression(builder, uses_start(function), function->body);
    for (size_t at = function->body + 1; at + 1 < function->body_end && !builder->status;) {
        at = read_statement(builder, at, function->body_end - 1);
    }
    builder_drop_unused(builder);
    move_into_body(builder->skeleton, function->body);
}

cubinet_status skeleton_read(const struct skeleton_source *source, const struct skeleton_names *names,
                             struct skeleton *out_skeleton)
{
    struct skeleton skeleton = {0};
    struct builder builder = {.tokens = source->tokens,
                              .names = names,
                              .source = source,
                              .skeleton = &skeleton,
                              .generic = {.from = SIZE_MAX}};
    if (source->declaration->kind == DECLARATION_VARIABLE) {
        read_variable(&builder, source->declaration);
    } else {
        read_function(&builder, source->declaration);
    }
    name_set_free(&builder.lambdas);
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
