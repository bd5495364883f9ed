/* SPDX-License-Identifier: Apache-2.0 */
#include "source/kernel_parameters.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

/* Words that are not a type by themselves, so that what follows them is not a name. */
static const char *const incomplete[] = {"const", "volatile", "struct",   "class",
                                         "enum",  "union",    "typename", NULL};

/* Words that are types, and never names. */
static const char *const built_in[] = {"void",  "bool",   "char",   "short",    "int",  "long",
                                       "float", "double", "signed", "unsigned", "auto", NULL};

/* Words that say nothing of how an argument is passed. */
static const char *const left_out[] = {"__restrict__", "__restrict", "__grid_constant__", "struct", "class",
                                       "enum",         "union",      "typename",          NULL};

/* The position after the parameter that starts at `at`: its comma, or the parenthesis that closes the list.
 */
static size_t parameter_end(const struct cxx_token *tokens, size_t at, size_t end)
{
    while (at < end && !cxx_is(&tokens[at], ',')) {
        size_t after = at;
        if (cxx_is(&tokens[at], '<')) {
            after = declarations_skip_angles(tokens, at, end);
        } else if (cxx_is(&tokens[at], '(') || cxx_is(&tokens[at], '[') || cxx_is(&tokens[at], '{')) {
            after = declarations_skip_pair(tokens, at, end);
        }
        at = after > at ? after : at + 1;
    }
    return at;
}

static size_t find_sign(const struct cxx_token *tokens, size_t at, size_t end, int sign)
{
    while (at < end && !cxx_is(&tokens[at], sign)) {
        at++;
    }
    return at;
}

/* Whether the last token is the parameter's name: something before it is its type. */
static bool has_name(const struct cxx_token *tokens, size_t first, size_t last)
{
    const struct cxx_token *name = &tokens[last];
    bool has_type = false;
    for (size_t i = first; i < last; i++) {
        has_type |= tokens[i].kind != CXX_WORD || !cxx_is_any_word(&tokens[i], incomplete);
    }
    return has_type && name->kind == CXX_WORD && !cxx_is_any_word(name, built_in) &&
           !cxx_is_any_word(name, left_out) && !cxx_is_any_word(name, incomplete) &&
           !cxx_is(&tokens[last - 1], CXX_SCOPE);
}

static void write_type(const struct cxx_token *tokens, size_t first, size_t end, bool is_array,
                       struct buffer *type)
{
    for (size_t i = first; i < end; i++) {
        if (cxx_is_any_word(&tokens[i], left_out)) {
            continue;
        }
        if (cxx_is_word(&tokens[i], "std") && cxx_is(&tokens[i + 1], CXX_SCOPE)) {
            i++; /* std::size_t is size_t */
            continue;
        }
        bool is_glued = type->size == 0 || (cxx_is(&tokens[i], '*') && type->data[type->size - 1] == '*');
        buffer_printf(type, "%s%.*s", is_glued ? "" : " ", (int)tokens[i].size, tokens[i].text);
    }
    if (is_array) {
        buffer_puts(type, type->size > 0 && type->data[type->size - 1] == '*' ? "*" : " *");
    }
}

/* One parameter. What has parentheses, as pointers to functions do, is left without type and name. */
static cubinet_status read_parameter(const struct cxx_token *tokens, size_t first, size_t end,
                                     struct launch_record *record)
{
    size_t bracket = find_sign(tokens, first, end, '[');
    size_t after = find_sign(tokens, first, bracket, '=');
    if (first == after || find_sign(tokens, first, after, '(') < after) {
        return launch_record_add_name(record, NULL, NULL);
    }
    bool is_named = after - first > 1 && has_name(tokens, first, after - 1);
    struct buffer type = {0};
    struct buffer name = {0};
    write_type(tokens, first, after - is_named, bracket < end && after == bracket, &type);
    if (is_named) {
        buffer_append(&name, tokens[after - 1].text, tokens[after - 1].size);
    }
    bool failed = type.failed || name.failed;
    cubinet_status status =
        failed ? cbn_error_memory() : launch_record_add_name(record, name.data, type.data);
    buffer_free(&type);
    buffer_free(&name);
    return status;
}

