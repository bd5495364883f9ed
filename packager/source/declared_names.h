/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels, device functions and variables that a source and its own headers declare, for messages. */
#ifndef DECLARED_NAMES_H
#define DECLARED_NAMES_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

enum declared_kind { DECLARED_KERNELS, DECLARED_FUNCTIONS, DECLARED_VARIABLES };

struct declared_name {
    enum declared_kind kind;
    char *name;       /* with its namespaces: "my::reduce" */
    char *parameters; /* of a template: "<typename T, int N>"; NULL otherwise */
};

struct declared_names {
    struct declared_name *items;
    size_t count;
};

/* `path`: the source's; headers that it includes by relative names are read, too. */
cubinet_status declared_names_read(const char *path, const char *source, struct declared_names *out_names);

void declared_names_free(struct declared_names *names);

/* The one of that kind nearest to what a name expression names, whatever namespace, arguments and operators
 * go with it ("scan" of "&my::scan<float>"); NULL if none is near. */
const struct declared_name *declared_names_nearest(const struct declared_names *names,
                                                   enum declared_kind kind, const char *expression);

/* Whether the expression names it, apart from its namespaces. */
bool declared_name_fits(const struct declared_name *name, const char *expression);

/* Whether the expression has its namespaces, too. */
bool declared_name_is_qualified(const struct declared_name *name, const char *expression);

#endif
