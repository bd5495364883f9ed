/* SPDX-License-Identifier: Apache-2.0 */
#include "cxx/cxx_reader.h"

#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_MADE = 100000000, /* tokens that macros may make in a unit */
    MAX_SOURCES = 10000,
};

/* The arguments of one use of a macro: one list of tokens, and where each argument ends in it. */
struct arguments {
    struct cxx_tokens tokens;
    size_t *ends;
    size_t count;
};

static void arguments_free(struct arguments *arguments)
{
    cxx_tokens_free(&arguments->tokens);
    free(arguments->ends);
}

static void add_token(struct cxx_reader *reader, struct cxx_tokens *tokens, const struct cxx_token *token)
{
    cxx_failed(reader, cxx_tokens_add(tokens, token));
}

static void push(struct cxx_reader *reader, const struct cxx_source *source)
{
    if (reader->source_count >= MAX_SOURCES) {
        cxx_failed(reader, cbn_error(CUBINET_ERROR_LIMIT, "macros expand to macros without end"));
    }
    struct cxx_source *sources =
        reader->status ? NULL : reallocarray(reader->sources, reader->source_count + 1, sizeof(*sources));
    if (!sources) {
        free(source->owned);
        cxx_failed(reader, CUBINET_ERROR_OUT_OF_MEMORY);
        return;
    }
    reader->sources = sources;
    sources[reader->source_count++] = *source;
    if (source->macro) {
        source->macro->is_disabled = true;
    }
}

static void push_list(struct cxx_reader *reader, const struct cxx_token *tokens, size_t count,
                      struct cxx_token *owned, struct cxx_macro *macro)
{
    push(reader, &(struct cxx_source){tokens, count ? tokens + count : tokens, owned, macro});
}

/* Drops lists of tokens that are read. Whether one is left. */
static bool has_source(struct cxx_reader *reader)
{
    while (reader->source_count > reader->source_base) {
        struct cxx_source *source = &reader->sources[reader->source_count - 1];
        if (source->at < source->end) {
            return true;
        }
        if (source->macro) {
            source->macro->is_disabled = false;
        }
        free(source->owned);
        reader->source_count--;
    }
    return false;
}

struct cxx_token cxx_take(struct cxx_reader *reader)
{
    static const struct cxx_token end = {.kind = CXX_END, .text = ""};
    if (reader->status) {
        return end;
    }
    if (has_source(reader)) {
        return *reader->sources[reader->source_count - 1].at++;
    }
    if (!reader->at) {
        return end;
    }
    const struct cxx_token *token = cxx_file_token(reader);
    reader->at += token->kind != CXX_END;
    return *token;
}

/* Whether the next token is an opening parenthesis. */
static bool parenthesis_follows(struct cxx_reader *reader)
{
    if (has_source(reader)) {
        return cxx_is(reader->sources[reader->source_count - 1].at, '(');
    }
    return reader->at && cxx_is(cxx_file_token(reader), '(');
}

/* What a macro's use takes of the file grows by this token. */
static void extend(struct cxx_reader *reader, uint32_t expansion, struct cxx_token *token)
{
    if (token->expansion == 0 && expansion > 0) {
        uint32_t end = token->offset + token->size;
        struct cxx_expansion *use = &reader->unit->expansions[expansion];
        use->end = end > use->end ? end : use->end;
        token->expansion = expansion;
    }
}

static void end_argument(struct cxx_reader *reader, struct arguments *arguments)
{
    size_t *ends = reallocarray(arguments->ends, arguments->count + 1, sizeof(*ends));
    if (!ends) {
        cxx_failed(reader, cbn_error_memory());
        return;
    }
    arguments->ends = ends;
    ends[arguments->count++] = arguments->tokens.count;
}

