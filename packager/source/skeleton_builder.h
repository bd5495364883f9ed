/* SPDX-License-Identifier: Apache-2.0 */
/* A skeleton that is being made: what skeleton.c, skeleton_locals.c and skeleton_uses.c share. */
#ifndef SKELETON_BUILDER_H
#define SKELETON_BUILDER_H

#include "base/buffer.h"
#include "source/skeleton.h"

struct builder {
    const struct cxx_token *tokens;
    const struct skeleton_names *names;
    const struct skeleton_source *source;
    struct skeleton *skeleton;
    struct name_set lambdas; /* names in the function of what is called as a kernel's user is */
    size_t first;            /* of the function's parameters, or of the variable */
    size_t groups;           /* of pieces, so far */
    struct generic_lambda {  /* the next that uses kernels, seen from a token */
        size_t from;         /* SIZE_MAX: it is to be found */
        size_t at;
        size_t body;
    } generic;
    unsigned depth;
    cubinet_status status;
};

static inline const struct cxx_token *token(const struct builder *builder, size_t at)
{
    return &builder->tokens[at];
}

static inline bool is(const struct builder *builder, size_t at, int sign)
{
    return cxx_is(&builder->tokens[at], sign);
}

static inline size_t skip_pair(const struct builder *builder, size_t at, size_t end)
{
    return declarations_skip_pair(builder->tokens, at, end);
}

/* Adds a piece before a token. Takes the texts over. */
void builder_add(struct builder *builder, size_t at, enum skeleton_kind kind, struct buffer *text,
                 char *instead);

void builder_add_text(struct builder *builder, size_t at, enum skeleton_kind kind, const char *text);

/* Tokens as text, with white space where it was, and where words would run together. */
void builder_put(struct buffer *buffer, const struct builder *builder, size_t at, size_t end);

bool builder_is_launch(const struct builder *builder, size_t at, size_t end);

/* Where a qualified name starts, of which `at` is the last word: `a::b<c>::` before it, and with `members`
 * also `a.b->`. */
size_t builder_name_start(const struct builder *builder, size_t at, size_t first, bool members);

/* A use of a kernel: `k<T><<<…>>>(x)`, `(k<T>)<<<…>>>(x)`, `&k<T>`. */
void builder_read_kernel(struct builder *builder, size_t at, size_t first, size_t end);

/* A use of a function that uses kernels: `f<T>(x)`, `a.f(x)`, `&f<T>`. */
void builder_read_call(struct builder *builder, size_t at, size_t first, size_t end);

/* A call of what an applier is given, at the `f` of `std::forward<F>(f)(x)` or the `operator` of
 * `f.template operator()<T>(x)`. Where its arguments start, or `at` if it is none. */
size_t builder_read_applied(struct builder *builder, size_t at, size_t first, size_t end);

/* A variable that is declared: its type is in two places, as in `const T a, *b`. */
struct local {
    size_t type;
    size_t type_end;
    size_t pointers; /* up to the name */
    size_t name;
    bool is_array;
};

/* Whether a type is what its value is: `auto`, `auto const`. */
bool builder_is_auto(const struct builder *builder, size_t type, size_t type_end);

/* The text of a variable: a reference to nothing of its type. */
void builder_put_local(struct buffer *text, const struct builder *builder, const struct local *local);

/* Adds a variable as such a reference. */
void builder_add_local(struct builder *builder, const struct local *local);

/* Adds a variable whose constructor uses kernels, as it is. `end`: of its declarator. */
void builder_add_object(struct builder *builder, const struct local *local, size_t end);

/* Drops the variables that no later piece names. */
void builder_drop_unused(struct builder *builder);

#endif
