/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that are compiled: those of the files, with what is skipped blanked and what replaces it
 * inserted. */
#include "source/host_skip.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "source/complex_type.h"
#include "source/host_heads.h"
#include "source/statement_expressions.h"

#include <stdlib.h>
#include <string.h>

struct change;

/* What becomes of each token. */
struct plan {
    const struct host_skip *skip;
    unsigned char *dropped; /* one for each token */
    struct buffer *before;  /* text before each token */
    struct change *changes; /* one for each file */
    bool failed;
};

static void drop_tokens(struct plan *plan, size_t first, size_t end)
{
    memset(plan->dropped + first, 1, end - first);
}

static void put_pieces(struct plan *plan, const struct skeleton *skeleton)
{
    for (size_t i = 0; i < skeleton->count; i++) {
        const struct skeleton_piece *piece = &skeleton->pieces[i];
        if (!piece->is_dropped) {
            buffer_puts(&plan->before[piece->token], " ");
            buffer_puts(&plan->before[piece->token], piece->text);
        }
    }
}

/* Kernels in the initializer of a variable that is dropped, as in a table of them, are used by a function in
 * its place. */
static void plan_initializer(struct plan *plan, const struct declaration *declaration,
                             const struct skeleton *skeleton)
{
    if (skeleton->count > 0) {
        buffer_printf(&plan->before[declaration->first], " static inline void cubinet_use_%zu() {",
                      declaration->first);
        put_pieces(plan, skeleton);
        buffer_puts(&plan->before[declaration->end - 1], " }");
    }
}

static void plan_skeleton(struct plan *plan, const struct declaration *declaration,
                          const struct host_part *part)
{
    bool drops = declaration->initializers && !part->has_initializers;
    size_t first = drops ? declaration->initializers : declaration->body;
    drop_tokens(plan, first, declaration->body);
    drop_tokens(plan, declaration->body + 1, declaration->body_end);
    for (size_t i = declaration->body; i > declaration->parameters; i--) {
        /* `try` before the body */
        plan->dropped[i - 1] |= cxx_is_word(&plan->skip->unit.tokens.items[i - 1], "try");
    }
    if (plan->skip->is_relocatable) { /* no calls of the device runtime shall be left */
        buffer_puts(&plan->before[declaration->body + 1], " if (false) {");
        buffer_puts(&plan->before[declaration->body_end - 1], " }");
    }
    put_pieces(plan, &part->skeleton);
    buffer_puts(&plan->before[declaration->body_end - 1], " }");
}

/* The position after what stands before all specifiers of a function: `template <>`, `extern "C"`,
 * attributes. SIZE_MAX for a template. */
static size_t specifiers_start(const struct cxx_token *tokens, const struct declaration *function)
{
    for (size_t at = function->first;;) {
        if (cxx_is_word(&tokens[at], "template")) {
            if (!cxx_is(&tokens[at + 2], '>')) {
                return SIZE_MAX;
            }
            at += 3;
        } else if (cxx_is_word(&tokens[at], "extern") && tokens[at + 1].kind == CXX_TEXT) {
            at += 2;
        } else if (cxx_is(&tokens[at], '[')) {
            at = declarations_skip_pair(tokens, at, function->parameters);
        } else {
            return at;
        }
    }
}

/* Has a function of the host's left out of relocatable code, which has every function that is not inline,
 * called or not. */
static void plan_inline(struct plan *plan, const struct declaration *function)
{
    static const char *const known[] = {"inline",          "__inline__", "__inline",
                                        "__forceinline__", "static",     NULL};
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    size_t start = specifiers_start(tokens, function);
    bool is_known = start == SIZE_MAX || function->flags & DECLARED_MEMBER || !function->body;
    for (size_t i = function->first; i < function->parameters && !is_known; i++) {
        is_known = cxx_is_any_word(&tokens[i], known);
    }
    if (is_known) {
        return;
    }
    if (function->name != SIZE_MAX && cxx_is_word(&tokens[function->name], "main")) {
        plan->dropped[function->name] = 1; /* it can't be inline */
        buffer_puts(&plan->before[function->name], " cubinet_main");
    }
    buffer_puts(&plan->before[start], " inline ");
}

/* Takes __host__ from a declaration that stays: NVRTC refuses it alone, and on variables, of which nvcc only
 * warns. */
