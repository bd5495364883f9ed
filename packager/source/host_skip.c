/* SPDX-License-Identifier: Apache-2.0 */
#include "source/host_skip.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "source/constructed_objects.h"
#include "source/host_assertions.h"
#include "source/host_compiler.h"
#include "source/host_heads.h"
#include "source/statement_expressions.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cubinet_status host_skip_read(const struct cxx_settings *settings, bool relocatable,
                              struct host_skip *out_skip)
{
    struct host_skip skip = {0};
    cubinet_status status = cxx_unit_read(settings, &skip.unit);
    if (!status) {
        status = declarations_read(&skip.unit.tokens, &skip.declarations);
    }
    if (!status) {
        status = constructed_objects_find(&skip.unit.tokens, &skip.declarations);
    }
    if (!status) {
        status = host_parts_decide(&skip.unit.tokens, &skip.declarations, false, &skip.parts);
    }
    if (status) {
        host_skip_free(&skip);
        return status;
    }
    skip.is_relocatable = relocatable;
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

/* Whether a path as the compiler spells it, which may have the working folder before it, is a file's. */
static bool is_path_of(const char *known, size_t known_size, const char *path, size_t size)
{
    bool is_end = known_size <= size && memcmp(path + size - known_size, known, known_size) == 0;
    return is_end && (known_size == size || path[size - known_size - 1] == '/');
}

/* A line of a file. */
struct place {
    size_t file;
    unsigned long line;
};

/* Whether a line goes by this name and number of those after a `#line` and before the next, or before all of
 * them (`part` 0). */
static bool find_in_part(const struct cxx_file *file, size_t part, const char *path, size_t size,
                         unsigned long number, unsigned long *out_line)
{
    const struct cxx_renumbering *start = part > 0 ? &file->renumberings[part - 1] : NULL;
    const char *name = start ? start->name : file->path;
    size_t name_size = start ? start->name_size : strlen(file->path);
    *out_line = start ? start->line + 1 + number - start->number : number;
    bool is_before = start && number < start->number;
    bool is_after = part < file->renumbering_count && *out_line >= file->renumberings[part].line;
    return !is_before && !is_after && is_path_of(name, name_size, path, size);
}

/* The line that the compiler names; of those to which `#line`s give one name, the `choice`th. False if there
 * are no more. What is after a `#line` comes first. */
static bool find_place(const struct host_skip *skip, const char *path, size_t size, unsigned long number,
                       size_t choice, struct place *out_place)
{
    for (size_t i = 0; i < skip->unit.file_count; i++) {
        const struct cxx_file *file = skip->unit.files[i];
        for (size_t part = file->renumbering_count + 1; part-- > 0;) {
            *out_place = (struct place){.file = i};
            if (find_in_part(file, part, path, size, number, &out_place->line) && choice-- == 0) {
                return true;
            }
        }
    }
    return false;
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

bool host_skip_has_statements(const struct host_skip *skip)
{
    bool found = false;
    for (size_t i = 0; i < skip->unit.file_count && !found; i++) {
        struct statement_expression expression;
        size_t at = 0;
        found = statement_expression_next(&skip->unit.files[i]->tokens, &at, &expression);
    }
    return found;
}

/* The name that a directive includes, if it is one that does; NULL otherwise. */
static const char *included_name(const struct cxx_file *file, const struct cxx_token *token, size_t *out_size)
{
    if (!cxx_is_directive(token, "include")) {
        return NULL;
    }
    const char *name = file->text + token[1].offset + token[1].size;
    name += strspn(name, " \t");
    bool is_name = *name == '<' || *name == '"';
    *out_size = is_name ? strcspn(name + 1, ">\"\n") : 0;
    return is_name ? name + 1 : NULL;
}

/* Blanks the other includes of a header that is not found, and those of the same folder of the system's, as
 * in absl/: the compiler tells one in a run. */
static cubinet_status blank_likes(struct host_skip *skip, const char *name, size_t size)
{
    const char *slash = memchr(name, '/', size);
    size_t folder = slash ? (size_t)(slash + 1 - name) : 0;
    cubinet_status status = CUBINET_OK;
    bool learned = false;
    for (size_t i = 0; i < skip->unit.file_count; i++) {
        const struct cxx_file *file = skip->unit.files[i];
        for (size_t j = 0; j + 1 < file->tokens.count && !status; j++) {
            size_t other_size = 0;
            const char *other = included_name(file, &file->tokens.items[j], &other_size);
            bool is_same = other && other_size == size && memcmp(other, name, size) == 0;
            bool is_beside = other && folder > 0 && other_size > folder && memcmp(other, name, folder) == 0;
            if (is_same || (is_beside && is_systems_header(other, other_size))) {
                status = blank_line(skip, (uint16_t)i, file->tokens.items[j].line, &learned);
            }
        }
    }
    return status;
}

/* The name that an error says is not there; NULL if it is about something else. */
static const char *missing_name(const char *said, size_t *out_size)
{
    static const char missing[] = "identifier \"";
    static const char member[] = "has no member \""; /* of a namespace, as no variable is a class's */
    size_t size = strcspn(said, "\n");
    const char *found = memmem(said, size, member, strlen(member));
    const char *name = strncmp(said, missing, strlen(missing)) == 0 ? said + strlen(missing)
                       : found                                      ? found + strlen(member)
                                                                    : NULL;
    *out_size = name ? strcspn(name, "\"\n") : 0;
    return name;
}

/* What an error means for the declarations that have a token on its line. */
static bool learn_token(struct host_skip *skip, size_t token, bool is_named, const char *said)
{
    const struct cxx_tokens *tokens = &skip->unit.tokens;
    size_t size = 0;
    const char *name = missing_name(said, &size);
    bool is_plain = said[0] == 'i'; /* an identifier, not a member */
    if (name &&
        ((is_plain && host_parts_want(&skip->parts, tokens, &skip->declarations, token, name, size)) ||
         host_parts_declare(&skip->parts, tokens, &skip->declarations, token, name, size))) {
        return true;
    }
    return host_parts_drop(&skip->parts, tokens, &skip->declarations, token, is_named);
}

/* Whether an error quotes a name: `"x"`, or the last part of `"a::x"`, `"a::x(int)"`. */
static bool is_quoted(const char *said, const struct cxx_token *word)
{
    const char *end = strchrnul(said, '\n');
    const char *open = memchr(said, '"', (size_t)(end - said));
    while (open && word->kind == CXX_WORD) {
        const char *close = memchr(open + 1, '"', (size_t)(end - open - 1));
        if (!close) {
            return false;
        }
        const char *last = open + 1 + strcspn(open + 1, "(<\"");
        const char *start = last - word->size;
        if (start > open && memcmp(start, word->text, word->size) == 0 &&
            (start == open + 1 || start[-1] == ':' || start[-1] == ' ')) {
            return true;
        }
        open = memchr(close + 1, '"', (size_t)(end - close - 1));
    }
    return false;
}

/* Whether a token is of an alias, an assertion or the like, and of no function, or of what is left of a
 * declaration. */
static bool is_of_other(const struct host_skip *skip, size_t token)
{
    size_t number = declarations_innermost(&skip->declarations, token);
    return number != SIZE_MAX && (skip->declarations.items[number].kind == DECLARATION_OTHER ||
                                  skip->parts.items[number].fate == HOST_HEAD);
}

/* Gives bodies to the functions on a line of which the compiler wants one. A macro may make many there, and
 * an operator's name isn't looked for in the message. */
static bool define_on_line(struct host_skip *skip, size_t file, unsigned long line, const char *said)
{
    static const char undefined[] = "was referenced but not defined";
    const struct cxx_tokens *tokens = &skip->unit.tokens;
    bool is_about_bodies = memmem(said, strcspn(said, "\n"), undefined, strlen(undefined));
    bool is_defined = false;
    for (size_t i = 0; i + 1 < tokens->count && is_about_bodies; i++) {
        if (tokens->items[i].line == line && tokens->items[i].file == file) {
            is_defined |= host_parts_define(&skip->parts, tokens, &skip->declarations, i);
        }
    }
    return is_defined;
}

/* Whether a token's text is on a line: what a macro made, of arguments on other lines, too, is where it is
 * used. */
static bool stands_on_line(const struct host_skip *skip, const struct cxx_token *token, size_t file,
                           unsigned long line)
{
    const struct cxx_tokens *raw = &skip->unit.files[file]->tokens;
    size_t use = 0;
    if (token->file != file || token->line == line || !token->expansion) {
        return token->file == file && token->line == line;
    }
    while (use + 1 < raw->count && raw->items[use].offset < skip->unit.expansions[token->expansion].begin) {
        use++;
    }
    return raw->items[use].line == line;
}

/* What an error on a line means: for what has a name that it quotes, first where the compiler sees that, then
 * for any function, variable or class there, then for the rest, and for assertions last. A macro may make
 * many declarations on one line, and aliases of the device's stand before the host's functions. */
static bool learn_on_line(struct host_skip *skip, size_t file, unsigned long line, const char *said)
{
    enum { SEEN, NAMED, CODE, ANY, ASSERTIONS, LEVELS };
    const struct cxx_tokens *tokens = &skip->unit.tokens;
    if (define_on_line(skip, file, line, said)) {
        return true;
    }
    for (int level = SEEN; level < LEVELS; level++) {
        for (size_t i = 0; i + 1 < tokens->count; i++) {
            const struct cxx_token *token = &tokens->items[i];
            bool is_named = level <= NAMED;
            bool is_meant = is_named ? is_quoted(said, token) && stands_on_line(skip, token, file, line)
                                     : token->line == line && token->file == file;
            if (is_meant &&
                (level != SEEN || host_parts_shows(&skip->parts, tokens, &skip->declarations, i)) &&
                (level != CODE || !is_of_other(skip, i)) &&
                (level == ASSERTIONS || !host_assertion_has(skip, i)) &&
                learn_token(skip, i, is_named, said)) {
                return true;
            }
        }
    }
    return false;
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

/* How long a message is, with the lines that follow its first: those of the source, notes, what was
 * instantiated. */
static size_t message_size(const char *message)
{
    static const char mark[] = "): ";
    const char *end = message + strcspn(message, "\n");
    while (*end && end[1]) {
        const char *line = end + 1;
        size_t size = strcspn(line, "\n");
        const char *place = *line == ' ' ? NULL : memmem(line, size, mark, strlen(mark));
        if (size == 0 || (place && strncmp(place + strlen(mark), "note", strlen("note")) != 0)) {
            break;
        }
        end += 1 + size;
    }
    return (size_t)(end - message);
}

/* Whether a declaration has something on a line of a file. */
static bool has_line(const struct host_skip *skip, const struct declaration *declaration, size_t file,
                     size_t line)
{
    const struct cxx_token *first = &skip->unit.tokens.items[declaration->first];
    const struct cxx_token *last = &skip->unit.tokens.items[declaration->end - 1];
    return first->file == file && first->line <= line && last->line >= line;
}

/* Whether a text has a name before a list of arguments. */
static bool names_function(const char *text, size_t size, const struct cxx_token *name)
{
    const char *end = text + size;
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), name->text, name->size)); at++) {
        const char *next = at + name->size;
        if (next < end && (*next == '<' || *next == '(') &&
            (at[-1] == ' ' || at[-1] == ':' || at[-1] == '"')) {
            return true;
        }
    }
    return false;
}

