/* SPDX-License-Identifier: Apache-2.0 */
#include "source/host_skip.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cubinet_status host_skip_read(const struct cxx_settings *settings, bool skeletons, struct host_skip *out_skip)
{
    struct host_skip skip = {0};
    cubinet_status status = cxx_unit_read(settings, &skip.unit);
    if (!status) {
        status = declarations_read(&skip.unit.tokens, &skip.declarations);
    }
    if (!status) {
        status = host_parts_decide(&skip.unit.tokens, &skip.declarations, skeletons, &skip.parts);
    }
    if (status) {
        host_skip_free(&skip);
        return status;
    }
    *out_skip = skip;
    return CUBINET_OK;
}

void host_skip_free(struct host_skip *skip)
{
    host_parts_free(&skip->parts);
    declarations_free(&skip->declarations);
    cxx_unit_free(&skip->unit);
    free(skip->lines);
    buffer_free(&skip->notes);
    *skip = (struct host_skip){0};
}

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
                          const struct skeleton *skeleton)
{
    size_t first = declaration->initializers ? declaration->initializers : declaration->body;
    drop_tokens(plan, first, declaration->body);
    drop_tokens(plan, declaration->body + 1, declaration->body_end);
    for (size_t i = declaration->body; i > declaration->parameters; i--) {
        /* `try` before the body */
        plan->dropped[i - 1] |= cxx_is_word(&plan->skip->unit.tokens.items[i - 1], "try");
    }
    put_pieces(plan, skeleton);
    buffer_puts(&plan->before[declaration->body_end - 1], " }");
}

/* Takes __host__ from a declaration that stays: NVRTC refuses it alone. */
static void plan_head(struct plan *plan, const struct declaration *declaration)
{
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    size_t end = declaration->body ? declaration->body : declaration->end;
    for (size_t i = declaration->first; i < end; i++) {
        plan->dropped[i] |= cxx_is_word(&tokens[i], "__host__");
    }
}