static void plan_head(struct plan *plan, const struct declaration *declaration)
{
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    bool is_variable = declaration->kind == DECLARATION_VARIABLE && declaration->name != SIZE_MAX;
    size_t end = is_variable         ? declaration->name /* lambdas in its value keep theirs */
                 : declaration->body ? declaration->body
                                     : declaration->end;
    for (size_t i = declaration->first; i < end; i++) {
        plan->dropped[i] |= cxx_is_word(&tokens[i], "__host__");
    }
}

/* What a class declares after its body: variables of the host's. */
static void plan_declarators(struct plan *plan, const struct declaration *declaration)
{
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    unsigned kept = DECLARED_MEMBER | DECLARED_ON_DEVICE | DECLARED_CONST | DECLARED_CONSTEXPR;
    size_t last = declaration->end - 1;
    if (!(declaration->flags & kept) && declaration->name != SIZE_MAX &&
        declaration->end > declaration->body_end + 1 && cxx_is(&tokens[last], ';')) {
        drop_tokens(plan, declaration->body_end, last);
    }
}

/* NVRTC takes no attributes of namespaces. */
static void plan_attributes(struct plan *plan, const struct declaration *declaration)
{
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    for (size_t i = declaration->first; i < declaration->body; i++) {
        if (cxx_is(&tokens[i], '[')) {
            drop_tokens(plan, i, declarations_skip_pair(tokens, i, declaration->body));
        }
    }
}

/* Takes the initializers from data members, as in `a = x, b{y};`. */
static void plan_values(struct plan *plan, const struct declaration *declaration)
{
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    size_t end = declaration->end - 1;
    for (size_t at = declaration->value; at < end;) {
        size_t next = at;
        if (cxx_is(&tokens[at], '{')) {
            next = declarations_skip_pair(tokens, at, end);
        }
        while (cxx_is(&tokens[at], '=') && next < end && !cxx_is(&tokens[next], ',')) {
            bool opens =
                cxx_is(&tokens[next], '(') || cxx_is(&tokens[next], '{') || cxx_is(&tokens[next], '[');
            size_t angles = cxx_is(&tokens[next], '<') ? declarations_skip_angles(tokens, next, end) : next;
            next = opens ? declarations_skip_pair(tokens, next, end) : angles > next ? angles : next + 1;
        }
        drop_tokens(plan, at, next);
        at = next > at ? next : at + 1;
    }
}

/* Leaves a variable of the host's as one that is defined elsewhere. */
static void plan_declared(struct plan *plan, const struct declaration *declaration)
{
    static const char *const storage[] = {"static", "inline", "thread_local", "extern", "__host__", NULL};
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    for (size_t i = declaration->first; i < declaration->name; i++) {
        plan->dropped[i] |= cxx_is_any_word(&tokens[i], storage);
    }
    if (declaration->value) {
        drop_tokens(plan, declaration->value, declaration->end - 1);
    }
    buffer_puts(&plan->before[declaration->first], " extern ");
    buffer_puts(&plan->before[declaration->name + 1], " [[deprecated(\"the host's type\")]] ");
}

static void plan_declaration(struct plan *plan, const struct declaration *declaration,
                             const struct host_part *part)
{
    bool is_function = declaration->kind == DECLARATION_FUNCTION;
    bool is_hosts = is_function && !(declaration->flags & DECLARED_ON_DEVICE);
    if (part->fate == HOST_DROPPED) {
        drop_tokens(plan, declaration->first, declaration->end);
        plan_initializer(plan, declaration, &part->skeleton);
        return;
    }
    if (part->fate == HOST_HEAD) {
        host_head_plan(plan->skip->unit.tokens.items, declaration, plan->dropped, plan->before);
        return;
    }
    if (part->fate == HOST_DECLARED) {
        plan_declared(plan, declaration);
        return;
    }
    if (part->fate == HOST_VALUELESS) {
        plan_values(plan, declaration);
        return;
    }
    if (part->fate == HOST_SKELETON) {
        plan_skeleton(plan, declaration, part);
    } else if (part->fate == HOST_BODILESS || part->fate == HOST_TRAP) {
        drop_tokens(plan, declaration->initializers ? declaration->initializers : declaration->body,
                    declaration->end);
        buffer_puts(&plan->before[declaration->body], part->fate == HOST_TRAP ? " { __trap(); }" : ";");
    } else if (declaration->kind == DECLARATION_CLASS) {
        plan_declarators(plan, declaration);
    } else if (declaration->kind == DECLARATION_NAMESPACE) {
        plan_attributes(plan, declaration);
    }
    if (is_hosts || declaration->kind == DECLARATION_VARIABLE) {
        plan_head(plan, declaration);
    }
    if (is_hosts && plan->skip->is_relocatable && part->is_hosts && part->fate != HOST_BODILESS) {
        plan_inline(plan, declaration);
    }
}

