/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/ptx_statement.h"

static unsigned linkage_of(struct cbn_ptx_token directive)
{
    static const struct {
        const char *name;
        unsigned linkage;
    } table[] = {
        {".visible", CBN_PTX_VISIBLE},
        {".extern", CBN_PTX_EXTERN},
        {".weak", CBN_PTX_WEAK},
        {".common", CBN_PTX_COMMON},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (cbn_ptx_token_is(directive, table[i].name)) {
            return table[i].linkage;
        }
    }
    return 0;
}

static enum cbn_ptx_statement_kind kind_of(struct cbn_ptx_token directive)
{
    static const struct {
        const char *name;
        enum cbn_ptx_statement_kind kind;
    } table[] = {
        {".global", CBN_PTX_STATEMENT_VARIABLE}, {".const", CBN_PTX_STATEMENT_VARIABLE},
        {".shared", CBN_PTX_STATEMENT_VARIABLE}, {".local", CBN_PTX_STATEMENT_VARIABLE},
        {".tex", CBN_PTX_STATEMENT_VARIABLE},    {".entry", CBN_PTX_STATEMENT_FUNCTION},
        {".func", CBN_PTX_STATEMENT_FUNCTION},   {".version", CBN_PTX_STATEMENT_VERSION},
        {".target", CBN_PTX_STATEMENT_TARGET},   {".file", CBN_PTX_STATEMENT_FILE},
        {".section", CBN_PTX_STATEMENT_SECTION},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (cbn_ptx_token_is(directive, table[i].name)) {
            return table[i].kind;
        }
    }
    return CBN_PTX_STATEMENT_OTHER;
}

/* Takes everything up to and with the next ';' outside of braces. */
static bool take_to_semicolon(struct cbn_ptx_lexer *lexer, struct cbn_ptx_lexer *out_rest)
{
    struct cbn_ptx_token token;
    *out_rest = *lexer;
    do {
        token = cbn_ptx_next(lexer);
        if (token.kind == CBN_PTX_END || token.kind == CBN_PTX_DAMAGED) {
            return false;
        }
        if (cbn_ptx_is_punctuation(token, '{') && !cbn_ptx_skip_to_close(lexer, '{', '}', NULL)) {
            return false;
        }
    } while (!cbn_ptx_is_punctuation(token, ';'));
    out_rest->end = token.text;
    return true;
}

/* Takes the words, strings and commas that follow `.version` and others that no ';' ends. */
static void take_operands(struct cbn_ptx_lexer *lexer, struct cbn_ptx_lexer *out_rest)
{
    *out_rest = *lexer;
    struct cbn_ptx_token token = cbn_ptx_peek(lexer);
    while (token.kind == CBN_PTX_WORD || token.kind == CBN_PTX_STRING || cbn_ptx_is_punctuation(token, ',') ||
           cbn_ptx_is_punctuation(token, '+')) {
        cbn_ptx_next(lexer);
        token = cbn_ptx_peek(lexer);
    }
    out_rest->end = lexer->at;
}

/* Takes a list in parentheses if one starts here. */
static bool take_parentheses(struct cbn_ptx_lexer *lexer, struct cbn_ptx_lexer *out_inside)
{
    if (!cbn_ptx_is_punctuation(cbn_ptx_peek(lexer), '(')) {
        return true;
    }
    cbn_ptx_next(lexer);
    return cbn_ptx_skip_to_close(lexer, '(', ')', out_inside);
}

/* Takes what stands before a function's name: attributes and the parameters that it returns. */
static bool take_before_name(struct cbn_ptx_lexer *lexer)
{
    while (cbn_ptx_peek(lexer).kind != CBN_PTX_WORD) {
        struct cbn_ptx_token token = cbn_ptx_next(lexer);
        bool parentheses = cbn_ptx_is_punctuation(token, '(');
        if (!parentheses && token.kind != CBN_PTX_DIRECTIVE) {
            return false;
        }
        if (parentheses && !cbn_ptx_skip_to_close(lexer, '(', ')', NULL)) {
            return false;
        }
    }
    return true;
}

