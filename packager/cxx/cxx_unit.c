/* SPDX-License-Identifier: Apache-2.0 */
#include "cxx/cxx_unit.h"

#include "base/file.h"
#include "cxx/cxx_left_out.h"
#include "cxx/cxx_reader.h"
#include "loader/core/support/error.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MAX_FILES = 60000,
    MAX_DEPTH = 200,        /* of files in files */
    MAX_CONDITIONS = 10000, /* #if in #if */
    BLOCK_SIZE = 64 * 1024,
};

struct cxx_block {
    struct cxx_block *next;
    size_t used;
    size_t size;
    char data[];
};

static void read_file(struct cxx_reader *reader, struct cxx_file *file);

char *cxx_unit_room(struct cxx_unit *unit, size_t size)
{
    if (!unit->blocks || unit->blocks->size - unit->blocks->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        struct cxx_block *block = malloc(sizeof(*block) + room);
        if (!block) {
            cbn_error_memory();
            return NULL;
        }
        *block = (struct cxx_block){.next = unit->blocks, .size = room};
        unit->blocks = block;
    }
    char *data = unit->blocks->data + unit->blocks->used;
    unit->blocks->used += size;
    return data;
}

bool cxx_failed(struct cxx_reader *reader, cubinet_status status)
{
    reader->status = reader->status ? reader->status : status;
    return status != CUBINET_OK;
}

static void file_free(struct cxx_file *file)
{
    if (file) {
        free(file->path);
        free(file->data);
        free(file->renumberings);
        cxx_tokens_free(&file->tokens);
        free(file);
    }
}