/* A file's new text: the old one, of which parts are blanked, and what is put into it. */
struct change {
    char *text;          /* NULL: the file stays as it is */
    unsigned char *kept; /* of a file that is read several times: bytes that some reading keeps */
    struct insertion {
        uint32_t offset;
        uint32_t order;
        char *text;
    } * insertions;
    size_t count;
};

static bool begin_change(struct plan *plan, uint16_t file)
{
    struct change *change = &plan->changes[file];
    if (!change->text) {
        change->text = strdup(plan->skip->unit.files[file]->text);
        plan->failed |= !change->text;
    }
    return change->text != NULL;
}

static void blank(struct plan *plan, uint16_t file, uint32_t begin, uint32_t end)
{
    struct change *change = &plan->changes[file];
    if (!begin_change(plan, file) || (change->kept && memchr(change->kept + begin, 1, end - begin))) {
        return;
    }
    for (uint32_t i = begin; i < end; i++) {
        if (!strchr("\n\r\t", change->text[i])) {
            change->text[i] = ' ';
        }
    }
}

/* Takes the text over. */
static void insert(struct plan *plan, uint16_t file, uint32_t offset, char *text)
{
    struct change *change = &plan->changes[file];
    struct insertion *insertions = array_grow(change->insertions, change->count, sizeof(*insertions));
    if (!insertions || !text || !begin_change(plan, file)) {
        change->insertions = insertions ? insertions : change->insertions;
        free(text);
        plan->failed = true;
        return;
    }
    change->insertions = insertions;
    insertions[change->count] = (struct insertion){offset, (uint32_t)change->count, text};
    change->count++;
}

/* Lines that are spliced are one. Only a raw string has others, which are part of it. */
static void put_on_line(struct buffer *text, const char *token, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool is_splice = token[i] == '\\' && i + 1 < size && token[i + 1] == '\n';
        buffer_append(text, token + i, is_splice ? 0 : 1);
        i += is_splice;
    }
}

/* The tokens that one use of a macro made, if they do not all stay: as text in place of it. */
static void change_expansion(struct plan *plan, size_t first, size_t end)
{
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    const struct cxx_expansion *use = &plan->skip->unit.expansions[tokens[first].expansion];
    struct buffer text = {0};
    bool changed = false;
    for (size_t i = first; i < end; i++) {
        changed |= plan->dropped[i] || plan->before[i].data;
    }
    for (size_t i = first; i < end && changed; i++) {
        if (plan->before[i].data) {
            buffer_append(&text, plan->before[i].data, plan->before[i].size);
        }
        if (!plan->dropped[i]) {
            bool is_joined = i > first && tokens[i - 1].text + tokens[i - 1].size == tokens[i].text;
            buffer_puts(&text, is_joined ? "" : " "); /* `|=` is two tokens */
            put_on_line(&text, tokens[i].text, tokens[i].size);
        }
    }
    if (changed) {
        buffer_puts(&text, " ");
        blank(plan, use->file, use->begin, use->end);
        insert(plan, use->file, use->begin, buffer_take(&text));
    }
}

static void change_token(struct plan *plan, size_t number)
{
    const struct cxx_token *token = &plan->skip->unit.tokens.items[number];
    if (plan->dropped[number]) {
        blank(plan, token->file, token->offset, token->offset + token->size);
    }
    if (plan->before[number].data) {
        insert(plan, token->file, token->offset, buffer_take(&plan->before[number]));
    }
}

static size_t expansion_end(const struct cxx_tokens *tokens, size_t at)
{
    uint32_t expansion = tokens->items[at].expansion;
    size_t next = at + 1;
    while (expansion && next + 1 < tokens->count && tokens->items[next].expansion == expansion) {
        next++;
    }
    return next;
}

/* A file that is read several times keeps what one of the readings keeps. */
static void mark_kept(struct plan *plan)
{
    const struct cxx_unit *unit = &plan->skip->unit;
    for (size_t i = 0; i < unit->file_count; i++) {
        if (unit->files[i]->uses > 1) {
            plan->changes[i].kept = calloc(strlen(unit->files[i]->text) + 1, 1);
            plan->failed |= !plan->changes[i].kept;
        }
    }
    for (size_t i = 0; i + 1 < unit->tokens.count && !plan->failed; i++) {
        const struct cxx_token *token = &unit->tokens.items[i];
        unsigned char *kept = plan->changes[token->file].kept;
        if (kept && !plan->dropped[i] && !plan->before[i].data) {
            uint32_t begin = token->expansion ? unit->expansions[token->expansion].begin : token->offset;
            memset(kept + begin, 1, cxx_token_end(unit, token) - begin);
        }
    }
}