static bool take_function(struct cbn_ptx_lexer *lexer, struct cbn_ptx_statement *statement)
{
    if (!take_before_name(lexer)) {
        return false;
    }
    statement->name = cbn_ptx_next(lexer);
    statement->parameters = (struct cbn_ptx_lexer){lexer->at, lexer->at};
    if (!take_parentheses(lexer, &statement->parameters)) {
        return false;
    }
    statement->rest = *lexer;
    for (struct cbn_ptx_token token = cbn_ptx_next(lexer);; token = cbn_ptx_next(lexer)) {
        statement->rest.end = token.text;
        if (cbn_ptx_is_punctuation(token, '{')) {
            statement->has_body = true;
            return cbn_ptx_skip_to_close(lexer, '{', '}', &statement->body);
        }
        if (cbn_ptx_is_punctuation(token, ';')) {
            return true;
        }
        struct cbn_ptx_lexer ignored;
        if (token.kind == CBN_PTX_END || token.kind == CBN_PTX_DAMAGED ||
            (cbn_ptx_token_is(token, ".pragma") && !take_to_semicolon(lexer, &ignored))) {
            return false;
        }
    }
}

static bool take_section(struct cbn_ptx_lexer *lexer, struct cbn_ptx_statement *statement)
{
    statement->rest = *lexer;
    struct cbn_ptx_token token = cbn_ptx_next(lexer);
    while (!cbn_ptx_is_punctuation(token, '{')) {
        if (token.kind == CBN_PTX_END || token.kind == CBN_PTX_DAMAGED ||
            cbn_ptx_is_punctuation(token, ';')) {
            return false;
        }
        token = cbn_ptx_next(lexer);
    }
    statement->rest.end = token.text;
    statement->has_body = true;
    return cbn_ptx_skip_to_close(lexer, '{', '}', &statement->body);
}

static bool take_rest(struct cbn_ptx_lexer *lexer, struct cbn_ptx_statement *statement)
{
    switch (statement->kind) {
    case CBN_PTX_STATEMENT_VARIABLE:
        return take_to_semicolon(lexer, &statement->rest);
    case CBN_PTX_STATEMENT_FUNCTION:
        return take_function(lexer, statement);
    case CBN_PTX_STATEMENT_SECTION:
        return take_section(lexer, statement);
    case CBN_PTX_STATEMENT_OTHER:
        if (!cbn_ptx_token_is(statement->directive, ".address_size") &&
            !cbn_ptx_token_is(statement->directive, ".loc")) {
            return take_to_semicolon(lexer, &statement->rest);
        }
        break;
    default:
        break;
    }
    take_operands(lexer, &statement->rest);
    return true;
}

struct cbn_ptx_statement cbn_ptx_next_statement(struct cbn_ptx_lexer *lexer)
{
    struct cbn_ptx_token token = cbn_ptx_next(lexer);
    while (cbn_ptx_is_punctuation(token, ';')) {
        token = cbn_ptx_next(lexer);
    }
    struct cbn_ptx_statement statement = {
        .kind = CBN_PTX_STATEMENT_END, .start = token.text, .end = token.text};
    if (token.kind == CBN_PTX_END) {
        return statement;
    }
    while (token.kind == CBN_PTX_DIRECTIVE && linkage_of(token)) {
        statement.linkage |= linkage_of(token);
        token = cbn_ptx_next(lexer);
    }
    statement.directive = token;
    statement.kind = token.kind == CBN_PTX_DIRECTIVE ? kind_of(token) : CBN_PTX_STATEMENT_DAMAGED;
    if (statement.kind == CBN_PTX_STATEMENT_DAMAGED || !take_rest(lexer, &statement)) {
        statement.kind = CBN_PTX_STATEMENT_DAMAGED;
        lexer->at = lexer->end;
        return statement;
    }
    statement.end = lexer->at;
    return statement;
}

/* Bytes of a fundamental type, or 0: its bits are the number at the end of its name, with an exception for
 * packed types ("f16x2"). */
