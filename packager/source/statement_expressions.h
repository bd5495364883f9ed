/* SPDX-License-Identifier: Apache-2.0 */
/* gcc's statement expressions, ({ int x = 1; x + 1; }), which nvcc has and NVRTC does not: as lambdas that
 * are called, [&]{ int x = 1; return x + 1; }(), they are the same but for jumps out of them. */
#ifndef STATEMENT_EXPRESSIONS_H
#define STATEMENT_EXPRESSIONS_H

#include "cxx/cxx_token.h"

struct statement_expression {
    size_t open;  /* the token { after ( */
    size_t value; /* the first token of the statement that is its value; the same as close: it has none */
    size_t close; /* the token } before ) */
};

/* Finds the next at `*at` or later among the tokens of a file, its directives included, and moves `*at`
 * after its {. One that jumps out of itself, or is not closed, is left to the compiler. */
bool statement_expression_next(const struct cxx_tokens *tokens, size_t *at,
                               struct statement_expression *out_expression);

#endif