static int compare_insertions(const void *left, const void *right)
{
    const struct insertion *one = left;
    const struct insertion *other = right;
    if (one->offset != other->offset) {
        return one->offset < other->offset ? -1 : 1;
    }
    return one->order < other->order ? -1 : one->order > other->order;
}

static char *changed_text(struct change *change)
{
    struct buffer text = {0};
    uint32_t at = 0;
    if (change->count > 0) {
        qsort(change->insertions, change->count, sizeof(*change->insertions), compare_insertions);
    }
    for (size_t i = 0; i < change->count; i++) {
        const struct insertion *insertion = &change->insertions[i];
        bool is_twice = i > 0 && insertion[-1].offset == insertion->offset && change->kept &&
                        strcmp(insertion[-1].text, insertion->text) == 0;
        if (!is_twice) {
            buffer_append(&text, change->text + at, insertion->offset - at);
            buffer_puts(&text, insertion->text);
            at = insertion->offset;
        }
    }
    buffer_puts(&text, change->text + at);
    return buffer_take(&text);
}

/* Blanks the directive on a line. */
static void change_line(struct plan *plan, const struct host_line *line)
{
    const struct cxx_file *file = plan->skip->unit.files[line->file];
    const struct cxx_tokens *tokens = &file->tokens;
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens->items[i].line == line->line && cxx_is(&tokens->items[i], '#')) {
            uint32_t begin = tokens->items[i].offset;
            blank(plan, line->file, begin, begin + (uint32_t)strcspn(file->text + begin, "\n"));
            return;
        }
    }
}

/* Whether the directives between two tokens of a file are whole conditions, and nothing that counts
 * elsewhere. */
static bool has_whole_conditions(const struct cxx_file *file, uint32_t begin, uint32_t end)
{
    static const char *const opens[] = {"if", "ifdef", "ifndef", NULL};
    static const char *const others[] = {"elif",   "else",  "elifdef", "elifndef",
                                         "pragma", "error", "warning", NULL};
    const struct cxx_tokens *tokens = &file->tokens;
    unsigned depth = 0;
    for (size_t i = 0; i + 1 < tokens->count && tokens->items[i].offset < end; i++) {
        const struct cxx_token *token = &tokens->items[i];
        if (token->offset < begin || !cxx_is(token, '#') || !(token->flags & CXX_STARTS_LINE)) {
            continue;
        }
        bool closes = cxx_is_word(token + 1, "endif");
        bool is_pragma = cxx_is_word(token + 1, "pragma");
        depth += cxx_is_any_word(token + 1, opens);
        if (depth == 0 && !is_pragma) {
            return false;
        }
        if (!closes && !cxx_is_any_word(token + 1, opens) && !cxx_is_any_word(token + 1, others)) {
            return false;
        }
        depth -= closes;
    }
    return depth == 0;
}

/* Blanks what is between the tokens from one to another that are dropped: branches that are not taken here
 * may be taken by the compiler, which knows more macros. */
static void clear(struct plan *plan, size_t first, size_t last)
{
    const struct cxx_unit *unit = &plan->skip->unit;
    const struct cxx_token *one = &unit->tokens.items[first];
    const struct cxx_token *other = &unit->tokens.items[last];
    uint32_t begin = cxx_token_end(unit, one);
    uint32_t end = other->expansion ? unit->expansions[other->expansion].begin : other->offset;
    if (one->file != other->file || end < begin ||
        !has_whole_conditions(unit->files[one->file], begin, end)) {
        return;
    }
    blank(plan, one->file, begin, end);
}

/* The same between what is dropped of a declaration. */
static void clear_runs(struct plan *plan, const struct declaration *declaration)
{
    size_t first = SIZE_MAX; /* of the tokens that are dropped one after another */
    for (size_t i = declaration->first; i < declaration->end && !plan->failed; i++) {
        if (!plan->dropped[i]) {
            first = SIZE_MAX;
        } else if (first == SIZE_MAX) {
            first = i;
        } else if (i + 1 == declaration->end || !plan->dropped[i + 1]) {
            clear(plan, first, i);
        }
    }
}