static cubinet_status read_parameters(const struct cxx_token *tokens, size_t open, size_t limit,
                                      struct launch_record *record)
{
    size_t close = declarations_skip_pair(tokens, open, limit) - 1;
    bool is_void = close == open + 2 && cxx_is_word(&tokens[open + 1], "void");
    cubinet_status status = CUBINET_OK;
    for (size_t at = open + 1; !status && !is_void && at < close;) {
        size_t end = parameter_end(tokens, at, close);
        status = read_parameter(tokens, at, end, record);
        at = end + 1;
    }
    return status;
}

static struct declared_kernel *find(const struct kernel_parameters *parameters, const char *name, size_t size)
{
    for (size_t i = 0; i < parameters->count; i++) {
        struct declared_kernel *item = &parameters->items[i];
        if (strlen(item->name) == size && memcmp(item->name, name, size) == 0) {
            return item;
        }
    }
    return NULL;
}

static cubinet_status add_kernel(struct kernel_parameters *parameters, const struct cxx_token *name,
                                 struct launch_record *record)
{
    if (find(parameters, name->text, name->size)) {
        return CUBINET_OK;
    }
    struct declared_kernel *items = array_grow(parameters->items, parameters->count, sizeof(*items));
    char *copy = strndup(name->text, name->size);
    if (items) {
        parameters->items = items;
    }
    if (!items || !copy) {
        free(copy);
        return cbn_error_memory();
    }
    items[parameters->count++] = (struct declared_kernel){.name = copy, .declared = *record};
    *record = (struct launch_record)LAUNCH_RECORD_EMPTY;
    return CUBINET_OK;
}

/* Whether it is declared by `extern "C"`, or between its braces. */
static bool has_c_name(const struct host_skip *skip, const struct declaration *declaration)
{
    const struct declaration *at = declaration;
    const struct cxx_token *first;
    do {
        first = &skip->unit.tokens.items[at->first];
        at = at->parent == SIZE_MAX ? NULL : &skip->declarations.items[at->parent];
    } while (at && !(cxx_is_word(first, "extern") && first[1].kind == CXX_TEXT));
    return cxx_is_word(first, "extern") && first[1].kind == CXX_TEXT;
}

cubinet_status kernel_parameters_add(const struct host_skip *skip, struct kernel_parameters *parameters)
{
    const struct cxx_token *tokens = skip->unit.tokens.items;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < skip->declarations.count; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        bool is_kernel = declaration->kind == DECLARATION_FUNCTION && declaration->flags & DECLARED_KERNEL &&
                         !(declaration->flags & DECLARED_TEMPLATE) && declaration->body > 0;
        bool is_told = declaration->name != SIZE_MAX && declaration->parameters > 0;
        if (!is_kernel || !is_told || !has_c_name(skip, declaration)) {
            continue;
        }
        struct launch_record record = LAUNCH_RECORD_EMPTY;
        status = read_parameters(tokens, declaration->parameters, declaration->end, &record);
        if (!status) {
            status = add_kernel(parameters, &tokens[declaration->name], &record);
        }
        launch_record_free(&record);
    }
    return status;
}

cubinet_status kernel_parameters_record(const struct kernel_parameters *parameters, struct contents *contents)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < contents->kernel_count; i++) {
        struct contents_kernel *kernel = &contents->kernels[i];
        const struct declared_kernel *declared = find(parameters, kernel->name, strlen(kernel->name));
        if (declared && declared->declared.known.param_name_count == kernel->resources.param_count) {
            status = launch_record_override(&kernel->launch, &declared->declared);
        }
    }
    return status;
}

void kernel_parameters_free(struct kernel_parameters *parameters)
{
    for (size_t i = 0; i < parameters->count; i++) {
        free(parameters->items[i].name);
        launch_record_free(&parameters->items[i].declared);
    }
    free(parameters->items);
    *parameters = (struct kernel_parameters){0};
}
