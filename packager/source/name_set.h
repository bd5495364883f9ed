/* SPDX-License-Identifier: Apache-2.0 */
/* A set of names. Their text has to stay. */
#ifndef NAME_SET_H
#define NAME_SET_H

#include "cxx/cxx_token.h"

struct name_set {
    const struct cxx_token **slots;
    size_t slot_count;
    size_t count;
};

cubinet_status name_set_add(struct name_set *set, const struct cxx_token *name);
bool name_set_has(const struct name_set *set, const struct cxx_token *name);
void name_set_free(struct name_set *set);

#endif