static void clear_parts(struct plan *plan)
{
    const struct host_skip *skip = plan->skip;
    for (size_t i = 0; i < skip->declarations.count && !plan->failed; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        const struct host_part *part = &skip->parts.items[i];
        if (part->is_inside || part->fate == HOST_KEPT || part->fate == HOST_VALUELESS ||
            part->fate == HOST_DECLARED) {
            continue;
        }
        if (part->fate == HOST_HEAD) {
            clear_runs(plan, declaration);
            continue;
        }
        bool is_whole = part->fate == HOST_DROPPED;
        clear(plan, is_whole ? declaration->first : declaration->body, declaration->end - 1);
    }
}

static void insert_lines(struct plan *plan, uint16_t file, const struct cxx_token *before, const char *lines)
{
    struct buffer text = {0};
    buffer_printf(&text, "\n%s#line %u\n", lines, before->line);
    insert(plan, file, before->offset, buffer_take(&text));
}

/* What a line that starts with a token is for define_gcc(). */
static enum gcc_line { GCC_OTHER, GCC_INCLUDE, GCC_CONDITION } gcc_line(const struct cxx_token *token)
{
    static const char *const includes[] = {"include", "include_next", NULL};
    static const char *const conditions[] = {"else", "elif", "elifdef", "elifndef", "endif", NULL};
    if (!cxx_is(token, '#')) {
        return GCC_OTHER;
    }
    return cxx_is_any_word(token + 1, includes)     ? GCC_INCLUDE
           : cxx_is_any_word(token + 1, conditions) ? GCC_CONDITION
                                                    : GCC_OTHER;
}

/* Has gcc's and glibc's macros defined in a file, and not in what it includes: the toolkit's headers would
 * take NVRTC for gcc, and headers that are read define them themselves. Where a condition leaves an include
 * out, the lines that are inserted there are counted, and their #line is not seen: another comes after it. */
static void define_gcc(struct plan *plan, uint16_t file)
{
    static const char defined[] =
        "#define __GNUC__ " CXX_GNUC "\n#define __GNUC_MINOR__ " CXX_GNUC_MINOR
        "\n#define __GNUC_PATCHLEVEL__ 0\n#define __GLIBC__ 2\n#define __GLIBC_MINOR__ 36\n"
        "#ifndef _GLIBCXX_USE_CXX11_ABI\n#define _GLIBCXX_USE_CXX11_ABI 1\n#endif\n"
        "#define __GXX_ABI_VERSION " CXX_GNUC_ABI "\n";
    static const char undefined[] = "#undef __GNUC__\n#undef __GNUC_MINOR__\n#undef __GNUC_PATCHLEVEL__\n"
                                    "#undef __GLIBC__\n#undef __GLIBC_MINOR__\n#undef __GXX_ABI_VERSION\n";
    const struct cxx_tokens *tokens = &plan->skip->unit.files[file]->tokens;
    enum gcc_line line = GCC_OTHER;
    insert_lines(plan, file, &tokens->items[0], defined);
    for (size_t i = 0; i < tokens->count && !plan->failed; i++) {
        const struct cxx_token *token = &tokens->items[i];
        if (!(token->flags & CXX_STARTS_LINE) && token->kind != CXX_END) {
            continue;
        }
        if (line != GCC_OTHER) {
            insert_lines(plan, file, token, line == GCC_INCLUDE ? defined : "");
        }
        line = token->kind == CXX_END ? GCC_OTHER : gcc_line(token);
        if (line == GCC_INCLUDE) {
            insert_lines(plan, file, token, undefined);
        }
    }
}

/* Drops the annotations of lambdas, whose captures end with the bracket at `close`: NVRTC refuses them. After
 * an attribute, which also ends with a bracket, a declaration follows. */
static void drop_annotations(struct plan *plan, size_t close)
{
    static const char *const annotations[] = {"__device__", "__host__", NULL};
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    size_t end = close + 1;
    while (cxx_is_any_word(&tokens[end], annotations)) {
        end++;
    }
    if (cxx_is(&tokens[end], '(') || cxx_is(&tokens[end], '{')) {
        drop_tokens(plan, close + 1, end);
    }
}

static void insert_at(struct plan *plan, uint16_t file, size_t token, const char *words)
{
    struct buffer text = {0};
    buffer_puts(&text, words);
    insert(plan, file, plan->skip->unit.files[file]->tokens.items[token].offset, buffer_take(&text));
}

