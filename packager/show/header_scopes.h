/* SPDX-License-Identifier: Apache-2.0 */
/* What a module's kernels are called in a generated header's C++: as in their source where that can be
 * written, and names neither another kernel nor a namespace; else, flat, as in C. */
#ifndef HEADER_SCOPES_H
#define HEADER_SCOPES_H

#include "show/header_names.h"
#include "show/header_types.h"

struct header_object {
    const struct header_subject *subject;
    struct header_signature signature;
    char *flat;   /* an identifier that no other kernel of the module has in flat form */
    bool is_flat; /* to start with, if its name can't be written */
    /* Instances of one template, in any order; the one that comes first among the objects starts the list. */
    bool is_first_instance;
    struct header_object *next_instance;
};

/* Decides which are flat. CUBINET_ERROR_LIMIT if that does not help. */
cubinet_status header_scopes_settle(struct header_object *objects, size_t count);

/* Whether two instances can be of one template here: parameters of the same kinds. */
bool header_scopes_same_template(const struct header_signature *a, const struct header_signature *b);

/* Appends template arguments: "<float, 256>". */
void header_scopes_arguments(struct buffer *text, const struct header_signature *signature);

#endif