static bool is_in_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Moves ends of lines that are in the middle of words after the words: `ma\` and `in` become `main\` and
 * nothing. The text has the same size. */
static void join_words(char *text)
{
    if (!strstr(text, "\\\n")) {
        return;
    }
    /* From the end on, so that a word of several lines comes together. */
    for (char *at = text + strlen(text); at > text; at--) {
        size_t size = 0;
        if (at[0] != '\\' || at[1] != '\n' || !is_in_word(at[-1])) {
            continue;
        }
        while (is_in_word(at[2 + size])) {
            size++;
        }
        memmove(at, at + 2, size);
        memcpy(at + size, "\\\n", 2);
    }
}

/* Reads the tokens of a file's text, which is at `text`, too. */
static cubinet_status read_tokens(struct cxx_reader *reader, struct cxx_file *file, char *text)
{
    const char *despite = reader->settings->despite;
    uint16_t number = (uint16_t)reader->unit->file_count;
    cubinet_status status = cxx_lex(text, number, &file->tokens);
    file->text = text;
    file->is_changed = !status && despite && cxx_left_out(&file->tokens, despite, text);
    if (file->is_changed) {
        cxx_tokens_free(&file->tokens);
        status = cxx_lex(text, number, &file->tokens);
    }
    return status;
}

/* Takes a file's data over, and reads its tokens. */
static struct cxx_file *add_file(struct cxx_reader *reader, const char *path, char *data,
                                 const struct stat *about)
{
    static const char mark[] = "\xef\xbb\xbf";
    struct cxx_unit *unit = reader->unit;
    struct cxx_file **files = reallocarray(unit->files, unit->file_count + 1, sizeof(struct cxx_file *));
    unit->files = files ? files : unit->files;
    struct cxx_file *file = files ? calloc(1, sizeof(*file)) : NULL;
    if (!file) {
        free(data);
        cxx_failed(reader, cbn_error_memory());
        return NULL;
    }
    *file = (struct cxx_file){
        .path = strdup(path), .data = data, .device = about->st_dev, .inode = about->st_ino};
    join_words(data);
    char *text = strncmp(data, mark, strlen(mark)) == 0 ? data + strlen(mark) : data;
    if (!file->path || read_tokens(reader, file, text)) {
        file_free(file);
        cxx_failed(reader, cbn_error_memory());
        return NULL;
    }
    unit->files[unit->file_count++] = file;
    return file;
}

static bool is_closed(const struct cxx_reader *reader, const char *path)
{
    const struct cbn_text_list *closed = reader->settings->closed;
    for (size_t i = 0; i < closed->count; i++) {
        size_t size = strlen(closed->items[i]);
        if (strncmp(path, closed->items[i], size) == 0 && path[size] == '/') {
            return true;
        }
    }
    return false;
}

/* The file at a path, read if it was not before. False if there is none; NULL for one that is not read. */
static bool open_file(struct cxx_reader *reader, const char *path, struct cxx_file **out_file)
{
    struct stat about;
    struct cxx_unit *unit = reader->unit;
    *out_file = NULL;
    /* Not stat(), from which the command hides some headers. */
    if (fstatat(AT_FDCWD, path, &about, 0) != 0 || !S_ISREG(about.st_mode)) {
        return false;
    }
    if (is_closed(reader, path)) {
        return true;
    }
    for (size_t i = 0; i < unit->file_count && !*out_file; i++) {
        struct cxx_file *file = unit->files[i];
        *out_file = file->device == about.st_dev && file->inode == about.st_ino ? file : NULL;
    }
    char *data = NULL;
    size_t size = 0;
    if (*out_file || unit->file_count >= MAX_FILES || about.st_size > INT_MAX ||
        file_read(path, &data, &size)) {
        return true;
    }
    *out_file = add_file(reader, path, data, &about);
    return true;
}

static bool ends_with_slash(const char *folder)
{
    size_t size = strlen(folder);
    return size > 0 && folder[size - 1] == '/';
}

/* Looks for a header as compilers do: beside the file that includes it if the name is in quotes, and in the
 * folders. */
static bool find_header(struct cxx_reader *reader, const char *name, bool is_quoted,
                        struct cxx_file **out_file)
{
    char path[PATH_MAX];
    const struct cbn_text_list *folders = reader->settings->folders;
    *out_file = NULL;
    if (name[0] == '/') {
        return open_file(reader, name, out_file);
    }
    const char *asking = reader->unit->files[reader->file]->path;
    const char *slash = strrchr(asking, '/');
    int folder_size = slash ? (int)(slash - asking) + 1 : 0;
    int size = snprintf(path, sizeof(path), "%.*s%s", folder_size, asking, name);
    if (is_quoted && size < PATH_MAX && open_file(reader, path, out_file)) {
        return true;
    }
    for (size_t i = 0; i < folders->count; i++) {
        /* One slash, as the compiler spells it: its messages name the file so. */
        size = snprintf(path, sizeof(path), "%s%s%s", folders->items[i],
                        ends_with_slash(folders->items[i]) ? "" : "/", name);
        if (size < PATH_MAX && open_file(reader, path, out_file)) {
            return true;
        }
    }
    return false;
}

/* The name between quotes or angle brackets, in `name`; false if there is none. */
static bool header_name(const struct cxx_token *at, const struct cxx_token *end, char *name, size_t room,
                        bool *out_quoted)
{
    if (at >= end) {
        return false;
    }
    *out_quoted = at->kind == CXX_TEXT && at->text[0] == '"';
    const char *start = at->text + 1;
    const char *last = *out_quoted ? at->text + at->size - 1 : NULL;
    for (const struct cxx_token *token = at + 1; !last && cxx_is(at, '<') && token < end; token++) {
        last = cxx_is(token, '>') ? token->text : NULL;
    }
    if (!last || last < start || (size_t)(last - start) >= room) {
        return false;
    }
    memcpy(name, start, (size_t)(last - start));
    name[last - start] = '\0';
    return name[0] != '\0' && !strchr(name, '\n');
}

/* A name that macros make: its tokens' text together. */
static bool expanded_name(struct cxx_reader *reader, const struct cxx_token *at, const struct cxx_token *end,
                          char *name, size_t room, bool *out_quoted)
{
    struct cxx_tokens tokens = {0};
    char text[PATH_MAX];
    size_t size = 0;
    cxx_expand_list(reader, at, (size_t)(end - at), &tokens);
    for (size_t i = 0; i < tokens.count && size + tokens.items[i].size < sizeof(text); i++) {
        memcpy(text + size, tokens.items[i].text, tokens.items[i].size);
        size += tokens.items[i].size;
    }
    cxx_tokens_free(&tokens);
    bool is_name = size > 2 && size - 2 < room && (text[0] == '"' || text[0] == '<');
    if (is_name) {
        *out_quoted = text[0] == '"';
        memcpy(name, text + 1, size - 2);
        name[size - 2] = '\0';
    }
    return is_name;
}

static bool name_of(struct cxx_reader *reader, const struct cxx_token *at, const struct cxx_token *end,
                    char *name, size_t room, bool *out_quoted)
{
    return header_name(at, end, name, room, out_quoted) ||
           (at < end && at->kind == CXX_WORD && expanded_name(reader, at, end, name, room, out_quoted));
}

bool cxx_has_include(struct cxx_reader *reader, const struct cxx_token *at, const struct cxx_token *end)
{
    char name[PATH_MAX];
    bool is_quoted;
    struct cxx_file *file;
    return name_of(reader, at, end, name, sizeof(name), &is_quoted) &&
           find_header(reader, name, is_quoted, &file);
}

static void include(struct cxx_reader *reader, const struct cxx_token *at, const struct cxx_token *end)
{
    char name[PATH_MAX];
    bool is_quoted;
    struct cxx_file *file = NULL;
    if (reader->in_arguments || reader->depth >= MAX_DEPTH) {
        return;
    }
    if (name_of(reader, at, end, name, sizeof(name), &is_quoted) &&
        find_header(reader, name, is_quoted, &file) && file) {
        read_file(reader, file);
    }
}

/* Goes from a branch that is not read to the one of its #if that is, if any. `at`: after the line of the
 * directive that ended the one before; `taken`: a branch was read. Returns after the last line. */
static const struct cxx_token *skip_branches(struct cxx_reader *reader, const struct cxx_token *at,
                                             bool taken)
{
    static const char *const starts[] = {"if", "ifdef", "ifndef", NULL};
    unsigned depth = 0;
    for (;;) {
        while (at->kind != CXX_END && !(cxx_is(at, '#') && at->flags & CXX_STARTS_LINE)) {
            at++;
        }
        if (at->kind == CXX_END) {
            return at;
        }
        const struct cxx_token *word = at + 1;
        const struct cxx_token *end = cxx_line_end(word);
        at = end;
        if (word == end) {
            continue;
        }
        if (cxx_is_any_word(word, starts)) {
            depth++;
        } else if (cxx_is_word(word, "endif")) {
            if (depth == 0) {
                reader->conditions--;
                return end;
            }
            depth--;
        } else if (depth == 0 && !taken) {
            bool is_next = cxx_is_word(word, "else");
            bool is_elif = cxx_is_word(word, "elif");
            bool is_def = cxx_is_word(word, "elifdef") || cxx_is_word(word, "elifndef");
            if (is_def && word + 1 < end) {
                is_next = !cxx_macros_find(&reader->macros, word + 1) == (word->text[4] == 'n');
            }
            if (is_next || (is_elif && cxx_condition(reader, word + 1, end))) {
                return end;
            }
        }
    }
}

static const struct cxx_token *begin_condition(struct cxx_reader *reader, const struct cxx_token *word,
                                               const struct cxx_token *end)
{
    bool value = false;
    if (reader->conditions >= MAX_CONDITIONS) {
        cxx_failed(reader, cbn_error(CUBINET_ERROR_LIMIT, "over %d #if are open", MAX_CONDITIONS));
        return end;
    }
    reader->conditions++;
    if (cxx_is_word(word, "if")) {
        value = cxx_condition(reader, word + 1, end);
    } else if (word + 1 < end) {
        value = (cxx_macros_find(&reader->macros, word + 1) == NULL) == (word->size == strlen("ifndef"));
    }
    return value ? end : skip_branches(reader, end, false);
}

/* `#line 7 "name"`, or `# 7 "name"` as preprocessors write it. One whose number a macro makes is not known.
 */
