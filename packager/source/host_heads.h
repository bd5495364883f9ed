/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of a declaration that the compiler refused, and that device code might name: a declaration
 * that is an error wherever it is used. If there was nothing, something else of that name, such as the
 * template that a specialization is of, would be used without a word.
 *
 *     template <> struct is_packed<float> : a {};   |   template <> struct is_packed<float>;
 *     constexpr int tile(int n) { return b(n); }    |   constexpr int tile(int n) = delete;
 *     const int block = c();                        |   struct block;
 *     using value = d;                              |   struct value;
 *     enum { on = e, off };                         |   struct on; struct off; */
#ifndef HOST_HEADS_H
#define HOST_HEADS_H

#include "base/buffer.h"
#include "source/declarations.h"

/* Whether anything can be left. */
bool host_head_exists(const struct cxx_token *tokens, const struct declaration *declaration);

/* Marks the tokens that go, and adds what comes before others. Both are arrays, by token. */
void host_head_plan(const struct cxx_token *tokens, const struct declaration *declaration,
                    unsigned char *dropped, struct buffer *before);

/* Whether a text has one of the names that it declares, as a word. */
bool host_head_is_in(const struct cxx_token *tokens, const struct declaration *declaration, const char *text);

/* Whether it is a partial specialization of a class template for several arguments, of which one may be a
 * condition. One for a single argument, that was refused, is for what device code can't name. */
bool host_head_is_conditional(const struct cxx_token *tokens, const struct declaration *declaration);

/* Whether it is a specialization for given arguments. */
bool host_head_is_explicit(const struct cxx_token *tokens, const struct declaration *declaration);

#endif