static uint64_t type_bytes(struct cbn_ptx_token directive)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } table[] = {
        {".u8", 1},    {".s8", 1},   {".b8", 1},   {".u16", 2},  {".s16", 2},    {".b16", 2},
        {".f16", 2},   {".bf16", 2}, {".u32", 4},  {".s32", 4},  {".b32", 4},    {".f32", 4},
        {".f16x2", 4}, {".u64", 8},  {".s64", 8},  {".b64", 8},  {".f64", 8},    {".f32x2", 8},
        {".b128", 16}, {".e4m3", 1}, {".e5m2", 1}, {".tf32", 4}, {".bf16x2", 4}, {".pred", 1},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (cbn_ptx_token_is(directive, table[i].name)) {
            return table[i].bytes;
        }
    }
    return 0;
}

static uint64_t vector_length(struct cbn_ptx_token directive)
{
    return cbn_ptx_token_is(directive, ".v2")   ? 2
           : cbn_ptx_token_is(directive, ".v4") ? 4
           : cbn_ptx_token_is(directive, ".v8") ? 8
                                                : 1;
}

static bool is_opaque(struct cbn_ptx_token directive)
{
    return cbn_ptx_token_is(directive, ".texref") || cbn_ptx_token_is(directive, ".samplerref") ||
           cbn_ptx_token_is(directive, ".surfref");
}

static const uint64_t opaque_bytes = 8; /* the handle that a parameter of an opaque type is */

static void start_type(struct cbn_ptx_declarators *declarators)
{
    declarators->element = 1;
    declarators->explicit_alignment = 0;
    declarators->opaque = false;
    declarators->pointer = false;
}

struct cbn_ptx_declarators cbn_ptx_declarators_in(struct cbn_ptx_lexer text)
{
    struct cbn_ptx_declarators declarators = {.lexer = text};
    start_type(&declarators);
    return declarators;
}

static bool add_attribute(struct cbn_ptx_declarators *declarators)
{
    struct cbn_ptx_lexer inside = {0};
    if (!take_parentheses(&declarators->lexer, &inside)) {
        return false;
    }
    if (inside.at && cbn_ptx_token_is(cbn_ptx_next(&inside), ".managed")) {
        declarators->managed = true;
    }
    return true;
}

/* Takes in one directive of a declaration. What comes after ".ptr" is about the target of a pointer. */
static bool add_directive(struct cbn_ptx_declarators *declarators, struct cbn_ptx_token directive)
{
    struct cbn_ptx_lexer *lexer = &declarators->lexer;
    uint64_t bytes = type_bytes(directive);
    if (cbn_ptx_token_is(directive, ".param")) {
        start_type(declarators);
    } else if (cbn_ptx_token_is(directive, ".ptr")) {
        declarators->pointer = true;
    } else if (cbn_ptx_token_is(directive, ".attribute")) {
        return add_attribute(declarators);
    } else if (cbn_ptx_token_is(directive, ".align")) {
        uint64_t alignment;
        if (!cbn_ptx_integer(cbn_ptx_next(lexer), &alignment) || alignment == 0 || alignment > UINT32_MAX ||
            (alignment & (alignment - 1)) != 0) {
            return false;
        }
        if (!declarators->pointer) {
            declarators->explicit_alignment = alignment;
        }
    } else if (is_opaque(directive)) {
        declarators->opaque = true;
        declarators->element = opaque_bytes;
    } else if (bytes) {
        declarators->element *= bytes;
    } else {
        declarators->element *= vector_length(directive);
    }
    return declarators->element <= 128;
}

/* Takes the elements of an initialiser after its '{', and counts them. */
static bool take_elements(struct cbn_ptx_lexer *lexer, uint64_t *out_count)
{
    uint64_t count = 0;
    bool element = false;
    for (;;) {
        struct cbn_ptx_token token = cbn_ptx_next(lexer);
        if (token.kind == CBN_PTX_END || token.kind == CBN_PTX_DAMAGED) {
            return false;
        }
        if (cbn_ptx_is_punctuation(token, ',')) {
            element = false;
            continue;
        }
        if (cbn_ptx_is_punctuation(token, '}')) {
            *out_count = count;
            return true;
        }
        count += !element;
        element = true;
        if ((cbn_ptx_is_punctuation(token, '{') && !cbn_ptx_skip_to_close(lexer, '{', '}', NULL)) ||
            (cbn_ptx_is_punctuation(token, '(') && !cbn_ptx_skip_to_close(lexer, '(', ')', NULL))) {
            return false;
        }
    }
}