/* Makes lambdas of the statement expressions that stay. */
static void make_lambdas(struct plan *plan, uint16_t file)
{
    const struct cxx_tokens *tokens = &plan->skip->unit.files[file]->tokens;
    struct statement_expression found;
    for (size_t at = 0; statement_expression_next(tokens, &at, &found) && !plan->failed;) {
        const char *text = plan->changes[file].text;
        if (text && text[tokens->items[found.open].offset] != '{') {
            continue; /* it is skipped */
        }
        insert_at(plan, file, found.open, "[&]");
        if (found.value != found.close) {
            insert_at(plan, file, found.value, "return ");
        }
        insert_at(plan, file, found.close + 1, "()");
    }
}

/* Names C's complex types, where they stay, as a class. */
static void replace_complex(struct plan *plan)
{
    const struct cxx_tokens *tokens = &plan->skip->unit.tokens;
    for (size_t i = 0; i + 1 < tokens->count;) {
        char name[64];
        size_t next = complex_type_name(tokens->items, i, name, sizeof(name));
        if (next > i && !plan->dropped[i]) {
            buffer_printf(&plan->before[i], " %s ", name);
            drop_tokens(plan, i, next);
        }
        i = next > i ? next : i + 1;
    }
}

static cubinet_status make_texts(struct plan *plan, char **texts)
{
    const struct cxx_unit *unit = &plan->skip->unit;
    replace_complex(plan);
    for (size_t i = 0; i + 1 < unit->tokens.count && plan->skip->has_lambdas; i++) {
        if (cxx_is(&unit->tokens.items[i], ']')) {
            drop_annotations(plan, i);
        }
    }
    mark_kept(plan);
    for (size_t i = 0; i + 1 < unit->tokens.count && !plan->failed;) {
        size_t next = expansion_end(&unit->tokens, i);
        if (unit->tokens.items[i].expansion) {
            change_expansion(plan, i, next);
        } else {
            change_token(plan, i);
        }
        i = next;
    }
    clear_parts(plan);
    for (size_t i = 0; i < plan->skip->line_count; i++) {
        change_line(plan, &plan->skip->lines[i]);
    }
    for (size_t i = 0; i < unit->file_count && plan->skip->is_gcc && !plan->failed; i++) {
        define_gcc(plan, (uint16_t)i);
    }
    for (size_t i = 0; i < unit->file_count && plan->skip->has_statements && !plan->failed; i++) {
        make_lambdas(plan, (uint16_t)i);
    }
    for (size_t i = 0; i < unit->file_count && !plan->failed; i++) {
        if (plan->changes[i].text || (unit->files[i]->is_changed && begin_change(plan, (uint16_t)i))) {
            texts[i] = changed_text(&plan->changes[i]);
            plan->failed |= !texts[i];
        }
    }
    return plan->failed ? cbn_error_memory() : CUBINET_OK;
}

static void plan_free(struct plan *plan)
{
    const struct cxx_unit *unit = &plan->skip->unit;
    for (size_t i = 0; plan->before && i < unit->tokens.count; i++) {
        buffer_free(&plan->before[i]);
    }
    for (size_t i = 0; plan->changes && i < unit->file_count; i++) {
        struct change *change = &plan->changes[i];
        for (size_t j = 0; j < change->count; j++) {
            free(change->insertions[j].text);
        }
        free(change->insertions);
        free(change->text);
        free(change->kept);
    }
    free(plan->before);
    free(plan->dropped);
    free(plan->changes);
}

cubinet_status host_skip_texts(const struct host_skip *skip, char ***out_texts)
{
    struct plan plan = {.skip = skip};
    size_t tokens = skip->unit.tokens.count;
    size_t files = skip->unit.file_count;
    plan.dropped = calloc(tokens, 1);
    plan.before = calloc(tokens, sizeof(*plan.before));
    plan.changes = calloc(files, sizeof(*plan.changes));
    char **texts = calloc(files, sizeof(*texts));
    cubinet_status status = CUBINET_ERROR_OUT_OF_MEMORY;
    if (plan.dropped && plan.before && plan.changes && texts) {
        for (size_t i = 0; i < skip->declarations.count; i++) {
            if (!skip->parts.items[i].is_inside) {
                plan_declaration(&plan, &skip->declarations.items[i], &skip->parts.items[i]);
            }
        }
        status = make_texts(&plan, texts);
    }
    plan_free(&plan);
    if (status) {
        for (size_t i = 0; texts && i < files; i++) {
            free(texts[i]);
        }
        free(texts);
        return cbn_error_memory();
    }
    *out_texts = texts;
    return CUBINET_OK;
}
