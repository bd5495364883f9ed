/* SPDX-License-Identifier: Apache-2.0 */
#include "source/host_skip.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"

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
    *skip = (struct host_skip){0};
}

/* What becomes of each token. */
struct plan {
    const struct host_skip *skip;
    unsigned char *dropped; /* one for each token */
    struct buffer *before;  /* text before each token, or NULL */
    bool failed;
};

static void drop_tokens(struct plan *plan, size_t first, size_t end)
{
    memset(plan->dropped + first, 1, end - first);
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
    for (size_t i = 0; i < skeleton->count; i++) {
        const struct skeleton_piece *piece = &skeleton->pieces[i];
        if (!piece->is_dropped) {
            buffer_puts(&plan->before[piece->token], " ");
            buffer_puts(&plan->before[piece->token], piece->text);
        }
    }
    buffer_puts(&plan->before[declaration->body_end - 1], " }");
}

/* Takes __host__ from a declaration that stays. NVRTC refuses it alone, and main() has to have another name.
 */
static void plan_head(struct plan *plan, const struct declaration *declaration)
{
    const struct cxx_token *tokens = plan->skip->unit.tokens.items;
    size_t end = declaration->body ? declaration->body : declaration->end;
    for (size_t i = declaration->first; i < end; i++) {
        plan->dropped[i] |= cxx_is_word(&tokens[i], "__host__");
    }
    if (declaration->name != SIZE_MAX && cxx_is_word(&tokens[declaration->name], "main")) {
        plan->dropped[declaration->name] = 1;
        buffer_puts(&plan->before[declaration->name], " cubinet_main");
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

static void plan_declaration(struct plan *plan, const struct declaration *declaration,
                             const struct host_part *part)
{
    bool is_function = declaration->kind == DECLARATION_FUNCTION;
    bool is_hosts = is_function && !(declaration->flags & (DECLARED_KERNEL | DECLARED_DEVICE));
    if (part->fate == HOST_DROPPED) {
        drop_tokens(plan, declaration->first, declaration->end);
        return;
    }
    if (part->fate == HOST_SKELETON) {
        plan_skeleton(plan, declaration, &part->skeleton);
    } else if (part->fate == HOST_BODILESS) {
        drop_tokens(plan, declaration->initializers ? declaration->initializers : declaration->body,
                    declaration->end);
        buffer_puts(&plan->before[declaration->body], ";");
    } else if (declaration->kind == DECLARATION_CLASS) {
        plan_declarators(plan, declaration);
    }
    if (is_hosts) {
        plan_head(plan, declaration);
    }
}

/* A change of a file's text. */
struct change {
    uint32_t begin;
    uint32_t end;
    char *text; /* in place of it; NULL: blanks */
};

struct changes {
    struct change *items;
    size_t count;
    unsigned char *kept; /* of a file that is read several times: bytes that another reading keeps */
};

static void add_change(struct plan *plan, struct changes *changes, uint32_t begin, uint32_t end, char *text)
{
    struct change *items = array_grow(changes->items, changes->count, sizeof(*items));
    if (!items) {
        free(text);
        plan->failed = true;
        return;
    }
    changes->items = items;
    items[changes->count++] = (struct change){begin, end, text};
}

/* The tokens that one use of a macro made, if they do not all stay: as text in place of it. */
static void change_expansion(struct plan *plan, struct changes *changes, size_t first, size_t end)
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
            buffer_append(&text, tokens[i].text, tokens[i].size);
        }
    }
    if (changed) {
        buffer_puts(&text, " ");
        char *data = buffer_take(&text);
        plan->failed |= data == NULL;
        add_change(plan, &changes[tokens[first].file], use->begin, use->end, data);
    }
}

static void change_token(struct plan *plan, struct changes *changes, size_t number)
{
    const struct cxx_token *token = &plan->skip->unit.tokens.items[number];
    struct buffer *before = &plan->before[number];
    struct changes *file = &changes[token->file];
    if (before->data) {
        uint32_t end = plan->dropped[number] ? token->offset + token->size : token->offset;
        add_change(plan, file, token->offset, end, buffer_take(before));
    } else if (plan->dropped[number]) {
        add_change(plan, file, token->offset, token->offset + token->size, NULL);
    } else if (file->kept) {
        memset(file->kept + token->offset, 1, token->size);
    }
}

static void collect_changes(struct plan *plan, struct changes *changes)
{
    const struct cxx_tokens *tokens = &plan->skip->unit.tokens;
    for (size_t i = 0; i + 1 < tokens->count && !plan->failed;) {
        uint32_t expansion = tokens->items[i].expansion;
        size_t next = i + 1;
        while (expansion && next + 1 < tokens->count && tokens->items[next].expansion == expansion) {
            next++;
        }
        if (expansion) {
            change_expansion(plan, changes, i, next);
        } else {
            change_token(plan, changes, i);
        }
        i = next;
    }
}

static int compare_changes(const void *left, const void *right)
{
    const struct change *one = left;
    const struct change *other = right;
    return one->begin != other->begin ? (one->begin < other->begin ? -1 : 1)
                                      : (one->end > other->end) - (one->end < other->end);
}

static bool is_kept(const struct changes *changes, const struct change *change)
{
    for (uint32_t i = change->begin; changes->kept && i < change->end; i++) {
        if (changes->kept[i]) {
            return true;
        }
    }
    return false;
}

/* What is in place of a part of the text has as many lines as that. */
static void put_change(struct buffer *text, const char *old, const struct change *change)
{
    if (change->text) {
        buffer_puts(text, change->text);
    }
    for (uint32_t i = change->begin; i < change->end; i++) {
        if (old[i] == '\n' || old[i] == '\r' || !change->text) {
            bool is_space = old[i] == '\n' || old[i] == '\r' || old[i] == '\t';
            buffer_append(text, is_space ? &old[i] : " ", 1);
        }
    }
}