static void renumber(struct cxx_reader *reader, const struct cxx_token *number, const struct cxx_token *end)
{
    struct cxx_file *file = reader->unit->files[reader->file];
    size_t count = file->renumbering_count;
    if (file->uses > 1 || number >= end || number->kind != CXX_NUMBER) {
        return;
    }
    struct cxx_renumbering *items = reallocarray(file->renumberings, count + 1, sizeof(*items));
    if (!items) {
        cxx_failed(reader, cbn_error_memory());
        return;
    }
    file->renumberings = items;
    bool is_named = number + 1 < end && number[1].kind == CXX_TEXT && number[1].size >= 2;
    struct cxx_renumbering made = {number->line, (uint32_t)strtoul(number->text, NULL, 10), file->path,
                                   strlen(file->path)};
    if (is_named) {
        made.name = number[1].text + 1;
        made.name_size = number[1].size - 2;
    } else if (count > 0) {
        made.name = items[count - 1].name;
        made.name_size = items[count - 1].name_size;
    }
    items[file->renumbering_count++] = made;
}

uint32_t cxx_line_number(const struct cxx_file *file, uint32_t line)
{
    size_t count = file->renumbering_count;
    const struct cxx_renumbering *last = count > 0 ? &file->renumberings[count - 1] : NULL;
    return last ? last->number + (line - last->line - 1) : line;
}

