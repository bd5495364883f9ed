/* SPDX-License-Identifier: Apache-2.0 */
#include "cxx/cxx_macros.h"

#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static size_t hash_of(const char *name, uint32_t size)
{
    size_t hash = 14695981039346656037u;
    for (uint32_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    }
    return hash;
}

static struct cxx_macro **slot_of(const struct cxx_macros *macros, const char *name, uint32_t size)
{
    size_t at = hash_of(name, size) & (macros->slot_count - 1);
    for (;; at = (at + 1) & (macros->slot_count - 1)) {
        struct cxx_macro *macro = macros->slots[at];
        if (!macro || (macro->name_size == size && memcmp(macro->name, name, size) == 0)) {
            return &macros->slots[at];
        }
    }
}

struct cxx_macro *cxx_macros_find(const struct cxx_macros *macros, const struct cxx_token *name)
{
    if (macros->slot_count == 0) {
        return NULL;
    }
    struct cxx_macro *macro = *slot_of(macros, name->text, name->size);
    return macro && macro->is_defined ? macro : NULL;
}

static cubinet_status grow(struct cxx_macros *macros)
{
    struct cxx_macros larger = {.slot_count = macros->slot_count ? 2 * macros->slot_count : 256};
    larger.slots = calloc(larger.slot_count, sizeof(*larger.slots));
    if (!larger.slots) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < macros->slot_count; i++) {
        struct cxx_macro *macro = macros->slots[i];
        if (macro) {
            *slot_of(&larger, macro->name, macro->name_size) = macro;
        }
    }
    free(macros->slots);
    macros->slots = larger.slots;
    macros->slot_count = larger.slot_count;
    return CUBINET_OK;
}

/* The macro of that name, which may be new and is not defined. */
static struct cxx_macro *make_room(struct cxx_macros *macros, const struct cxx_token *name)
{
    if (4 * (macros->count + 1) > 3 * macros->slot_count && grow(macros)) {
        return NULL;
    }
    struct cxx_macro **slot = slot_of(macros, name->text, name->size);
    if (!*slot) {
        *slot = calloc(1, sizeof(**slot));
        if (!*slot) {
            cbn_error_memory();
            return NULL;
        }
        macros->count++;
    }
    free((*slot)->parameters);
    **slot = (struct cxx_macro){.name = name->text, .name_size = name->size};
    return *slot;
}

static cubinet_status add_parameter(struct cxx_macro *macro, const struct cxx_token *name)
{
    const struct cxx_token **parameters =
        reallocarray(macro->parameters, macro->parameter_count + 1, sizeof(*parameters));
    if (!parameters) {
        return cbn_error_memory();
    }
    macro->parameters = parameters;
    macro->parameters[macro->parameter_count++] = name;
    return CUBINET_OK;
}

/* Reads parameters after their parenthesis. What follows them, or NULL if they are none. */
static const struct cxx_token *read_parameters(struct cxx_macro *macro, const struct cxx_token *at,
                                               const struct cxx_token *end, cubinet_status *out_status)
{
    for (; at < end && !cxx_is(at, ')'); at++) {
        if (cxx_is(at, CXX_DOTS) && !macro->is_variadic) {
            macro->is_variadic = true;
            /* `rest...` has a name of its own. */
            *out_status = cxx_is(at - 1, '(') || cxx_is(at - 1, ',') ? add_parameter(macro, at) : CUBINET_OK;
        } else if (at->kind == CXX_WORD) {
            *out_status = add_parameter(macro, at);
        } else if (!cxx_is(at, ',')) {
            return NULL;
        }
        if (*out_status) {
            return NULL;
        }
    }
    return at < end ? at + 1 : NULL;
}

cubinet_status cxx_macros_define(struct cxx_macros *macros, const struct cxx_token *name,
                                 const struct cxx_token *end)
{
    cubinet_status status = CUBINET_OK;
    if (name >= end || name->kind != CXX_WORD) {
        return CUBINET_OK;
    }
    struct cxx_macro *macro = make_room(macros, name);
    if (!macro) {
        return CUBINET_ERROR_OUT_OF_MEMORY;
    }
    const struct cxx_token *body = name + 1;
    if (body < end && cxx_is(body, '(') && cxx_is_glued(body)) {
        macro->takes_arguments = true;
        body = read_parameters(macro, body + 1, end, &status);
    }
    if (body) {
        macro->body = body;
        macro->body_size = (size_t)(end - body);
        macro->is_defined = true;
    }
    return status;
}

void cxx_macros_remove(struct cxx_macros *macros, const struct cxx_token *name)
{
    struct cxx_macro *macro = cxx_macros_find(macros, name);
    if (macro) {
        macro->is_defined = false;
    }
}

void cxx_macros_free(struct cxx_macros *macros)
{
    for (size_t i = 0; i < macros->slot_count; i++) {
        if (macros->slots[i]) {
            free(macros->slots[i]->parameters);
            free(macros->slots[i]);
        }
    }
    free(macros->slots);
    *macros = (struct cxx_macros){0};
}

int cxx_macro_parameter(const struct cxx_macro *macro, const struct cxx_token *token)
{
    if (token->kind != CXX_WORD) {
        return -1;
    }
    for (size_t i = 0; i < macro->parameter_count; i++) {
        bool is_rest = cxx_is(macro->parameters[i], CXX_DOTS);
        if (is_rest ? cxx_is_word(token, "__VA_ARGS__") : cxx_same(macro->parameters[i], token)) {
            return (int)i;
        }
    }
    return -1;
}
