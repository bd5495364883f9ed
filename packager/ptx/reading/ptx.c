/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/reading/ptx.h"

#include "loader/core/support/error.h"
#include "loader/link/dependency.h"
#include "loader/link/dynamic_shared.h"
#include "loader/link/ptx_statement.h"
#include "loader/link/read_cubin.h"
#include "ptx/reading/ptx_shared.h"
#include "ptx/reading/ptx_unlisted.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    const char *text;
    struct contents *contents;
    struct ptx_shared shared;
    bool has_target;
};

__attribute__((format(printf, 3, 4))) static cubinet_status damaged(const struct reader *reader,
                                                                    const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cbn_verror(CUBINET_ERROR_DAMAGED, format, args);
    va_end(args);
    size_t line = 1;
    for (const char *c = reader->text; c < at; c++) {
        line += *c == '\n';
    }
    return cbn_error_context(CUBINET_ERROR_DAMAGED, "PTX line %zu", line);
}

/* Reads "90a" or "9": digits up to `max`, of which out_value is the number. Returns what follows. */
static const char *read_number(const char *at, const char *end, int max, int *out_value)
{
    int value = 0;
    for (; at < end && *at >= '0' && *at <= '9' && value <= max; at++) {
        value = value * 10 + (*at - '0');
    }
    *out_value = value;
    return at;
}

static cubinet_status read_version(struct reader *reader, const struct cbn_ptx_statement *statement)
{
    struct cbn_ptx_lexer rest = statement->rest;
    struct cbn_ptx_token token = cbn_ptx_next(&rest);
    const char *end = token.text + token.size;
    int major, minor = -1;
    const char *at = read_number(token.text, end, 999, &major);
    if (at > token.text && end - at >= 2 && *at == '.') {
        at = read_number(at + 1, end, 9, &minor);
    }
    if (token.kind != CBN_PTX_WORD || at != end || major > 999 || minor < 0 || minor > 9) {
        return damaged(reader, statement->start, "'.version' is followed by '%.*s', not by a version",
                       (int)(token.size < 32 ? token.size : 32), token.text);
    }
    reader->contents->ptx_isa = (uint32_t)(major * 10 + minor);
    return CUBINET_OK;
}

static cubinet_status read_target(struct reader *reader, const struct cbn_ptx_statement *statement)
{
    struct cbn_ptx_lexer rest = statement->rest;
    struct cbn_ptx_token token = cbn_ptx_next(&rest);
    const char *end = token.text + token.size;
    int number = 0;
    const char *at = token.text;
    if (token.kind == CBN_PTX_WORD && token.size > 3 && memcmp(at, "sm_", 3) == 0) {
        at = read_number(at + 3, end, 9999, &number);
    }
    char suffix = at + 1 == end && (*at == 'a' || *at == 'f') ? *at : '\0';
    if (number < 10 || number > 9999 || at + (suffix != 0) != end) {
        return damaged(reader, statement->start, "'.target' is followed by '%.*s', not by 'sm_' and a number",
                       (int)(token.size < 32 ? token.size : 32), token.text);
    }
    reader->contents->target =
        (cubinet_target){.kind = CUBINET_IMAGE_PTX, .number = number, .suffix = suffix};
    reader->has_target = true;
    return CUBINET_OK;
}

/* Where the parameter buffer starts in the constant bank of a compute capability: parameters are aligned as
 * addresses in the bank, not as offsets in the buffer. */
static uint64_t parameter_base(int number)
{
    return number >= 100 ? 0x380 : number >= 90 ? 0x210 : number >= 70 ? 0x160 : 0x140;
}

/* Adds the parameters, each at the next place of its alignment. */
static cubinet_status read_parameters(struct reader *reader, const struct cbn_ptx_statement *statement,
                                      struct contents_kernel *kernel)
{
    struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(statement->parameters);
    struct cbn_ptx_declarator declarator;
    const uint64_t base = parameter_base(reader->contents->target.number);
    uint64_t at = 0;
    while (cbn_ptx_next_declarator(&declarators, &declarator)) {
        uint64_t alignment = declarator.alignment;
        at = ((base + at + alignment - 1) & ~(alignment - 1)) - base;
        if (declarator.bytes == 0 || declarator.bytes > UINT16_MAX || at + declarator.bytes > UINT16_MAX) {
            return damaged(reader, declarator.name.text,
                           "kernel '%s' has a parameter of %llu bytes at offset %llu", kernel->name,
                           (unsigned long long)declarator.bytes, (unsigned long long)at);
        }
        cubinet_param *param = contents_add_param(kernel);
        if (!param) {
            return cbn_error_memory();
        }
        *param = (cubinet_param){.offset = (uint32_t)at, .size = (uint32_t)declarator.bytes};
        at += declarator.bytes;
    }
    if (declarators.damaged) {
        return damaged(reader, declarators.lexer.at, "the parameters of kernel '%s' can't be read",
                       kernel->name);
    }
    kernel->resources.param_bytes = (uint32_t)at;
    return CUBINET_OK;
}