/* Reads arguments from their parenthesis on; false if it is not closed. */
static bool read_arguments(struct cxx_reader *reader, const struct cxx_macro *macro, uint32_t expansion,
                           struct arguments *arguments)
{
    bool was_in_arguments = reader->in_arguments;
    reader->in_arguments = true;
    unsigned depth = 0;
    bool closed = false;
    while (!closed && !reader->status) {
        struct cxx_token token = cxx_take(reader);
        if (token.kind == CXX_END) {
            break;
        }
        extend(reader, expansion, &token);
        depth += cxx_is(&token, '(');
        depth -= cxx_is(&token, ')');
        bool is_rest = macro->is_variadic && arguments->count + 1 >= macro->parameter_count;
        if (depth == 0) {
            closed = true;
        } else if (depth == 1 && cxx_is(&token, ',') && !is_rest) {
            end_argument(reader, arguments);
        } else if (depth > 1 || !cxx_is(&token, '(')) {
            add_token(reader, &arguments->tokens, &token);
        }
    }
    end_argument(reader, arguments);
    reader->in_arguments = was_in_arguments;
    return closed && !reader->status;
}

static const struct cxx_token *argument_of(const struct arguments *arguments, size_t number,
                                           size_t *out_count)
{
    size_t begin = number > 0 && number <= arguments->count ? arguments->ends[number - 1] : 0;
    *out_count = number < arguments->count ? arguments->ends[number] - begin : 0;
    return begin ? arguments->tokens.items + begin : arguments->tokens.items;
}

/* A token of text that is in no file. */
static struct cxx_token made_token(struct cxx_reader *reader, const char *text, size_t size,
                                   const struct cxx_token *like)
{
    struct cxx_token token = *like;
    char *room = cxx_unit_room(reader->unit, size + 1);
    if (!room) {
        cxx_failed(reader, CUBINET_ERROR_OUT_OF_MEMORY);
        token.size = 0;
        return token;
    }
    memcpy(room, text, size);
    room[size] = '\0';
    struct cxx_tokens tokens = {0};
    if (!cxx_failed(reader, cxx_lex(room, like->file, &tokens))) {
        token.kind = tokens.items[0].kind;
        token.sign = tokens.items[0].sign;
    }
    cxx_tokens_free(&tokens);
    token.text = room;
    token.size = (uint32_t)size;
    return token;
}

static void add_string(struct cxx_reader *reader, const struct cxx_token *tokens, size_t count,
                       const struct cxx_token *like, struct cxx_tokens *made)
{
    size_t size = 3;
    for (size_t i = 0; i < count; i++) {
        size += tokens[i].size + 1;
    }
    char *text = malloc(size);
    if (!text) {
        cxx_failed(reader, cbn_error_memory());
        return;
    }
    size_t end = 0;
    text[end++] = '"';
    for (size_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < tokens[i].size; j++) {
            char c = tokens[i].text[j];
            text[end++] = c == '"' || c == '\\' || c == '\n' ? '\'' : c;
        }
    }
    text[end++] = '"';
    struct cxx_token token = made_token(reader, text, end, like);
    add_token(reader, made, &token);
    free(text);
}

/* Glues the next token to the last one that was made. */
static void paste(struct cxx_reader *reader, struct cxx_tokens *made, const struct cxx_token *next)
{
    struct cxx_token *last = &made->items[made->count - 1];
    size_t size = (size_t)last->size + next->size;
    char *text = malloc(size + 1);
    if (!text) {
        cxx_failed(reader, cbn_error_memory());
        return;
    }
    memcpy(text, last->text, last->size);
    memcpy(text + last->size, next->text, next->size);
    *last = made_token(reader, text, size, last);
    free(text);
}

static void add_list(struct cxx_reader *reader, struct cxx_tokens *made, const struct cxx_token *tokens,
                     size_t count, bool pastes)
{
    for (size_t i = 0; i < count && !reader->status; i++) {
        if (pastes && i == 0 && made->count > 0) {
            paste(reader, made, &tokens[i]);
        } else {
            add_token(reader, made, &tokens[i]);
        }
    }
}

