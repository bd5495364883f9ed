/* SPDX-License-Identifier: Apache-2.0 */
/* The uses of kernels in a skeleton: launches, and calls of what launches. */
#include "source/skeleton_builder.h"

#include "base/array.h"
#include "loader/core/support/error.h"
#include "source/complex_type.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_CALL = 4096 }; /* tokens: calls in calls are each taken whole */

/* Takes the text of the buffer over. */
void builder_add(struct builder *builder, size_t at, enum skeleton_kind kind, struct buffer *text,
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
    pieces[skeleton->count] = (struct skeleton_piece){
        .token = at, .order = skeleton->count, .kind = kind, .text = data, .instead = instead};
    skeleton->count++;
}

void builder_add_text(struct builder *builder, size_t at, enum skeleton_kind kind, const char *text)
{
    struct buffer buffer = {0};
    buffer_puts(&buffer, text);
    builder_add(builder, at, kind, &buffer, NULL);
}

/* Tokens as text, with white space where it was, and where words would run together. */
void builder_put(struct buffer *buffer, const struct builder *builder, size_t at, size_t end)
{
    for (; at < end; at++) {
        char complex[64];
        size_t next = at < end - 1 ? complex_type_name(builder->tokens, at, complex, sizeof(complex)) : at;
        if (next > at) {
            buffer_printf(buffer, " %s", complex);
            at = next - 1;
            continue;
        }
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

bool builder_is_launch(const struct builder *builder, size_t at, size_t end)
{
    return at + 3 < end && is(builder, at, '<') && is(builder, at + 1, '<') && is(builder, at + 2, '<') &&
           cxx_is_glued(token(builder, at + 1)) && cxx_is_glued(token(builder, at + 2));
}

/* The position after the >>> of the configuration that starts at `at`; `end` if there is none. */
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
size_t builder_name_start(const struct builder *builder, size_t at, size_t first, bool members)
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
    builder_add(builder, at, SKELETON_USE, &buffer, instead);
}

/* A use of a kernel: `k<T><<<…>>>(x)`, `(k<T>)<<<…>>>(x)`, `&k<T>`. */
void builder_read_kernel(struct builder *builder, size_t at, size_t first, size_t end)
{
    size_t start = builder_name_start(builder, at, first, false);
    size_t angles = at + 1;
    size_t after = is(builder, angles, '<') && !builder_is_launch(builder, angles, end)
                       ? declarations_skip_angles(builder->tokens, angles, end)
                       : angles;
    bool has_arguments = after > angles;
    if (has_arguments && after < end && token(builder, after)->kind != CXX_SIGN) {
        return; /* `k < a && b > 2`, of a variable */
    }
    size_t launch = is(builder, after, ')') ? after + 1 : after;
    size_t arguments =
        builder_is_launch(builder, launch, end) ? skip_configuration(builder, launch, end) : end;
    size_t last = arguments < end && is(builder, arguments, '(') ? skip_pair(builder, arguments, end) : after;
    struct buffer text = {0};
    char *alone = NULL;
    if (has_arguments) {
        buffer_puts(&text, "(void)&");
        builder_put(&text, builder, start, after);
        alone = end_use(builder, last, end, &text);
    }
    if (last > after) {
        builder_put(&text, builder, start, after);
        buffer_puts(&text, "<<<1, 1>>>");
        builder_put(&text, builder, arguments, last);
        add_use(builder, at, end_use(builder, last, end, &text), alone);
    } else if (alone) {
        add_use(builder, at, alone, NULL);
    }
}

/* The class whose member the function is, with its `::`. */
static void put_class(struct buffer *text, const struct builder *builder)
{
    const struct declaration *function = builder->source->declaration;
    size_t name = function->name;
    if (name != SIZE_MAX && name > function->first && is(builder, name - 1, CXX_SCOPE)) {
        builder_put(text, builder, builder_name_start(builder, name, function->first, false), name);
    } else if (builder->source->class_name != SIZE_MAX) {
        const struct cxx_token *class = token(builder, builder->source->class_name);
        buffer_printf(text, "%.*s::", (int)class->size, class->text);
    }
}

/* The address of a template's instance, `f<T>`; on the next line, as a member of the class. */
static char *addresses(const struct builder *builder, size_t start, size_t after, size_t last, size_t end)
{
    struct buffer text = {0};
    struct buffer both = {0};
    buffer_puts(&text, "(void)&");
    builder_put(&text, builder, start, after);
    char *alone = end_use(builder, last, end, &text);
    struct buffer class = {0};
    put_class(&class, builder);
    if (class.size > 0 && !is(builder, start + 1, CXX_SCOPE) && !is(builder, start, CXX_SCOPE)) {
        buffer_printf(&text, "(void)&%stemplate ", class.data);
        builder_put(&text, builder, start, after);
        char *member = end_use(builder, last, end, &text);
        buffer_printf(&both, "%s\n%s", alone ? alone : "", member ? member : "");
        both.failed |= !alone || !member;
        free(alone);
        free(member);
        alone = buffer_take(&both);
    }
    buffer_free(&class);
    return alone;
}

/* Adds a call, from `start` to `last`, with what it becomes if it is refused. An applier's result is what it
 * calls returns. */
static void add_call(struct builder *builder, size_t at, size_t start, size_t last, size_t first, size_t end,
                     char *alone)
{
    bool returns = builder->source->is_applier && start > first && last == end &&
                   cxx_is_word(token(builder, start - 1), "return");
    struct buffer text = {0};
    builder_put(&text, builder, start, last);
    char *call = end_use(builder, last, end, &text);
    if (returns) {
        struct buffer instead = {0};
        buffer_printf(&text, "return %s", call ? call : "");
        buffer_printf(&instead, "%s%s%s", call ? call : "", alone ? "\n" : "", alone ? alone : "");
        free(call);
        free(alone);
        call = buffer_take(&text);
        alone = buffer_take(&instead);
    }
    add_use(builder, at, call, alone);
}

/* Adds what addresses() told. Takes it over. */
static void add_alone(struct builder *builder, size_t at, char *alone)
{
    char *rest = strchr(alone, '\n');
    char *instead = rest ? strdup(rest + 1) : NULL;
    alone[strcspn(alone, "\n")] = '\0';
    add_use(builder, at, alone, instead);
}

/* A use of a function that uses kernels: `f<T>(x)`, `a.f(x)`, `&f<T>`. */
void builder_read_call(struct builder *builder, size_t at, size_t first, size_t end)
{
    size_t start = builder_name_start(builder, at, first, true);
    size_t after = is(builder, at + 1, '<') ? declarations_skip_angles(builder->tokens, at + 1, end) : at + 1;
    bool is_call = after < end && is(builder, after, '(');
    bool is_member = start < at && !is(builder, at - 1, CXX_SCOPE);
    char *alone = NULL;
    if (after > at + 1 && !is_member && !name_set_has(&builder->names->types, token(builder, at))) {
        alone = addresses(builder, start, after, is_call ? skip_pair(builder, after, end) : after, end);
    }
    size_t last = is_call ? skip_pair(builder, after, end) : after;
    bool ends = after >= end || is(builder, after, ',') || is(builder, after, '}') ||
                is(builder, after, ')') || is(builder, after, ';') || is(builder, after, ':');
    if (is_call && last - start <= LARGEST_CALL) {
        add_call(builder, at, start, last, first, end, alone);
    } else if (alone && (is_call || ends)) { /* as in a table of functions */
        add_alone(builder, at, alone);
    } else {
        free(alone);
    }
}

size_t builder_read_applied(struct builder *builder, size_t at, size_t first, size_t end)
{
    size_t start = 0;
    size_t after = at + 1;
    if (cxx_is_word(token(builder, at), "operator") && at + 3 < end && at > first &&
        cxx_is_word(token(builder, at - 1), "template") && is(builder, at + 1, '(')) {
        start = builder_name_start(builder, at, first, true);
        after = at + 3;
        if (is(builder, after, '<')) {
            after = declarations_skip_angles(builder->tokens, after, end);
        }
    } else if (name_set_has(&builder->lambdas, token(builder, at)) && at + 2 < end &&
               is(builder, at + 1, ')') && is(builder, at + 2, '(')) { /* `std::forward<F>(f)(x)` */
        after = at + 2;
        start = object_start(builder, after, first);
        start = builder_name_start(builder, start, first, false);
    } else {
        return at;
    }
    if (after >= end || !is(builder, after, '(')) {
        return at;
    }
    size_t last = skip_pair(builder, after, end);
    add_call(builder, at, start, last, first, end, NULL);
    return after;
}
