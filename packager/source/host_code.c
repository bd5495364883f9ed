/* SPDX-License-Identifier: Apache-2.0 */
#include "source/host_code.h"

#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 256 }; /* of conditions and of braces; what lies deeper is not looked at */

/* What is known of the branch of an #if that is being read. */
enum branch {
    BRANCH_TAKEN,
    BRANCH_LEFT_OUT, /* another of its branches is, or may be, the one */
    BRANCH_DONE,     /* none that follows is */
};

/* What a brace encloses. */
enum scope {
    SCOPE_OUTER, /* a namespace, a class, extern "C": functions are declared in it */
    SCOPE_BODY,  /* a function */
    SCOPE_INNER, /* what is in a function, and initializers */
};

/* What was read since the last declaration ended. */
struct declaration {
    size_t line;          /* where it starts; 0: nothing was read */
    size_t main_line;     /* where `main (` is; 0: nowhere */
    bool after_main;      /* the last token is `main` */
    bool has_parentheses; /* it has a parameter list, or some other pair */
    bool has_outer_word;  /* namespace, class, struct, union, enum, extern "C" */
    bool has_equals;
    bool is_annotated; /* __global__, __device__ */
};

struct reader {
    const char *at;
    size_t line;
    bool line_has_token; /* a # is a directive only where nothing is before it */
    enum branch branches[MAX_DEPTH];
    size_t branch_depth;
    enum scope scopes[MAX_DEPTH];
    size_t scope_depth;
    struct declaration declaration;
    struct declaration function; /* the one that is being read */
    size_t launch_line;          /* in it; 0: nowhere */
    size_t call_line;            /* likewise, of a function of the host's */
    const char *call;
    size_t call_size;
    struct host_code *code;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_left_out(const struct reader *reader)
{
    for (size_t i = 0; i < reader->branch_depth && i < MAX_DEPTH; i++) {
        if (reader->branches[i] != BRANCH_TAKEN) {
            return true;
        }
    }
    return false;
}

static void next_char(struct reader *reader)
{
    if (*reader->at == '\n') {
        reader->line++;
        reader->line_has_token = false;
    }
    reader->at += *reader->at != '\0';
}

static void skip_chars(struct reader *reader, size_t count)
{
    while (count-- > 0) {
        next_char(reader);
    }
}

static void skip_comment(struct reader *reader)
{
    bool is_line = reader->at[1] == '/';
    skip_chars(reader, 2);
    while (*reader->at && !(is_line ? *reader->at == '\n' && reader->at[-1] != '\\'
                                    : reader->at[0] == '*' && reader->at[1] == '/')) {
        next_char(reader);
    }
    if (!is_line) {
        skip_chars(reader, 2);
    }
}

/* A string or a character, from its quote on. */
static void skip_quoted(struct reader *reader)
{
    char quote = *reader->at;
    next_char(reader);
    while (*reader->at && *reader->at != quote && *reader->at != '\n') {
        skip_chars(reader, *reader->at == '\\' ? 2 : 1);
    }
    next_char(reader);
}

/* R"name(text)name", from its quote on. */
static void skip_raw_string(struct reader *reader)
{
    char end[20] = ")";
    size_t size = strcspn(reader->at + 1, "(\n");
    if (size > 16) {
        skip_quoted(reader);
        return;
    }
    memcpy(end + 1, reader->at + 1, size);
    memcpy(end + 1 + size, "\"", sizeof("\""));
    const char *last = strstr(reader->at, end);
    skip_chars(reader, last ? (size_t)(last - reader->at) + strlen(end) : strlen(reader->at));
}

static size_t word_size(const char *at)
{
    size_t size = 0;
    while (is_word(at[size])) {
        size++;
    }
    return size;
}

static bool is_the_word(const char *at, size_t size, const char *word)
{
    return size == strlen(word) && strncmp(at, word, size) == 0;
}

static bool is_one_of(const char *at, size_t size, const char *const *words)
{
    for (; *words; words++) {
        if (is_the_word(at, size, *words)) {
            return true;
        }
    }
    return false;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* A macro's being defined in NVRTC: 1 or 0, and -1 if it is not known. */
static int is_defined(const char *name, size_t size)
{
    static const char *const defined[] = {"__CUDACC_RTC__", "__CUDACC__", "__CUDA_ARCH__", "__cplusplus",
                                          NULL};
    static const char *const undefined[] = {"__NVCC__", "_WIN32", "_MSC_VER", NULL};
    return is_one_of(name, size, defined) ? 1 : is_one_of(name, size, undefined) ? 0 : -1;
}

/* The value of an #if's condition: 1, 0, or -1 if it is not known. */
static int condition_value(const char *at)
{
    at = skip_blanks(at);
    bool negated = *at == '!';
    at = skip_blanks(at + negated);
    int value = -1;
    if (*at == '0' || *at == '1') {
        value = *at++ - '0';
    } else if (strncmp(at, "defined", strlen("defined")) == 0) {
        at = skip_blanks(at + strlen("defined"));
        bool paired = *at == '(';
        at = skip_blanks(at + paired);
        value = is_defined(at, word_size(at));
        at = skip_blanks(at + word_size(at));
        at += paired && *at == ')';
    }
    at = skip_blanks(at);
    bool is_all =
        *at == '\0' || *at == '\n' || *at == '\r' || strncmp(at, "//", 2) == 0 || strncmp(at, "/*", 2) == 0;
    return value < 0 || !is_all ? -1 : value != negated;
}

static void open_branch(struct reader *reader, int value)
{
    if (reader->branch_depth < MAX_DEPTH) {
        reader->branches[reader->branch_depth] = value == 0 ? BRANCH_LEFT_OUT : BRANCH_TAKEN;
    }
    reader->branch_depth++;
}

/* The next branch of the innermost #if, if `value` is not 0. After one that may be taken, none is looked at.
 */
static void change_branch(struct reader *reader, int value)
{
    if (reader->branch_depth == 0 || reader->branch_depth > MAX_DEPTH) {
        return;
    }
    enum branch *branch = &reader->branches[reader->branch_depth - 1];
    if (*branch == BRANCH_LEFT_OUT) {
        *branch = value == 0 ? BRANCH_LEFT_OUT : BRANCH_TAKEN;
    } else {
        *branch = BRANCH_DONE;
    }
}

/* Reads a directive from its # on, to the end of its last line. */
static void read_directive(struct reader *reader)
{
    const char *word = skip_blanks(reader->at + 1);
    size_t size = word_size(word);
    const char *rest = skip_blanks(word + size);
    if (is_the_word(word, size, "if")) {
        open_branch(reader, condition_value(rest));
    } else if (is_the_word(word, size, "ifdef") || is_the_word(word, size, "ifndef")) {
        int value = is_defined(rest, word_size(rest));
        open_branch(reader, value >= 0 && word[2] == 'n' ? !value : value);
    } else if (is_the_word(word, size, "elif")) {
        change_branch(reader, condition_value(rest));
    } else if (is_the_word(word, size, "else")) {
        change_branch(reader, 1);
    } else if (is_the_word(word, size, "endif")) {
        reader->branch_depth -= reader->branch_depth > 0;
    }
    while (*reader->at && *reader->at != '\n') {
        if (strncmp(reader->at, "/*", 2) == 0) {
            skip_comment(reader);
        } else {
            skip_chars(reader, *reader->at == '\\' ? 2 : 1);
        }
    }
}

static bool is_in_function(const struct reader *reader)
{
    for (size_t i = 0; i < reader->scope_depth && i < MAX_DEPTH; i++) {
        if (reader->scopes[i] != SCOPE_OUTER) {
            return true;
        }
    }
    return false;
}

static void open_scope(struct reader *reader)
{
    const struct declaration *declaration = &reader->declaration;
    enum scope scope = SCOPE_INNER;
    if (!is_in_function(reader)) {
        bool is_function = declaration->has_parentheses && !declaration->has_equals;
        scope = is_function ? SCOPE_BODY : declaration->has_outer_word ? SCOPE_OUTER : SCOPE_INNER;
    }
    if (scope == SCOPE_BODY) {
        reader->function = *declaration;
        reader->launch_line = 0;
        reader->call_line = 0;
    }
    if (reader->scope_depth < MAX_DEPTH) {
        reader->scopes[reader->scope_depth] = scope;
    }
    reader->scope_depth++;
    reader->declaration = (struct declaration){0};
}

static cubinet_status add_function(struct reader *reader)
{
    struct host_code *code = reader->code;
    const struct declaration *function = &reader->function;
    struct host_function *functions = reallocarray(code->functions, code->count + 1, sizeof(*functions));
    if (!functions) {
        return cbn_error_memory();
    }
    code->functions = functions;
    bool is_call = !function->main_line && !reader->launch_line;
    functions[code->count++] = (struct host_function){
        .first_line = function->line,
        .last_line = reader->line,
        .line = function->main_line ? function->main_line
                : is_call           ? reader->call_line
                                    : reader->launch_line,
        .is_main = function->main_line != 0,
        .call = is_call ? reader->call : NULL,
        .call_size = is_call ? reader->call_size : 0,
    };
    return CUBINET_OK;
}

static cubinet_status close_scope(struct reader *reader)
{
    cubinet_status status = CUBINET_OK;
    if (reader->scope_depth > 0) {
        reader->scope_depth--;
        bool is_body = reader->scope_depth < MAX_DEPTH && reader->scopes[reader->scope_depth] == SCOPE_BODY;
        bool launches_or_calls = reader->launch_line || reader->call_line;
        bool is_hosts = reader->function.main_line || (launches_or_calls && !reader->function.is_annotated);
        status = is_body && is_hosts ? add_function(reader) : CUBINET_OK;
    }
    reader->declaration = (struct declaration){0};
    return status;
}

/* Whether a word is a function of CUDA's runtime or libraries: one of these, and a capital letter. */
static bool is_hosts_function(const char *at, size_t size)
{
    static const char *const prefixes[] = {"cuda",     "cublas", "cudnn", "cufft", "curand", "cusolver",
                                           "cusparse", "nccl",   "nvml",  "nvrtc", "nvtx",   "MPI_"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t start = strlen(prefixes[i]);
        if (size > start && strncmp(at, prefixes[i], start) == 0 && isupper((unsigned char)at[start])) {
            return *skip_blanks(at + size) == '(';
        }
    }
    return false;
}

static void note_call(struct reader *reader, size_t size)
{
    if (!reader->call_line && is_in_function(reader) && is_hosts_function(reader->at, size)) {
        reader->call_line = reader->line;
        reader->call = reader->at;
        reader->call_size = size;
    }
}

static void read_word(struct reader *reader)
{
    static const char *const annotations[] = {"__global__", "__device__", "__tile_global__", "__tile__",
                                              NULL};
    static const char *const outer[] = {"namespace", "class", "struct", "union", "enum", "extern", NULL};
    size_t size = word_size(reader->at);
    struct declaration *declaration = &reader->declaration;
    declaration->is_annotated |= is_one_of(reader->at, size, annotations);
    declaration->has_outer_word |= is_one_of(reader->at, size, outer);
    declaration->after_main = is_the_word(reader->at, size, "main");
    note_call(reader, size);
    bool is_raw = reader->at[size] == '"' && reader->at[size - 1] == 'R' && size <= 3;
    skip_chars(reader, size);
    if (is_raw) {
        skip_raw_string(reader);
    }
}

/* Reads a character that is not part of a word. */
static cubinet_status read_sign(struct reader *reader)
{
    struct declaration *declaration = &reader->declaration;
    bool after_main = declaration->after_main;
    declaration->after_main = false;
    switch (*reader->at) {
    case '{':
        open_scope(reader);
        break;
    case '}':
        return close_scope(reader);
    case ';':
        *declaration = (struct declaration){0};
        break;
    case '(':
        declaration->has_parentheses = true;
        if (after_main && !is_in_function(reader)) {
            declaration->main_line = reader->line;
        }
        break;
    case '=':
        declaration->has_equals = true;
        break;
    case '<':
        if (strncmp(reader->at, "<<<", 3) == 0 && !reader->launch_line) {
            reader->launch_line = reader->line;
        }
        break;
    default:
        break;
    }
    return CUBINET_OK;
}

static cubinet_status read_token(struct reader *reader)
{
    cubinet_status status = CUBINET_OK;
    reader->line_has_token = true;
    if (reader->declaration.line == 0 && !strchr("{};", *reader->at)) {
        reader->declaration.line = reader->line;
    }
    if (is_word(*reader->at)) {
        read_word(reader);
    } else if (*reader->at == '"' || *reader->at == '\'') {
        skip_quoted(reader);
    } else {
        status = read_sign(reader);
        next_char(reader);
    }
    return status;
}

cubinet_status host_code_find(const char *source, struct host_code *out_code)
{
    struct host_code code = {0};
    struct reader reader = {.at = source, .line = 1, .code = &code};
    cubinet_status status = CUBINET_OK;
    while (!status && *reader.at) {
        if (isspace((unsigned char)*reader.at) || *reader.at == '\\') {
            next_char(&reader);
        } else if (strncmp(reader.at, "//", 2) == 0 || strncmp(reader.at, "/*", 2) == 0) {
            skip_comment(&reader);
        } else if (*reader.at == '#' && !reader.line_has_token) {
            read_directive(&reader);
        } else if (is_left_out(&reader)) {
            /* Quotes may hide a # at the start of a line, but apostrophes in such text need not be pairs. */
            next_char(&reader);
            reader.line_has_token = reader.at[-1] != '\n';
        } else {
            status = read_token(&reader);
        }
    }
    if (status) {
        host_code_free(&code);
        return status;
    }
    *out_code = code;
    return CUBINET_OK;
}

bool host_code_has_line(const struct host_code *code, size_t line)
{
    for (size_t i = 0; i < code->count; i++) {
        if (line >= code->functions[i].first_line && line <= code->functions[i].last_line) {
            return true;
        }
    }
    return false;
}

void host_code_free(struct host_code *code)
{
    free(code->functions);
    *code = (struct host_code){0};
}