/* One use of a macro. */
struct use {
    struct cxx_reader *reader;
    const struct cxx_macro *macro;
    const struct arguments *arguments;
    struct cxx_token name; /* where it is used */
    struct cxx_tokens made;
};

/* A token of the macro's text, as if it stood where the macro is used. */
static struct cxx_token moved(const struct use *use, const struct cxx_token *token)
{
    struct cxx_token copy = *token;
    copy.file = use->name.file;
    copy.line = use->name.line;
    copy.offset = use->name.offset;
    copy.expansion = use->name.expansion;
    copy.flags &= CXX_AFTER_SPACE | CXX_PAINTED;
    return copy;
}

static void add_argument(struct use *use, size_t number, bool is_raw, bool pastes)
{
    size_t count;
    const struct cxx_token *tokens = argument_of(use->arguments, number, &count);
    if (is_raw) {
        add_list(use->reader, &use->made, tokens, count, pastes);
        return;
    }
    struct cxx_tokens expanded = {0};
    cxx_expand_list(use->reader, tokens, count, &expanded);
    add_list(use->reader, &use->made, expanded.items, expanded.count, false);
    cxx_tokens_free(&expanded);
}

/* Where the parenthesis that opens at `at` is closed; `end` if it isn't. */
static const struct cxx_token *closing(const struct cxx_token *at, const struct cxx_token *end)
{
    unsigned depth = 0;
    for (; at < end; at++) {
        depth += cxx_is(at, '(');
        depth -= cxx_is(at, ')');
        if (depth == 0) {
            return at;
        }
    }
    return end;
}

static bool has_rest(const struct use *use)
{
    size_t count = 0;
    if (use->macro->is_variadic) {
        argument_of(use->arguments, use->macro->parameter_count - 1, &count);
    }
    return count > 0;
}

static void substitute(struct use *use, const struct cxx_token *at, const struct cxx_token *end)
{
    bool pastes = false;
    for (; at < end && !use->reader->status; at++) {
        bool is_pasted = at + 1 < end && cxx_is(at + 1, CXX_PASTE);
        int number = use->arguments ? cxx_macro_parameter(use->macro, at) : -1;
        struct cxx_token token = moved(use, at);
        if (cxx_is(at, CXX_PASTE)) {
            pastes = use->made.count > 0;
            continue;
        }
        if (use->arguments && cxx_is(at, '#') && at + 1 < end &&
            cxx_macro_parameter(use->macro, at + 1) >= 0) {
            size_t count;
            at++;
            const struct cxx_token *raw =
                argument_of(use->arguments, (size_t)cxx_macro_parameter(use->macro, at), &count);
            add_string(use->reader, raw, count, &token, &use->made);
        } else if (use->macro->is_variadic && cxx_is_word(at, "__VA_OPT__") && at + 1 < end) {
            const struct cxx_token *last = closing(at + 1, end);
            if (has_rest(use)) {
                substitute(use, at + 2, last);
            }
            at = last < end ? last : end - 1;
        } else if (number >= 0) {
            size_t before = use->made.count;
            bool drops_comma = pastes && before > 0 && cxx_is(&use->made.items[before - 1], ',');
            if (drops_comma && !has_rest(use)) {
                use->made.count--; /* `, ##__VA_ARGS__` without arguments */
            } else {
                add_argument(use, (size_t)number, is_pasted || pastes, pastes && !drops_comma);
            }
        } else if (pastes) {
            paste(use->reader, &use->made, &token);
        } else {
            add_token(use->reader, &use->made, &token);
        }
        pastes = false;
    }
}