/* Reads the directive at a #. Returns what follows it. */
static const struct cxx_token *read_directive(struct cxx_reader *reader, const struct cxx_token *at)
{
    static const char *const starts[] = {"if", "ifdef", "ifndef", NULL};
    static const char *const others[] = {"elif", "else", "elifdef", "elifndef", NULL};
    const struct cxx_token *word = at + 1;
    const struct cxx_token *end = cxx_line_end(word);
    if (word == end) {
        return end;
    }
    if (cxx_is_any_word(word, starts)) {
        return begin_condition(reader, word, end);
    }
    if (cxx_is_any_word(word, others) && reader->conditions > 0) {
        return skip_branches(reader, end, true);
    }
    if (cxx_is_word(word, "endif")) {
        reader->conditions -= reader->conditions > 0;
    } else if (cxx_is_word(word, "define")) {
        cxx_failed(reader, cxx_macros_define(&reader->macros, word + 1, end));
    } else if (cxx_is_word(word, "undef") && word + 1 < end) {
        cxx_macros_remove(&reader->macros, word + 1);
    } else if (cxx_is_word(word, "include") || cxx_is_word(word, "include_next")) {
        include(reader, word + 1, end);
    } else if (cxx_is_word(word, "pragma") && word + 1 < end && cxx_is_word(word + 1, "once")) {
        reader->unit->files[reader->file]->is_once = true;
    } else if (cxx_is_word(word, "line") || word->kind == CXX_NUMBER) {
        renumber(reader, word + (word->kind == CXX_WORD), end);
    }
    return end;
}

const struct cxx_token *cxx_file_token(struct cxx_reader *reader)
{
    while (!reader->status && cxx_is(reader->at, '#') && reader->at->flags & CXX_STARTS_LINE) {
        reader->at = read_directive(reader, reader->at);
    }
    while (reader->status && reader->at->kind != CXX_END) {
        reader->at++;
    }
    return reader->at;
}

static void read_file(struct cxx_reader *reader, struct cxx_file *file)
{
    if (file->is_once && file->uses > 0) {
        return;
    }
    const struct cxx_token *at = reader->at;
    unsigned conditions = reader->conditions;
    uint16_t number = reader->file;
    file->uses++;
    reader->at = file->tokens.items;
    reader->file = file->tokens.items->file;
    reader->conditions = 0;
    reader->depth++;
    while (!reader->status) {
        struct cxx_token token = cxx_take(reader);
        if (token.kind == CXX_END) {
            break;
        }
        if (!cxx_expand(reader, &token)) {
            cxx_failed(reader, cxx_tokens_add(&reader->unit->tokens, &token));
        }
    }
    reader->depth--;
    reader->at = at;
    reader->conditions = conditions;
    reader->file = number;
}

