/* SPDX-License-Identifier: Apache-2.0 */
#include "source/declared_names.h"

#include "base/array.h"
#include "base/buffer.h"
#include "cxx/cxx_unit.h"
#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"
#include "source/declarations.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const struct cxx_token *tokens;
    const struct declarations *declarations;
};

static void write_tokens(const struct cxx_token *tokens, size_t first, size_t end, struct buffer *text)
{
    for (size_t i = first; i < end; i++) {
        bool is_spaced = i > first && !cxx_is_glued(&tokens[i]);
        buffer_printf(text, "%s%.*s", is_spaced ? " " : "", (int)tokens[i].size, tokens[i].text);
    }
}

/* The first token of a declared name: `my` of `my::reduce`. */
static size_t name_start(const struct cxx_token *tokens, const struct declaration *declaration)
{
    size_t at = declaration->name;
    while (at >= declaration->first + 2 && cxx_is(&tokens[at - 1], CXX_SCOPE) &&
           tokens[at - 2].kind == CXX_WORD) {
        at -= 2;
    }
    return at;
}

static void write_name(const struct reading *reading, const struct declaration *declaration,
                       struct buffer *text)
{
    if (declaration->parent != SIZE_MAX) {
        write_name(reading, &reading->declarations->items[declaration->parent], text);
    }
    if (declaration->name != SIZE_MAX) {
        buffer_puts(text, text->size > 0 ? "::" : "");
        write_tokens(reading->tokens, name_start(reading->tokens, declaration), declaration->name + 1, text);
    }
}

/* The parameters of its last template header: of a member of a class template that is its own. */
static void write_parameters(const struct reading *reading, const struct declaration *declaration,
                             struct buffer *text)
{
    const struct cxx_token *tokens = reading->tokens;
    size_t at = declaration->first;
    for (size_t after; (after = declarations_skip_template(tokens, at, declaration->end)) != at;) {
        text->size = 0;
        write_tokens(tokens, at + 1, after, text);
        at = after;
    }
}

static bool kind_of(const struct declaration *declaration, enum declared_kind *out_kind)
{
    if (declaration->name == SIZE_MAX || declaration->flags & DECLARED_INSTANCE) {
        return false;
    }
    if (declaration->kind == DECLARATION_FUNCTION && declaration->flags & DECLARED_KERNEL) {
        *out_kind = DECLARED_KERNELS;
    } else if (declaration->kind == DECLARATION_FUNCTION && declaration->flags & DECLARED_DEVICE) {
        *out_kind = DECLARED_FUNCTIONS;
    } else if (declaration->kind == DECLARATION_VARIABLE && declaration->flags & DECLARED_DEVICE) {
        *out_kind = DECLARED_VARIABLES;
    } else {
        return false;
    }
    return true;
}

static bool is_known(const struct declared_names *names, const struct declared_name *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i].kind == name->kind && strcmp(names->items[i].name, name->name) == 0) {
            return true;
        }
    }
    return false;
}

static cubinet_status add(const struct reading *reading, const struct declaration *declaration,
                          struct declared_names *names)
{
    struct declared_name made = {0};
    if (!kind_of(declaration, &made.kind)) {
        return CUBINET_OK;
    }
    struct buffer name = {0};
    struct buffer parameters = {0};
    write_name(reading, declaration, &name);
    if (declaration->flags & DECLARED_TEMPLATE) {
        write_parameters(reading, declaration, &parameters);
    }
    bool failed = name.failed || parameters.failed;
    made.name = buffer_take(&name);
    made.parameters = parameters.size > 0 ? buffer_take(&parameters) : NULL;
    buffer_free(&parameters);
    struct declared_name *items =
        failed || !made.name ? NULL : array_grow(names->items, names->count, sizeof(*items));
    if (items) {
        names->items = items;
    }
    if (items && !is_known(names, &made)) {
        items[names->count++] = made;
        return CUBINET_OK;
    }
    free(made.name);
    free(made.parameters);
    return items ? CUBINET_OK : cbn_error_memory();
}

cubinet_status declared_names_read(const char *path, const char *source, struct declared_names *out_names)
{
    const struct cbn_text_list none = {0};
    const struct cxx_settings settings = {path, source, &none, &none, &none, &none, &none, NULL, NULL};
    struct cxx_unit unit;
    struct declarations declarations = {0};
    struct declared_names made = {0};
    cubinet_status status = cxx_unit_read(&settings, &unit);
    if (status) {
        return status;
    }
    status = declarations_read(&unit.tokens, &declarations);
    const struct reading reading = {unit.tokens.items, &declarations};
    for (size_t i = 0; !status && i < declarations.count; i++) {
        status = add(&reading, &declarations.items[i], &made);
    }
    declarations_free(&declarations);
    cxx_unit_free(&unit);
    if (status) {
        declared_names_free(&made);
        return status;
    }
    *out_names = made;
    return CUBINET_OK;
}

void declared_names_free(struct declared_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->items[i].name);
        free(names->items[i].parameters);
    }
    free(names->items);
    *names = (struct declared_names){0};
}

/* The last part of a qualified name: "scan" of "&my::scan<float>". */
static const char *plain_name(const char *expression, size_t *out_size)
{
    size_t size = strcspn(expression, "<");
    const char *name = expression + size;
    while (name > expression && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) {
        name--;
    }
    *out_size = (size_t)(expression + size - name);
    return name;
}

const struct declared_name *declared_names_nearest(const struct declared_names *names,
                                                   enum declared_kind kind, const char *expression)
{
    size_t size;
    const char *wanted = plain_name(expression, &size);
    const struct declared_name *best = NULL;
    struct cbn_nearest nearest;
    cbn_nearest_start(&nearest, wanted, size);
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i].kind == kind) {
            size_t plain_size;
            const char *plain = plain_name(names->items[i].name, &plain_size);
            cbn_nearest_offer(&nearest, plain);
            best = nearest.name == plain ? &names->items[i] : best;
        }
    }
    return cbn_nearest_found(&nearest) ? best : NULL;
}

bool declared_name_fits(const struct declared_name *name, const char *expression)
{
    size_t size;
    size_t declared_size;
    const char *plain = plain_name(expression, &size);
    const char *declared = plain_name(name->name, &declared_size);
    return size == declared_size && memcmp(plain, declared, size) == 0;
}

bool declared_name_is_qualified(const struct declared_name *name, const char *expression)
{
    size_t start = strspn(expression, "&: ");
    size_t size = strcspn(expression + start, "<");
    return strlen(name->name) == size && memcmp(name->name, expression + start, size) == 0;
}