/* A use in the file starts what stands for a part of it. */
static void begin_expansion(struct cxx_reader *reader, struct cxx_token *token)
{
    struct cxx_unit *unit = reader->unit;
    if (token->expansion > 0 || !reader->at) {
        return;
    }
    if ((unit->expansion_count & (unit->expansion_count - 1)) == 0) {
        struct cxx_expansion *expansions =
            reallocarray(unit->expansions, 2 * unit->expansion_count + 1, sizeof(*expansions));
        if (!expansions) {
            cxx_failed(reader, cbn_error_memory());
            return;
        }
        unit->expansions = expansions;
    }
    token->expansion = (uint32_t)unit->expansion_count;
    unit->expansions[unit->expansion_count++] =
        (struct cxx_expansion){token->offset, token->offset + token->size, token->file};
}

static bool expand_builtin(struct cxx_reader *reader, struct cxx_token *token)
{
    static const char *const names[] = {"__LINE__", "__COUNTER__", NULL};
    if (token->size < 8 || token->text[0] != '_' || !cxx_is_any_word(token, names)) {
        return false;
    }
    char text[24];
    bool is_line = token->text[2] == 'L';
    begin_expansion(reader, token);
    uint32_t line = cxx_line_number(reader->unit->files[reader->file], token->line);
    int size = snprintf(text, sizeof(text), "%u", is_line ? line : reader->counter++);
    *token = made_token(reader, text, (size_t)size, token);
    return false; /* it is the token that was made */
}

static bool fits(const struct cxx_macro *macro, const struct arguments *arguments)
{
    bool is_empty = arguments->count == 1 && arguments->tokens.count == 0;
    size_t least = macro->parameter_count - macro->is_variadic;
    return (is_empty && macro->parameter_count == 0) ||
           (arguments->count >= least && (macro->is_variadic || arguments->count == macro->parameter_count));
}

bool cxx_expand(struct cxx_reader *reader, struct cxx_token *token)
{
    if (token->kind != CXX_WORD || token->flags & CXX_PAINTED) {
        return false;
    }
    struct cxx_macro *macro = cxx_macros_find(&reader->macros, token);
    if (!macro) {
        return expand_builtin(reader, token);
    }
    if (!macro->takes_arguments && macro->body_size == 1 && cxx_same(macro->body, token)) {
        return false; /* stands for itself */
    }
    if (macro->is_disabled) {
        token->flags |= CXX_PAINTED;
        return false;
    }
    if (macro->takes_arguments && !parenthesis_follows(reader)) {
        return false;
    }
    struct arguments arguments = {0};
    begin_expansion(reader, token);
    struct use use = {.reader = reader, .macro = macro, .name = *token};
    bool is_whole = true;
    if (macro->takes_arguments) {
        use.arguments = &arguments;
        is_whole = read_arguments(reader, macro, token->expansion, &arguments) && fits(macro, &arguments);
    }
    if (is_whole && macro->body_size > 0) {
        substitute(&use, macro->body, macro->body + macro->body_size);
        reader->made += use.made.count;
        if (reader->made > MAX_MADE) {
            cxx_failed(reader, cbn_error(CUBINET_ERROR_LIMIT, "macros expand to over %d tokens", MAX_MADE));
        }
    }
    push_list(reader, use.made.items, use.made.count, use.made.items, is_whole ? macro : NULL);
    arguments_free(&arguments);
    return true;
}

void cxx_expand_list(struct cxx_reader *reader, const struct cxx_token *tokens, size_t count,
                     struct cxx_tokens *out_tokens)
{
    size_t base = reader->source_base;
    const struct cxx_token *at = reader->at;
    reader->at = NULL;
    reader->source_base = reader->source_count;
    push_list(reader, tokens, count, NULL, NULL);
    while (!reader->status) {
        struct cxx_token token = cxx_take(reader);
        if (token.kind == CXX_END) {
            break;
        }
        if (!cxx_expand(reader, &token)) {
            add_token(reader, out_tokens, &token);
        }
    }
    has_source(reader);
    reader->source_base = base;
    reader->at = at;
}