/* Whether an error is in an instance of a function of the device's on that line: what asked for the instance,
 * or else is on the line, isn't to blame. */
static bool is_in_instance(const struct host_skip *skip, size_t file, unsigned long line, const char *said)
{
    static const char mark[] = "instantiation of \"";
    const char *open = memmem(said, message_size(said), mark, strlen(mark));
    const char *entity = open ? open + strlen(mark) : NULL;
    size_t size = open ? strcspn(entity, "[\"\n") : 0;
    for (size_t i = 0; open && i < skip->declarations.count; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        if (declaration->kind == DECLARATION_FUNCTION && declaration->name != SIZE_MAX &&
            declaration->flags & DECLARED_ON_DEVICE && has_line(skip, declaration, file, line) &&
            names_function(entity, size, &skip->unit.tokens.items[declaration->name])) {
            return true;
        }
    }
    return false;
}

/* A static assertion that failed: it stays, unless it is about the host's types. */
static bool learn_assertion(struct host_skip *skip, size_t file, unsigned long line, const char *said)
{
    const struct cxx_tokens *tokens = &skip->unit.tokens;
    size_t size = message_size(said);
    for (size_t i = 0; i + 1 < tokens->count; i++) {
        if (tokens->items[i].line == line && tokens->items[i].file == file && host_assertion_has(skip, i) &&
            host_assertion_is_hosts(skip, i, said, size) &&
            host_parts_drop(&skip->parts, tokens, &skip->declarations, i, false)) {
            return true;
        }
    }
    return false;
}