/* What a class declares behind its body: variables of the host's. */
static void plan_declarators(struct plan *plan, const struct declaration *declaration)
{
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    unsigned kept = DECLARED_MEMBER | DECLARED_KERNEL | DECLARED_DEVICE | DECLARED_CONST | DECLARED_CONSTEXPR;
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

static void plan_declaration(struct plan *plan, const struct declaration *declaration,
                             const struct host_part *part)
{
    bool is_function = declaration->kind == DECLARATION_FUNCTION;
    bool is_hosts = is_function && !(declaration->flags & (DECLARED_KERNEL | DECLARED_DEVICE));
    if (part->fate == HOST_DROPPED) {
        drop_tokens(plan, declaration->first, declaration->end);
        plan_initializer(plan, declaration, &part->skeleton);
        return;
    }
    if (part->fate == HOST_VALUELESS) {
        drop_tokens(plan, declaration->value, declaration->end - 1);
        return;
    }
    if (part->fate == HOST_SKELETON) {
        plan_skeleton(plan, declaration, &part->skeleton);
    } else if (part->fate == HOST_BODILESS || part->fate == HOST_TRAP) {
        drop_tokens(plan, declaration->initializers ? declaration->initializers : declaration->body,
                    declaration->end);
        buffer_puts(&plan->before[declaration->body], part->fate == HOST_TRAP ? " { __trap(); }" : ";");
    } else if (declaration->kind == DECLARATION_CLASS) {
        plan_declarators(plan, declaration);
    } else if (declaration->kind == DECLARATION_NAMESPACE) {
        plan_attributes(plan, declaration);
    }
    if (is_hosts) {
        plan_head(plan, declaration);
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
            buffer_puts(&text, " ");
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
    uint32_t begin = one->offset + one->size;
    if (one->expansion || other->expansion || one->file != other->file || other->offset < begin ||
        !has_whole_conditions(unit->files[one->file], begin, other->offset)) {
        return;
    }
    blank(plan, one->file, begin, other->offset);
}

static void clear_parts(struct plan *plan)
{
    const struct host_skip *skip = plan->skip;
    for (size_t i = 0; i < skip->declarations.count && !plan->failed; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        const struct host_part *part = &skip->parts.items[i];
        if (part->is_inside || part->fate == HOST_KEPT || part->fate == HOST_VALUELESS) {
            continue;
        }
        bool is_whole = part->fate == HOST_DROPPED;
        clear(plan, is_whole ? declaration->first : declaration->body, declaration->end - 1);
    }
}

static cubinet_status make_texts(struct plan *plan, char **texts)
{
    const struct cxx_unit *unit = &plan->skip->unit;
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
    for (size_t i = 0; i < unit->file_count && !plan->failed; i++) {
        if (plan->changes[i].text) {
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

/* The file of a path as the compiler spells it, which may have the working folder before it; SIZE_MAX: none.
 */
static size_t find_file(const struct host_skip *skip, const char *path, size_t size)
{
    for (size_t i = 0; i < skip->unit.file_count; i++) {
        const char *known = skip->unit.files[i]->path;
        size_t known_size = strlen(known);
        bool is_end = known_size <= size && memcmp(path + size - known_size, known, known_size) == 0;
        if (is_end && (known_size == size || path[size - known_size - 1] == '/')) {
            return i;
        }
    }
    return SIZE_MAX;
}

static cubinet_status blank_line(struct host_skip *skip, uint16_t file, uint32_t line, bool *out_learned)
{
    for (size_t i = 0; i < skip->line_count; i++) {
        if (skip->lines[i].file == file && skip->lines[i].line == line) {
            return CUBINET_OK;
        }
    }
    struct host_line *lines = array_grow(skip->lines, skip->line_count, sizeof(*lines));
    if (!lines) {
        return cbn_error_memory();
    }
    skip->lines = lines;
    lines[skip->line_count++] = (struct host_line){file, line};
    *out_learned = true;
    return CUBINET_OK;
}

/* Whether the host's compiler finds a header in its own folders: then nvcc does, too, for host code. */
static bool is_systems_header(const char *name, size_t size)
{
    static const char *const folders[] = {"/usr/include/", "/usr/local/include/", "/usr/include/c++/*/",
                                          "/usr/include/*-linux-gnu/"};
    bool found = false;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !found; i++) {
        char pattern[PATH_MAX];
        glob_t paths;
        int length = snprintf(pattern, sizeof(pattern), "%s%.*s", folders[i], (int)size, name);
        found = length < PATH_MAX && glob(pattern, 0, NULL, &paths) == 0;
        if (found) {
            globfree(&paths);
        }
    }
    return found;
}

/* One error: `path(line): error: …`. */
static cubinet_status learn_one(struct host_skip *skip, size_t file, unsigned long line, const char *said,
                                bool *out_learned)
{
    static const char missing[] = "cannot open source file \"";
    const struct cxx_tokens *tokens = &skip->unit.tokens;
    if (strncmp(said, missing, strlen(missing)) == 0) {
        const char *name = said + strlen(missing);
        if (!is_systems_header(name, strcspn(name, "\"\n"))) {
            return CUBINET_OK;
        }
        return blank_line(skip, (uint16_t)file, (uint32_t)line, out_learned);
    }
    for (size_t i = 0; i + 1 < tokens->count; i++) {
        if (tokens->items[i].line == line && tokens->items[i].file == file) {
            if (host_parts_drop(&skip->parts, tokens, &skip->declarations, i)) {
                *out_learned = true;
                return CUBINET_OK;
            }
        }
    }
    return CUBINET_OK;
}

/* What is between a line's start and the error that it says: a path and a line; NULL if it says none. */
static const char *error_of(const char *line, size_t size, const char **out_said)
{
    static const char *const marks[] = {"): error: ", "): catastrophic error: ", "): error #"};
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const char *mark = memmem(line, size, marks[i], strlen(marks[i]));
        if (mark) {
            *out_said = mark + strlen(marks[i]);
            return memrchr(line, '(', (size_t)(mark - line));
        }
    }
    return NULL;
}

/* Whether an error earlier in the log is about the same line: what is on it is dropped one step at a time. */
static bool is_known(const char *log, const char *line, const char *open)
{
    size_t place = (size_t)(open - line) + strcspn(open, ")");
    for (const char *at = log; at < line; at += strcspn(at, "\n") + 1) {
        const char *said = NULL;
        if (strncmp(at, line, place) == 0 && error_of(at, strcspn(at, "\n"), &said)) {
            return true;
        }
    }
    return false;
}

cubinet_status host_skip_learn(struct host_skip *skip, const char *log, bool *out_learned)
{
    cubinet_status status = CUBINET_OK;
    *out_learned = false;
    for (const char *line = log; *line && !status;) {
        size_t size = strcspn(line, "\n");
        const char *said = NULL;
        const char *open = error_of(line, size, &said);
        size_t file = open ? find_file(skip, line, (size_t)(open - line)) : SIZE_MAX;
        if (file != SIZE_MAX && !is_known(log, line, open)) {
            bool learned = false;
            status = learn_one(skip, file, strtoul(open + 1, NULL, 10), said, &learned);
            buffer_printf(&skip->notes, "%s %.*s\n", learned ? "left out for" : "refused", (int)size, line);
            *out_learned |= learned;
        }
        line += size + (line[size] == '\n');
    }
    return status;
}

void host_skip_explain(const struct host_skip *skip, const char *path, const char *log,
                       struct buffer *messages)
{
    const struct cxx_token *tokens = skip->unit.tokens.items;
    for (size_t i = 0; i < skip->declarations.count; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        char said[256];
        if (skip->parts.items[i].fate != HOST_DROPPED || declaration->name == SIZE_MAX) {
            continue;
        }
        const struct cxx_token *name = &tokens[declaration->name];
        bool is_function = declaration->kind == DECLARATION_FUNCTION;
        snprintf(said, sizeof(said), "identifier \"%.*s\" is undefined", (int)name->size, name->text);
        if (strstr(log, said)) {
            const char *file = name->file ? skip->unit.files[name->file]->path : path;
            buffer_printf(
                messages,
                "%s:%u: note: %.*s%s is the host's, since it is not annotated: device code needs %s, or "
                "--default-device\n",
                file, name->line, (int)name->size, name->text, is_function ? "()" : "",
                is_function ? "__device__" : "__device__ or __constant__");
        }
    }
}

cubinet_status host_skip_used(const struct host_skip *skip, struct cbn_text_list *names)
{
    const struct cxx_token *tokens = skip->unit.tokens.items;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < skip->declarations.count; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        bool is_hosts = skip->parts.items[i].fate != HOST_KEPT && declaration->kind != DECLARATION_CLASS;
        for (size_t at = declaration->first; at < declaration->end && is_hosts && !status; at++) {
            char name[512];
            if (tokens[at].kind == CXX_WORD && name_set_has(&skip->parts.names.kernels, &tokens[at])) {
                snprintf(name, sizeof(name), "%.*s", (int)tokens[at].size, tokens[at].text);
                status = cbn_text_list_add_once(names, name);
            }
        }
    }
    return status;
}

bool host_skip_has_line(const struct host_skip *skip, const char *path, size_t path_size, size_t line)
{
    size_t file = find_file(skip, path, path_size);
    const struct cxx_token *tokens = skip->unit.tokens.items;
    for (size_t i = 0; i < skip->declarations.count && file != SIZE_MAX; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        if (skip->parts.items[i].fate != HOST_KEPT && !skip->parts.items[i].is_inside &&
            tokens[declaration->first].file == file && tokens[declaration->first].line <= line &&
            tokens[declaration->end - 1].line >= line) {
            return true;
        }
    }
    return false;
}
