/* SPDX-License-Identifier: Apache-2.0 */
/* Appliers: templates of the host's that call what they are given, as dispatchers by type do.
 *
 *     template <class F> void visit(Type type, F &&f) { switch (type) { case INT: f(int{}); … } }
 *
 * What a generic lambda launches is up to them. */
#ifndef APPLIERS_H
#define APPLIERS_H

#include "source/skeleton.h"

/* Whether a function calls one of its parameters, an `operator()` by its template arguments, or an applier.
 */
bool applier_is(const struct cxx_token *tokens, const struct declaration *function,
                const struct skeleton_names *names);

/* Whether a lambda's captures start at a token, and it is generic: a parameter is `auto`, or it has template
 * parameters. Then where its body is. */
bool applier_is_generic_lambda(const struct cxx_token *tokens, size_t at, size_t end, size_t *out_body);

#endif