static char *change_text(const struct cxx_file *file, struct changes *changes)
{
    struct buffer text = {0};
    uint32_t at = 0;
    qsort(changes->items, changes->count, sizeof(*changes->items), compare_changes);
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->items[i];
        if (change->begin < at || is_kept(changes, change)) {
            continue; /* the same, by another reading of the file */
        }
        buffer_append(&text, file->text + at, change->begin - at);
        put_change(&text, file->text, change);
        at = change->end;
    }
    buffer_puts(&text, file->text + at);
    return buffer_take(&text);
}

/* Blanks the directive on a line. */
static void change_line(struct plan *plan, struct changes *changes, const struct host_line *line)
{
    const struct cxx_file *file = plan->skip->unit.files[line->file];
    const struct cxx_tokens *tokens = &file->tokens;
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens->items[i].line == line->line && cxx_is(&tokens->items[i], '#')) {
            uint32_t begin = tokens->items[i].offset;
            uint32_t size = (uint32_t)strcspn(file->text + begin, "\n");
            add_change(plan, &changes[line->file], begin, begin + size, NULL);
            return;
        }
    }
}

static cubinet_status make_texts(struct plan *plan, struct changes *changes, char **texts)
{
    const struct cxx_unit *unit = &plan->skip->unit;
    for (size_t i = 0; i < unit->file_count; i++) {
        if (unit->files[i]->uses > 1) {
            changes[i].kept = calloc(strlen(unit->files[i]->text) + 1, 1);
            plan->failed |= !changes[i].kept;
        }
    }
    collect_changes(plan, changes);
    for (size_t i = 0; i < plan->skip->line_count; i++) {
        change_line(plan, changes, &plan->skip->lines[i]);
    }
    for (size_t i = 0; i < unit->file_count && !plan->failed; i++) {
        if (changes[i].count > 0) {
            texts[i] = change_text(unit->files[i], &changes[i]);
            plan->failed |= !texts[i];
        }
    }
    return plan->failed ? cbn_error_memory() : CUBINET_OK;
}

static void plan_free(struct plan *plan, struct changes *changes)
{
    const struct cxx_unit *unit = &plan->skip->unit;
    for (size_t i = 0; plan->before && i < unit->tokens.count; i++) {
        buffer_free(&plan->before[i]);
    }
    for (size_t i = 0; changes && i < unit->file_count; i++) {
        for (size_t j = 0; j < changes[i].count; j++) {
            free(changes[i].items[j].text);
        }
        free(changes[i].items);
        free(changes[i].kept);
    }
    free(plan->before);
    free(plan->dropped);
    free(changes);
}

cubinet_status host_skip_texts(const struct host_skip *skip, char ***out_texts)
{
    struct plan plan = {.skip = skip};
    size_t tokens = skip->unit.tokens.count;
    size_t files = skip->unit.file_count;
    plan.dropped = calloc(tokens, 1);
    plan.before = calloc(tokens, sizeof(*plan.before));
    struct changes *changes = calloc(files, sizeof(*changes));
    char **texts = calloc(files, sizeof(*texts));
    cubinet_status status = CUBINET_ERROR_OUT_OF_MEMORY;
    if (plan.dropped && plan.before && changes && texts) {
        for (size_t i = 0; i < skip->declarations.count; i++) {
            if (!skip->parts.items[i].is_inside) {
                plan_declaration(&plan, &skip->declarations.items[i], &skip->parts.items[i]);
            }
        }
        status = make_texts(&plan, changes, texts);
    }
    plan_free(&plan, changes);
    if (status) {
        for (size_t i = 0; texts && i < files; i++) {
            free(texts[i]);
        }
        free(texts);
        return status == CUBINET_ERROR_OUT_OF_MEMORY ? cbn_error_memory() : status;
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

/* One error: `path(line): error: …`. */
static cubinet_status learn_one(struct host_skip *skip, size_t file, unsigned long line, const char *said,
                                bool *out_learned)
{
    static const char missing[] = "cannot open source file";
    const struct cxx_tokens *tokens = &skip->unit.tokens;
    if (strncmp(said, missing, strlen(missing)) == 0) {
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

cubinet_status host_skip_learn(struct host_skip *skip, const char *log, bool *out_learned)
{
    static const char *const marks[] = {"): error: ", "): catastrophic error: ", "): error #"};
    cubinet_status status = CUBINET_OK;
    *out_learned = false;
    for (const char *line = log; *line && !status;) {
        size_t size = strcspn(line, "\n");
        for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !status; i++) {
            const char *mark = memmem(line, size, marks[i], strlen(marks[i]));
            const char *open = mark ? memrchr(line, '(', (size_t)(mark - line)) : NULL;
            size_t file = open ? find_file(skip, line, (size_t)(open - line)) : SIZE_MAX;
            if (file != SIZE_MAX) {
                status =
                    learn_one(skip, file, strtoul(open + 1, NULL, 10), mark + strlen(marks[i]), out_learned);
            }
        }
        line += size + (line[size] == '\n');
    }
    return status;
}

bool host_skip_has_line(const struct host_skip *skip, const char *path, size_t path_size, size_t line)
{
    size_t file = find_file(skip, path, path_size);
    const struct cxx_token *tokens = skip->unit.tokens.items;
    for (size_t i = 0; i < skip->declarations.count && file != SIZE_MAX; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        if (skip->parts.items[i].fate == HOST_SKELETON && !skip->parts.items[i].is_inside &&
            tokens[declaration->first].file == file && tokens[declaration->first].line <= line &&
            tokens[declaration->end - 1].line >= line) {
            return true;
        }
    }
    return false;
}