/* Defines what options define, from text that is a file of its own. */
static void define_settings(struct cxx_reader *reader)
{
    const struct cbn_text_list *macros = reader->settings->macros;
    for (size_t i = 0; i < macros->count && !reader->status; i++) {
        const char *given = macros->items[i];
        const char *equals = strchr(given, '=');
        size_t size = strlen(given) + sizeof("# 1");
        char *text = cxx_unit_room(reader->unit, size + 1);
        if (!text) {
            cxx_failed(reader, CUBINET_ERROR_OUT_OF_MEMORY);
            return;
        }
        snprintf(text, size + 1, "%.*s %s", equals ? (int)(equals - given) : (int)strlen(given), given,
                 equals ? equals + 1 : "1");
        struct cxx_tokens tokens;
        if (cxx_failed(reader, cxx_lex(text, 0, &tokens))) {
            return;
        }
        /* They last as long as the unit. */
        struct cxx_token *kept =
            (struct cxx_token *)(void *)cxx_unit_room(reader->unit, tokens.count * sizeof(*kept) + 16);
        if (kept) {
            kept = (struct cxx_token *)(void *)((char *)kept + (-(uintptr_t)kept & 15));
            memcpy(kept, tokens.items, tokens.count * sizeof(*kept));
            cxx_failed(reader, cxx_macros_define(&reader->macros, kept, kept + tokens.count - 1));
        }
        cxx_tokens_free(&tokens);
    }
    const struct cbn_text_list *removed = reader->settings->removed;
    for (size_t i = 0; i < removed->count; i++) {
        cxx_macros_remove(&reader->macros, &(struct cxx_token){.kind = CXX_WORD,
                                                               .text = removed->items[i],
                                                               .size = (uint32_t)strlen(removed->items[i])});
    }
}

/* The source itself, which may be what stands for the file at its path. */
static struct cxx_file *add_source(struct cxx_reader *reader)
{
    struct stat about = {0};
    char *data = strdup(reader->settings->text);
    if (!data) {
        cxx_failed(reader, cbn_error_memory());
        return NULL;
    }
    fstatat(AT_FDCWD, reader->settings->path, &about, 0);
    return add_file(reader, reader->settings->path, data, &about);
}

static void include_predefined(struct cxx_reader *reader)
{
    const char *path = reader->settings->predefined;
    char *data = NULL;
    size_t size = 0;
    if (path && !file_read(path, &data, &size)) {
        struct cxx_file *file = add_file(reader, path, data, &(struct stat){0});
        if (file) {
            read_file(reader, file);
        }
    }
}

static void include_first(struct cxx_reader *reader)
{
    for (size_t i = 0; i < reader->settings->first->count && !reader->status; i++) {
        struct cxx_file *file = NULL;
        if (find_header(reader, reader->settings->first->items[i], true, &file) && file) {
            read_file(reader, file);
        }
    }
}

cubinet_status cxx_unit_read(const struct cxx_settings *settings, struct cxx_unit *out_unit)
{
    struct cxx_unit unit = {.expansion_count = 1};
    struct cxx_reader reader = {.unit = &unit, .settings = settings};
    unit.expansions = calloc(2, sizeof(*unit.expansions));
    if (!unit.expansions) {
        return cbn_error_memory();
    }
    struct cxx_file *source = add_source(&reader);
    if (source) {
        define_settings(&reader);
        include_predefined(&reader);
        include_first(&reader);
        read_file(&reader, source);
    }
    for (size_t i = 0; i < reader.source_count; i++) {
        free(reader.sources[i].owned);
    }
    free(reader.sources);
    cxx_macros_free(&reader.macros);
    struct cxx_token end = {.kind = CXX_END, .text = ""};
    cxx_failed(&reader, cxx_tokens_add(&unit.tokens, &end));
    if (reader.status) {
        cxx_unit_free(&unit);
        return reader.status;
    }
    *out_unit = unit;
    return CUBINET_OK;
}

void cxx_unit_free(struct cxx_unit *unit)
{
    for (size_t i = 0; i < unit->file_count; i++) {
        file_free(unit->files[i]);
    }
    while (unit->blocks) {
        struct cxx_block *next = unit->blocks->next;
        free(unit->blocks);
        unit->blocks = next;
    }
    free(unit->files);
    free(unit->expansions);
    cxx_tokens_free(&unit->tokens);
    *unit = (struct cxx_unit){0};
}

uint32_t cxx_token_end(const struct cxx_unit *unit, const struct cxx_token *token)
{
    return token->expansion ? unit->expansions[token->expansion].end : token->offset + token->size;
}