/* Lambdas that nvcc takes before C++20, too, with a warning. */
static const char newer_lambda[] = "explicit lambda template parameters are a C++20 feature";

/* One error: `path(line): error: …`. */
static cubinet_status learn_one(struct host_skip *skip, size_t file, unsigned long line, const char *said,
                                bool *out_learned)
{
    static const char missing[] = "cannot open source file \"";
    static const char expected[] = "expected an expression";
    if (!skip->has_statements && strncmp(said, expected, strlen(expected)) == 0 &&
        host_skip_has_statements(skip)) {
        skip->has_statements = true;
        *out_learned = true;
        return CUBINET_OK;
    }
    if (host_compiler_is_refused(said) || strncmp(said, newer_lambda, strlen(newer_lambda)) == 0) {
        return CUBINET_OK; /* learn_compiler() has seen it; what such a lambda launches is wanted */
    }
    if (strncmp(said, missing, strlen(missing)) == 0) {
        const char *name = said + strlen(missing);
        size_t size = strcspn(name, "\"\n");
        if (!is_systems_header(name, size)) {
            return CUBINET_OK;
        }
        cubinet_status status = blank_line(skip, (uint16_t)file, (uint32_t)line, out_learned);
        return status ? status : blank_likes(skip, name, size);
    }
    *out_learned |= host_assertion_failed(said)              ? learn_assertion(skip, file, line, said)
                    : is_in_instance(skip, file, line, said) ? false
                                                             : learn_on_line(skip, file, line, said);
    return CUBINET_OK;
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

/* Whether an error is about a name that --kernel asks for, which NVRTC looks up last: the place that it gives
 * is that of something else. */
static bool is_about_name(const char *line, size_t size)
{
    static const char mark[] = "Input name expression was";
    return memmem(line, size, mark, strlen(mark)) != NULL;
}

/* What an error means for the line that the compiler names. */
static cubinet_status learn_named(struct host_skip *skip, const char *path, size_t size, unsigned long number,
                                  const char *said, bool *out_learned)
{
    cubinet_status status = CUBINET_OK;
    struct place place;
    for (size_t i = 0; !status && !*out_learned && find_place(skip, path, size, number, i, &place); i++) {
        status = learn_one(skip, place.file, place.line, said, out_learned);
    }
    return status;
}

/* The line that an error, up to the parenthesis before its number, is about. False if no such file was read.
 */
static bool find_error(const struct host_skip *skip, const char *line, const char *open,
                       struct place *out_place)
{
    return find_place(skip, line, (size_t)(open - line), strtoul(open + 1, NULL, 10), 0, out_place);
}

static bool is_ours(const struct host_skip *skip, const char *line, const char *open)
{
    struct place place;
    return find_error(skip, line, open, &place);
}

typedef bool part_test(const struct declaration *declaration, const struct host_part *part);

/* Whether a line, as the compiler names it, has a declaration that passes a test. */
static bool has_on_line(const struct host_skip *skip, const char *path, size_t path_size, size_t line,
                        part_test *test)
{
    struct place place;
    bool is_found = find_place(skip, path, path_size, line, 0, &place);
    for (size_t i = 0; i < skip->declarations.count && is_found; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        if (test(declaration, &skip->parts.items[i]) && has_line(skip, declaration, place.file, place.line)) {
            return true;
        }
    }
    return false;
}

static bool is_on_device(const struct declaration *declaration, const struct host_part *part)
{
    (void)part;
    return declaration->flags & DECLARED_ON_DEVICE;
}

/* One error on a line of the log, that is about a line of a file. */
static cubinet_status learn_line(struct host_skip *skip, const char *log, const char *line, bool *out_learned)
{
    size_t size = strcspn(line, "\n");
    const char *said = NULL;
    const char *open = error_of(line, size, &said);
    if (!open || !is_ours(skip, line, open) || is_about_name(line, size) || is_known(log, line, open)) {
        return CUBINET_OK;
    }
    bool learned = false;
    size_t path_size = (size_t)(open - line);
    unsigned long number = strtoul(open + 1, NULL, 10);
    cubinet_status status = learn_named(skip, line, path_size, number, said, &learned);
    skip->is_stuck |= !learned && !has_on_line(skip, line, path_size, number, is_on_device);
    buffer_printf(&skip->notes, "%s %.*s\n", learned ? "left out for" : "refused", (int)size, line);
    *out_learned |= learned;
    return status;
}

/* A line of the log that tells what template an error is in: `… at line 8 of "path"`. An error in a header of
 * others is about the line that made the instance. */
static cubinet_status learn_origin(struct host_skip *skip, const char *line, bool *out_learned)
{
    static const char mark[] = " at line ";
    size_t size = strcspn(line, "\n");
    const char *at = *line == ' ' ? memmem(line, size, mark, strlen(mark)) : NULL;
    char *path = NULL;
    unsigned long number = at ? strtoul(at + strlen(mark), &path, 10) : 0;
    if (!at || strncmp(path, " of \"", strlen(" of \"")) != 0) {
        return CUBINET_OK;
    }
    path += strlen(" of \"");
    bool learned = false;
    cubinet_status status = learn_named(skip, path, strcspn(path, "\"\n"), number, "", &learned);
    if (learned) {
        buffer_printf(&skip->notes, "left out for an instance%.*s\n", (int)(size - (size_t)(at - line)), at);
    }
    *out_learned |= learned;
    return status;
}

/* Whether an error is of a type that another error left unknown. */
static bool is_consequence(const char *line, size_t size)
{
    static const char mark[] = "<error-type>";
    return memmem(line, size, mark, strlen(mark)) != NULL;
}

bool host_skip_stop_guessing(struct host_skip *skip)
{
    bool changed = host_parts_stop_guessing(&skip->parts, &skip->unit.tokens, &skip->declarations);
    buffer_puts(&skip->notes, changed ? "left out: what operators may launch\n" : "");
    return changed;
}

/* What the log's errors mean; of consequences of others those only that are asked for. */
static cubinet_status learn_lines(struct host_skip *skip, const char *log, bool consequences,
                                  bool *out_learned)
{
    cubinet_status status = CUBINET_OK;
    bool is_elsewhere = false; /* the last error was */
    for (const char *line = log; *line && !status;) {
        size_t size = strcspn(line, "\n");
        const char *said = NULL;
        const char *open = error_of(line, size, &said);
        if (open) {
            skip->parts.message = line;
            skip->parts.message_size = message_size(line);
        }
        if (open && (consequences || !is_consequence(line, size))) {
            is_elsewhere = !is_ours(skip, line, open);
            status = learn_line(skip, log, line, out_learned);
        } else if (is_elsewhere && !open) {
            status = learn_origin(skip, line, out_learned);
        }
        line += size + (line[size] == '\n');
    }
    skip->parts.message = NULL;
    *out_learned |= !status && !*out_learned && host_skip_stop_guessing(skip);
    return status;
}

/* Whether the files are for a compiler that they know. What they leave out for others makes errors
 * everywhere, which say nothing. */
static bool learn_compiler(struct host_skip *skip, const char *log)
{
    for (const char *line = log; *line && !skip->is_gcc;) {
        size_t size = strcspn(line, "\n");
        const char *said = NULL;
        const char *open = error_of(line, size, &said);
        struct place place;
        if (open && find_error(skip, line, open, &place) &&
            host_compiler_is_wanted(skip, place.file, place.line, said)) {
            buffer_printf(&skip->notes, "gcc's macros are defined for %.*s\n", (int)size, line);
            skip->is_gcc = true;
            return true;
        }
        line += size + (line[size] == '\n');
    }
    return false;
}

/* Leaves functions of the host's as declarations: what else is of the host's, such as aliases and assertions,
 * asks for them, and the compiler's errors go on to all that uses it. */
static cubinet_status keep_declarations(struct host_skip *skip)
{
    struct host_parts parts;
    cubinet_status status = host_parts_decide(&skip->unit.tokens, &skip->declarations, true, &parts);
    if (!status) {
        host_parts_free(&skip->parts);
        skip->parts = parts;
        buffer_puts(&skip->notes, "left as declarations: functions of the host's\n");
    }
    return status;
}

cubinet_status host_skip_learn(struct host_skip *skip, const char *log, bool *out_learned)
{
    *out_learned = learn_compiler(skip, log);
    if (*out_learned) {
        return CUBINET_OK;
    }
    cubinet_status status = learn_lines(skip, log, false, out_learned);
    if (!status && !*out_learned) {
        status = learn_lines(skip, log, true, out_learned);
    }
    if (!status && skip->is_stuck && !skip->parts.has_declarations) {
        status = keep_declarations(skip);
        *out_learned = true;
    }
    return status;
}

void host_skip_explain(const struct host_skip *skip, const char *path, const char *log,
                       struct buffer *messages)
{
    const struct cxx_token *tokens = skip->unit.tokens.items;
    if (strstr(log, newer_lambda)) {
        buffer_printf(messages,
                      "%s: note: give -std=c++20, with which NVRTC takes lambdas with template parameters\n",
                      path);
    }
    for (size_t i = 0; i < skip->declarations.count; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        char said[256];
        bool is_code = declaration->kind == DECLARATION_FUNCTION || declaration->kind == DECLARATION_VARIABLE;
        if (skip->parts.items[i].fate != HOST_DROPPED || skip->parts.items[i].cause ||
            declaration->name == SIZE_MAX || !is_code) {
            continue;
        }
        const struct cxx_token *name = &tokens[declaration->name];
        bool is_function = declaration->kind == DECLARATION_FUNCTION;
        snprintf(said, sizeof(said), "identifier \"%.*s\" is undefined", (int)name->size, name->text);
        if (strstr(log, said)) {
            const char *file = name->file ? skip->unit.files[name->file]->path : path;
            buffer_printf(
                messages,
                "%s:%u: note: %.*s%s is for the host, because it is not annotated: device code needs %s, or "
                "--default-device\n",
                file, name->line, (int)name->size, name->text, is_function ? "()" : "",
                is_function ? "__device__" : "__device__ or __constant__");
        }
    }
}

/* Whether a text has the first line of a message. */
static bool says(const char *text, const char *message)
{
    return text && memmem(text, strlen(text), message, strcspn(message, "\n"));
}

/* Chooses the parts with a cause that the log, or the cause of one that is chosen, names. */
static void choose_causes(const struct host_skip *skip, const char *log, bool *chosen, struct buffer *texts)
{
    const struct cxx_token *tokens = skip->unit.tokens.items;
    bool grows = true;
    while (grows && !texts->failed) {
        grows = false;
        for (size_t i = 0; i < skip->declarations.count; i++) {
            const struct declaration *declaration = &skip->declarations.items[i];
            const char *cause = skip->parts.items[i].cause;
            if (cause && !chosen[i] &&
                (host_head_is_in(tokens, declaration, log) ||
                 (texts->data && host_head_is_in(tokens, declaration, texts->data)))) {
                chosen[i] = grows = true;
                buffer_printf(texts, "%s\n", cause);
            }
        }
    }
}

cubinet_status host_skip_causes(const struct host_skip *skip, const char *log, struct buffer *causes)
{
    struct buffer texts = {0};
    bool *chosen = calloc(skip->declarations.count + 1, sizeof(*chosen));
    if (!chosen) {
        return cbn_error_memory();
    }
    choose_causes(skip, log, chosen, &texts);
    for (size_t i = 0; i < skip->declarations.count; i++) {
        const char *cause = skip->parts.items[i].cause;
        if (chosen[i] && !says(log, cause) && !says(causes->data, cause)) {
            buffer_printf(causes, "%s\n\n", cause);
        }
    }
    bool failed = texts.failed || causes->failed;
    buffer_free(&texts);
    free(chosen);
    return failed ? cbn_error_memory() : CUBINET_OK;
}

static bool is_changed(const struct declaration *declaration, const struct host_part *part)
{
    (void)declaration;
    return part->fate != HOST_KEPT && !part->is_inside;
}

bool host_skip_has_line(const struct host_skip *skip, const char *path, size_t path_size, size_t line)
{
    return has_on_line(skip, path, path_size, line, is_changed);
}

static bool is_device_variable(const struct declaration *declaration, const struct host_part *part)
{
    return declaration->kind == DECLARATION_VARIABLE && is_on_device(declaration, part);
}

bool host_skip_has_device_variable(const struct host_skip *skip, const char *path, size_t path_size,
                                   size_t line)
{
    return has_on_line(skip, path, path_size, line, is_device_variable);
}

/* Where a token is on its line, from 0. */
static size_t column_of(const struct host_skip *skip, const struct cxx_token *token)
{
    const char *text = skip->unit.files[token->file]->text;
    size_t column = 0;
    while (column < token->offset && text[token->offset - column - 1] != '\n') {
        column++;
    }
    return column;
}

bool host_skip_is_device(const struct host_skip *skip, const char *path, size_t path_size, size_t line,
                         size_t column)
{
    struct place place;
    bool is_found = find_place(skip, path, path_size, line, 0, &place);
    const struct cxx_token *tokens = skip->unit.tokens.items;
    size_t found = SIZE_MAX;
    for (size_t i = 0; i + 1 < skip->unit.tokens.count && is_found; i++) {
        bool is_on_line = tokens[i].line == place.line && tokens[i].file == place.file;
        found = is_on_line && column_of(skip, &tokens[i]) <= column ? i : found;
    }
    size_t number = found == SIZE_MAX ? SIZE_MAX : declarations_innermost(&skip->declarations, found);
    if (number == SIZE_MAX) {
        return false;
    }
    const struct declaration *declaration = &skip->declarations.items[number];
    return declaration->kind == DECLARATION_FUNCTION && !(declaration->flags & DECLARED_HOST) &&
           declaration->flags & DECLARED_ON_DEVICE;
}