/* Takes an initialiser after its '='. out_count: of the elements at its first level, 0 for a single value */
static bool take_initialiser(struct cbn_ptx_lexer *lexer, uint64_t *out_count)
{
    *out_count = 0;
    if (cbn_ptx_is_punctuation(cbn_ptx_peek(lexer), '{')) {
        cbn_ptx_next(lexer);
        return take_elements(lexer, out_count);
    }
    for (struct cbn_ptx_token token = cbn_ptx_peek(lexer);
         !cbn_ptx_is_punctuation(token, ',') && token.kind != CBN_PTX_END; token = cbn_ptx_peek(lexer)) {
        cbn_ptx_next(lexer);
        if (token.kind == CBN_PTX_DAMAGED ||
            (cbn_ptx_is_punctuation(token, '(') && !cbn_ptx_skip_to_close(lexer, '(', ')', NULL))) {
            return false;
        }
    }
    return true;
}

/* Multiplies the size by the dimensions that start here. out_open: the first one is left out, "[]" */
static bool take_dimensions(struct cbn_ptx_lexer *lexer, uint64_t *bytes, bool *out_open)
{
    *out_open = false;
    while (cbn_ptx_is_punctuation(cbn_ptx_peek(lexer), '[')) {
        cbn_ptx_next(lexer);
        struct cbn_ptx_token token = cbn_ptx_next(lexer);
        if (cbn_ptx_is_punctuation(token, ']')) {
            *out_open = true;
            continue;
        }
        uint64_t count;
        if (!cbn_ptx_integer(token, &count) || !cbn_ptx_is_punctuation(cbn_ptx_next(lexer), ']') ||
            __builtin_mul_overflow(*bytes, count, bytes)) {
            return false;
        }
    }
    return true;
}

/* Takes what follows a name. */
static bool take_declarator(struct cbn_ptx_declarators *declarators, struct cbn_ptx_declarator *declarator)
{
    struct cbn_ptx_lexer *lexer = &declarators->lexer;
    if (cbn_ptx_is_punctuation(cbn_ptx_peek(lexer), '<')) {
        cbn_ptx_next(lexer);
        declarator->many_names = true;
        if (!cbn_ptx_skip_to_close(lexer, '<', '>', NULL)) {
            return false;
        }
    }
    bool open;
    uint64_t elements = 0;
    if (!take_dimensions(lexer, &declarator->bytes, &open)) {
        return false;
    }
    if (cbn_ptx_is_punctuation(cbn_ptx_peek(lexer), '=')) {
        cbn_ptx_next(lexer);
        if (!take_initialiser(lexer, &elements)) {
            return false;
        }
    }
    if (open && __builtin_mul_overflow(declarator->bytes, elements, &declarator->bytes)) {
        return false;
    }
    struct cbn_ptx_token token = cbn_ptx_next(lexer);
    return token.kind == CBN_PTX_END || cbn_ptx_is_punctuation(token, ',');
}

bool cbn_ptx_next_declarator(struct cbn_ptx_declarators *declarators,
                             struct cbn_ptx_declarator *out_declarator)
{
    struct cbn_ptx_token token = cbn_ptx_next(&declarators->lexer);
    if (token.kind == CBN_PTX_END) {
        return false;
    }
    declarators->damaged = true;
    for (; token.kind == CBN_PTX_DIRECTIVE; token = cbn_ptx_next(&declarators->lexer)) {
        if (!add_directive(declarators, token)) {
            return false;
        }
    }
    if (token.kind != CBN_PTX_WORD) {
        return false;
    }
    struct cbn_ptx_declarator declarator = {
        .name = token,
        .bytes = declarators->element,
        .alignment = (uint32_t)(declarators->explicit_alignment ? declarators->explicit_alignment
                                                                : declarators->element),
        .opaque = declarators->opaque,
    };
    if (!take_declarator(declarators, &declarator)) {
        return false;
    }
    declarators->damaged = false;
    *out_declarator = declarator;
    return true;
}