/* Reads up to three numbers separated by commas. Those that are left out are 1. */
static bool read_dimensions(struct cbn_ptx_lexer *lexer, uint32_t out_dimensions[3])
{
    uint32_t dimensions[3] = {1, 1, 1};
    for (size_t i = 0; i < 3; i++) {
        uint64_t value;
        if (!cbn_ptx_integer(cbn_ptx_next(lexer), &value) || value > UINT32_MAX - 1) {
            return false;
        }
        dimensions[i] = (uint32_t)value;
        if (!cbn_ptx_token_is(cbn_ptx_peek(lexer), ",")) {
            break;
        }
        cbn_ptx_next(lexer);
    }
    memcpy(out_dimensions, dimensions, sizeof(dimensions));
    return true;
}

/* Reads one performance directive; those that say nothing of the launch are passed over. */
static bool read_directive(struct cbn_ptx_lexer *lexer, struct cbn_ptx_token directive,
                           cubinet_kernel_resources *resources)
{
    uint32_t ignored[3];
    uint32_t *dimensions = cbn_ptx_token_is(directive, ".maxntid")             ? resources->max_block
                           : cbn_ptx_token_is(directive, ".reqntid")           ? resources->required_block
                           : cbn_ptx_token_is(directive, ".reqnctapercluster") ? resources->required_cluster
                                                                               : NULL;
    if (dimensions) {
        return read_dimensions(lexer, dimensions);
    }
    uint32_t *number = cbn_ptx_token_is(directive, ".minnctapersm")     ? &resources->min_blocks
                       : cbn_ptx_token_is(directive, ".maxclusterrank") ? &resources->max_cluster_blocks
                                                                        : NULL;
    if (number && read_dimensions(lexer, ignored)) {
        *number = ignored[0];
        return true;
    }
    return !number;
}

static cubinet_status read_directives(struct reader *reader, const struct cbn_ptx_statement *statement,
                                      struct contents_kernel *kernel)
{
    struct cbn_ptx_lexer rest = statement->rest;
    for (struct cbn_ptx_token token = cbn_ptx_next(&rest); token.kind != CBN_PTX_END;
         token = cbn_ptx_next(&rest)) {
        if (token.kind == CBN_PTX_DIRECTIVE && !read_directive(&rest, token, &kernel->resources)) {
            return damaged(reader, token.text, "'%.*s' of kernel '%s' is not followed by numbers",
                           (int)token.size, token.text, kernel->name);
        }
    }
    return CUBINET_OK;
}

static cubinet_status read_function(struct reader *reader, const struct cbn_ptx_statement *statement)
{
    if (!statement->has_body || !cbn_ptx_token_is(statement->directive, ".entry")) {
        return CUBINET_OK;
    }
    struct contents_kernel *kernel =
        contents_add_kernel(reader->contents, statement->name.text, statement->name.size);
    if (!kernel) {
        return cbn_error_memory();
    }
    cubinet_status status = read_parameters(reader, statement, kernel);
    if (!status) {
        status = read_directives(reader, statement, kernel);
    }
    if (!status) {
        kernel->resources.static_shared_bytes = ptx_shared_bytes(&reader->shared, statement->body);
    }
    return status;
}

/* False if memory is out. */
static bool add_global(struct reader *reader, const struct cbn_ptx_declarator *declarator, bool is_constant,
                       bool is_managed)
{
    if (declarator->opaque || declarator->many_names ||
        cbn_is_compilers_own(declarator->name.text, declarator->name.size)) {
        return true;
    }
    struct contents_global *global =
        contents_add_global(reader->contents, declarator->name.text, declarator->name.size);
    if (global) {
        global->bytes = declarator->bytes;
        global->is_constant = is_constant;
        global->is_managed = is_managed;
    }
    return global != NULL;
}

static cubinet_status read_variable(struct reader *reader, const struct cbn_ptx_statement *statement)
{
    bool is_constant = cbn_ptx_token_is(statement->directive, ".const");
    bool is_shared = cbn_ptx_token_is(statement->directive, ".shared");
    bool is_global = is_constant || cbn_ptx_token_is(statement->directive, ".global");
    if (statement->linkage & CBN_PTX_EXTERN) {
        reader->shared.dynamic |= is_shared;
        return CUBINET_OK;
    }
    if (!is_shared && !is_global) {
        return CUBINET_OK;
    }
    struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(statement->rest);
    struct cbn_ptx_declarator declarator;
    while (cbn_ptx_next_declarator(&declarators, &declarator)) {
        if (is_shared) {
            if (!ptx_shared_add(&reader->shared, &declarator)) {
                return cbn_error_memory();
            }
        } else if (!add_global(reader, &declarator, is_constant, declarators.managed)) {
            return cbn_error_memory();
        }
    }
    return declarators.damaged
               ? damaged(reader, declarators.lexer.at, "the declaration of a variable can't be read")
               : CUBINET_OK;
}

/* NVVM writes "// Cuda compilation tools, release 13.0, V13.0.88" before everything else. */
static void read_toolkit(struct reader *reader, const char *end)
{
    static const char words[] = "Cuda compilation tools, release ";
    const char *at = memmem(reader->text, (size_t)(end - reader->text), words, sizeof(words) - 1);
    int major, minor;
    if (at) {
        at = read_number(at + sizeof(words) - 1, end, 999, &major);
        if (major > 0 && major <= 999 && at < end && *at == '.') {
            read_number(at + 1, end, 9, &minor);
            reader->contents->toolkit = minor <= 9 ? (uint32_t)(major * 1000 + minor * 10) : 0;
        }
    }
}

static cubinet_status read_statement(struct reader *reader, const struct cbn_ptx_statement *statement)
{
    if (statement->kind == CBN_PTX_STATEMENT_DAMAGED) {
        return damaged(reader, statement->start, "what starts here is not a complete PTX statement");
    }
    if (reader->contents->ptx_isa == 0) {
        if (statement->kind != CBN_PTX_STATEMENT_VERSION) {
            return damaged(reader, statement->start, "PTX starts with '.version', and this does not");
        }
        read_toolkit(reader, statement->start);
        return read_version(reader, statement);
    }
    if (!reader->has_target) {
        return statement->kind == CBN_PTX_STATEMENT_TARGET
                   ? read_target(reader, statement)
                   : damaged(reader, statement->start,
                             "'.version' is followed by '.target', and here it is not");
    }
    switch (statement->kind) {
    case CBN_PTX_STATEMENT_FUNCTION:
        return read_function(reader, statement);
    case CBN_PTX_STATEMENT_VARIABLE:
        return read_variable(reader, statement);
    default:
        return CUBINET_OK;
    }
}

/* See ptx_shared_bytes(). */
static void forget_rounded_shared(struct reader *reader)
{
    for (size_t i = 0; i < reader->contents->kernel_count && reader->shared.dynamic; i++) {
        cubinet_kernel_resources *resources = &reader->contents->kernels[i].resources;
        if (resources->static_shared_bytes != 0) {
            resources->static_shared_bytes = CUBINET_UNKNOWN;
        }
    }
}

static cubinet_status check_whole(const struct reader *reader, const char *end)
{
    const struct contents *contents = reader->contents;
    if (contents->ptx_isa == 0 || !reader->has_target) {
        return damaged(reader, end, "it ends without a '%s'", contents->ptx_isa ? ".target" : ".version");
    }
    for (size_t i = 1; i < contents->kernel_count; i++) {
        if (strcmp(contents->kernels[i - 1].name, contents->kernels[i].name) == 0) {
            return damaged(reader, end, "kernel '%s' is defined twice", contents->kernels[i].name);
        }
    }
    for (size_t i = 1; i < contents->global_count; i++) {
        if (strcmp(contents->globals[i - 1].name, contents->globals[i].name) == 0) {
            return damaged(reader, end, "variable '%s' is defined twice", contents->globals[i].name);
        }
    }
    return CUBINET_OK;
}

cubinet_status ptx_read(const char *text, size_t size, struct contents *out_contents)
{
    struct contents contents = {0};
    struct reader reader = {.text = text, .contents = &contents};
    while (size > 0 && text[size - 1] == '\0') {
        size--;
    }
    const char *nul = memchr(text, '\0', size); /* where others would take it to end */
    if (nul) {
        return damaged(&reader, nul, "there is a NUL in it");
    }
    struct cbn_ptx_lexer lexer = {text, text + size};
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
    cubinet_status status = CUBINET_OK;
    for (; !status && statement.kind != CBN_PTX_STATEMENT_END; statement = cbn_ptx_next_statement(&lexer)) {
        status = read_statement(&reader, &statement);
    }
    if (!status) {
        forget_rounded_shared(&reader);
        contents_sort(&contents);
        if (reader.shared.dynamic) {
            status = cbn_dynamic_shared_of_ptx(text, size, contents_note_dynamic_shared, &contents);
        }
        cbn_dependency_of_ptx(text, size, contents_note_dependency, &contents);
    }
    if (!status) {
        status = check_whole(&reader, lexer.end);
    }
    if (!status) {
        status = ptx_drop_unlisted(text, size, &contents);
    }
    ptx_shared_free(&reader.shared);
    if (status) {
        contents_free(&contents);
        return status;
    }
    *out_contents = contents;
    return CUBINET_OK;
}
