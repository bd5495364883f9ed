/* SPDX-License-Identifier: Apache-2.0 */
#include "source/launch_sites.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <stdlib.h>
#include <string.h>

/* A kernel that the source declares. */
struct kernel {
    const struct cxx_token *name;
    char *qualified;
    char *visible; /* the same without inline namespaces */
    bool is_template;
};

struct finder {
    const struct host_skip *skip;
    const struct cxx_token *tokens;
    struct name_set names; /* of kernels */
    struct kernel *kernels;
    size_t kernel_count;
    struct launch_sites *sites;
    bool in_template; /* what is read of the declaration so far makes one of it */
    struct {
        uint16_t file;
        size_t at;
        size_t depth;
    } conditions; /* #if that are open in a file, before the token `at` of it */
};

/* A use of a kernel's name, by its tokens; ends are after the last. */
struct use {
    size_t first; /* where its qualified name starts */
    size_t name;
    size_t end; /* of its template arguments, or of the name */
};

static bool is(const struct finder *finder, size_t at, int sign)
{
    return cxx_is(&finder->tokens[at], sign);
}

static void put_token(struct buffer *text, const struct cxx_token *token)
{
    buffer_append(text, token->text, token->size);
}

/* Tokens on one line, with white space where it was, and where words would run together. */
static void put_tokens(struct buffer *text, const struct finder *finder, size_t at, size_t end)
{
    for (size_t first = at; at < end; at++) {
        const struct cxx_token *token = &finder->tokens[at];
        bool words = at > first && token->kind != CXX_SIGN && token[-1].kind != CXX_SIGN;
        bool opens = at > first && (cxx_is(token - 1, '<') || cxx_is(token - 1, '('));
        bool breaks = token->flags & CXX_STARTS_LINE && opens;
        if (at > first && !breaks && (words || !cxx_is_glued(token))) {
            buffer_puts(text, " ");
        }
        put_token(text, token);
    }
}

/* The names before a declaration's name, as in `namespace a::b` and `void a::b(`, and that. */
static void put_declared(struct buffer *text, const struct finder *finder,
                         const struct declaration *declaration)
{
    size_t first = declaration->name;
    while (first > declaration->first + 1 && is(finder, first - 1, CXX_SCOPE) &&
           finder->tokens[first - 2].kind == CXX_WORD) {
        first -= 2;
    }
    for (size_t at = first; at <= declaration->name; at++) {
        put_token(text, &finder->tokens[at]);
    }
}

/* The named namespaces from the outermost to that declaration, each with :: after it. */
static void put_scope(struct buffer *text, const struct finder *finder, size_t number, bool inlines)
{
    if (number == SIZE_MAX) {
        return;
    }
    const struct declaration *declaration = &finder->skip->declarations.items[number];
    put_scope(text, finder, declaration->parent, inlines);
    if (declaration->kind == DECLARATION_NAMESPACE && declaration->name != SIZE_MAX &&
        (inlines || !cxx_is_word(&finder->tokens[declaration->first], "inline"))) {
        put_declared(text, finder, declaration);
        buffer_puts(text, "::");
    }
}

static char *name_of(const struct finder *finder, const struct declaration *declaration, bool inlines)
{
    struct buffer text = {0};
    put_scope(&text, finder, declaration->parent, inlines);
    if (declaration->name != SIZE_MAX) {
        put_declared(&text, finder, declaration);
    }
    buffer_puts(&text, "");
    return buffer_take(&text);
}

static cubinet_status add_kernel(struct finder *finder, const struct declaration *declaration)
{
    struct kernel *kernels = array_grow(finder->kernels, finder->kernel_count, sizeof(*kernels));
    struct kernel kernel = {
        .name = &finder->tokens[declaration->name],
        .qualified = name_of(finder, declaration, true),
        .visible = name_of(finder, declaration, false),
        .is_template = declaration->flags & (DECLARED_TEMPLATE | DECLARED_INSTANCE),
    };
    finder->kernels = kernels ? kernels : finder->kernels;
    if (!kernels || !kernel.qualified || !kernel.visible) {
        free(kernel.qualified);
        free(kernel.visible);
        return cbn_error_memory();
    }
    kernels[finder->kernel_count++] = kernel;
    return name_set_add(&finder->names, kernel.name);
}

static cubinet_status find_kernels(struct finder *finder)
{
    const struct declarations *declarations = &finder->skip->declarations;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < declarations->count; i++) {
        const struct declaration *declaration = &declarations->items[i];
        if (declaration->kind == DECLARATION_FUNCTION && declaration->flags & DECLARED_KERNEL &&
            declaration->name != SIZE_MAX) {
            status = add_kernel(finder, declaration);
        }
    }
    return status;
}

static bool is_launch(const struct finder *finder, size_t at, size_t end)
{
    return at + 2 < end && is(finder, at, '<') && is(finder, at + 1, '<') && is(finder, at + 2, '<') &&
           cxx_is_glued(&finder->tokens[at + 1]) && cxx_is_glued(&finder->tokens[at + 2]);
}

/* The `<` of the list of template arguments that ends before `end`; `first` if it is not there. */
static size_t angles_start(const struct finder *finder, size_t end, size_t first)
{
    unsigned depth = 0;
    do {
        end--;
        depth += is(finder, end, '>');
        depth -= is(finder, end, '<');
    } while (end > first && depth > 0);
    return end;
}

/* Where a qualified name starts of which `at` is the last word. */
static size_t name_start(const struct finder *finder, size_t at, size_t first)
{
    static const char *const no_names[] = {"return", "else", "do", "case", "throw", NULL};
    while (at > first && is(finder, at - 1, CXX_SCOPE)) {
        size_t before = at - 1;
        if (before > first && is(finder, before - 1, '>')) {
            before = angles_start(finder, before, first);
        }
        if (before == first || finder->tokens[before - 1].kind != CXX_WORD ||
            cxx_is_any_word(&finder->tokens[before - 1], no_names)) {
            return at - 1; /* `::name` */
        }
        at = before - 1;
    }
    return at;
}

/* Whether a statement names a function of CUDA's that launches, before `at`. */
static bool is_launched_by_call(const struct finder *finder, size_t at, size_t first)
{
    static const char launches[] = "cudaLaunch";
    while (at > first && !is(finder, at - 1, ';') && !is(finder, at - 1, '{') && !is(finder, at - 1, '}')) {
        const struct cxx_token *token = &finder->tokens[--at];
        if (token->kind == CXX_WORD && token->size >= strlen(launches) &&
            strncmp(token->text, launches, strlen(launches)) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the address of what starts at `at` is taken, or it is cast to a pointer: `&k`, `(void *)k`. */
static bool is_address(const struct finder *finder, size_t at, size_t first)
{
    if (at < first + 2) {
        return false;
    }
    const struct cxx_token *before = &finder->tokens[at - 2];
    bool is_cast = is(finder, at - 1, ')') && cxx_is(before, '*');
    bool is_operand =
        before->kind == CXX_SIGN ? cxx_is(before, ']') : !cxx_is_word(before, "return"); /* `a & k` */
    return is_cast || (is(finder, at - 1, '&') && !is_operand);
}

/* Whether the name that a use has is a kernel's there, and not a variable's or a function's of the same name.
 */
static bool is_site(const struct finder *finder, const struct use *use, size_t first, size_t end,
                    bool on_device)
{
    size_t after = use->end;
    bool is_member =
        use->first > first && (is(finder, use->first - 1, '.') || is(finder, use->first - 1, CXX_ARROW));
    while (after < end && is(finder, after, ')')) { /* `(k)<<<`, `((void *)k, …` */
        after++;
    }
    if (is_member) {
        return false;
    }
    if (is_launch(finder, after, end)) {
        return true;
    }
    /* `f<T>(x)` calls a function, `a < b && c > 2` compares. */
    bool is_other =
        use->end < end && (is(finder, use->end, '(') || finder->tokens[use->end].kind != CXX_SIGN);
    bool has_arguments = use->end > use->name + 1;
    return !on_device && !is_other &&
           (has_arguments || is_address(finder, use->first, first) ||
            is_launched_by_call(finder, use->first, first));
}

/* The use as a qualified name without template arguments. */
static char *written_name(const struct finder *finder, const struct use *use)
{
    struct buffer text = {0};
    for (size_t at = use->first; at <= use->name;) {
        size_t after = is(finder, at, '<') ? declarations_skip_angles(finder->tokens, at, use->name + 1) : at;
        if (after == at) {
            put_token(&text, &finder->tokens[at]);
            after++;
        }
        at = after;
    }
    return buffer_take(&text);
}

/* Whether a qualified name ends with `name`, as `a::b::k` does with `b::k`. With `whole`, all of it is that.
 */
static bool is_named(const char *qualified, const char *name, bool whole)
{
    size_t size = strlen(name);
    size_t length = strlen(qualified);
    bool ends = length >= size && strcmp(qualified + length - size, name) == 0;
    return ends && (length == size || (!whole && qualified[length - size - 1] == ':'));
}

/* Adds the kernels that are named so. */
static cubinet_status add_named(const struct finder *finder, const struct use *use, const char *name,
                                bool whole, struct launch_site *site)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < finder->kernel_count; i++) {
        const struct kernel *kernel = &finder->kernels[i];
        if (cxx_same(kernel->name, &finder->tokens[use->name]) &&
            (is_named(kernel->qualified, name, whole) || is_named(kernel->visible, name, whole))) {
            status = cbn_text_list_add_once(&site->kernels, kernel->qualified);
            site->is_template |= kernel->is_template;
        }
    }
    return status;
}

/* Looks a name up in the namespaces of the declaration that it is in, from the inside. */
static cubinet_status look_up_inside(const struct finder *finder, const struct use *use, const char *written,
                                     const struct declaration *around, struct launch_site *site)
{
    char *scope = name_of(finder, around, true);
    cubinet_status status = scope ? CUBINET_OK : cbn_error_memory();
    for (char *end = scope; !status && end && site->kernels.count == 0;) {
        struct buffer name = {0};
        end = strrchr(scope, ':');
        scope[end ? (size_t)(end - scope) + 1 : 0] = '\0';
        buffer_printf(&name, "%s%s", scope, written);
        status = name.failed ? cbn_error_memory() : add_named(finder, use, name.data, true, site);
        buffer_free(&name);
        if (end) {
            end[-1] = '\0'; /* the first of the two colons */
        }
    }
    free(scope);
    return status;
}

/* Looks a name up where it is used, then in all namespaces, for what a using-directive makes visible, and at
 * last by its last part, for what an alias hides. */
static cubinet_status look_up(const struct finder *finder, const struct use *use,
                              const struct declaration *around, struct launch_site *site)
{
    char *text = written_name(finder, use);
    if (!text) {
        return cbn_error_memory();
    }
    bool is_global = cbn_starts_with(text, "::");
    const char *written = is_global ? text + 2 : text;
    const char *colon = strrchr(written, ':');
    cubinet_status status = is_global ? add_named(finder, use, written, true, site)
                                      : look_up_inside(finder, use, written, around, site);
    if (!status && site->kernels.count == 0) {
        status = add_named(finder, use, written, false, site);
    }
    if (!status && site->kernels.count == 0) {
        status = add_named(finder, use, colon ? colon + 1 : written, false, site);
    }
    free(text);
    return status;
}

static cubinet_status add_arguments(const struct finder *finder, const struct use *use,
                                    struct launch_site *site)
{
    cubinet_status status = CUBINET_OK;
    size_t first = use->name + 2;
    for (size_t at = first; !status && at < use->end;) {
        size_t after = is(finder, at, '<') ? declarations_skip_angles(finder->tokens, at, use->end)
                       : is(finder, at, '(') || is(finder, at, '{') || is(finder, at, '[')
                           ? declarations_skip_pair(finder->tokens, at, use->end)
                           : at;
        bool ends = at + 1 == use->end;
        if (ends || is(finder, at, ',')) {
            struct buffer text = {0};
            put_tokens(&text, finder, first, at);
            if (at > first) {
                status = text.failed ? cbn_error_memory() : cbn_text_list_add(&site->arguments, text.data);
            }
            buffer_free(&text);
            first = at + 1;
        }
        at = after > at ? after : at + 1;
    }
    return status;
}

static void site_free(struct launch_site *site)
{
    cbn_text_list_free(&site->kernels);
    cbn_text_list_free(&site->arguments);
    free(site->file);
    free(site->expression);
}

/* Whether the word at `at` makes what is around it a template: `template`, or `auto` for a parameter. */
static bool makes_template(const struct finder *finder, const struct declaration *around, size_t at)
{
    if (!cxx_is_word(&finder->tokens[at], "auto") || at < around->first + 3) {
        return cxx_is_word(&finder->tokens[at], "template");
    }
    size_t before = at - 1 - cxx_is_word(&finder->tokens[at - 1], "const");
    bool is_first = is(finder, before, '(') && is(finder, before - 1, ']');
    bool is_functions = at > around->parameters && at < around->body;
    return is_first || is_functions || is(finder, before, ',');
}

/* Whether a token is between an #if and its #endif, which may ask for macros of headers that are not read. */
static bool is_conditional(struct finder *finder, const struct cxx_token *token)
{
    static const char *const starts[] = {"if", "ifdef", "ifndef", NULL};
    const struct cxx_token *items = finder->skip->unit.files[token->file]->tokens.items;
    size_t at = finder->conditions.at;
    if (finder->conditions.file != token->file || (at > 0 && items[at - 1].offset >= token->offset)) {
        finder->conditions.file = token->file;
        finder->conditions.depth = at = 0;
    }
    for (; items[at].kind != CXX_END && items[at].offset < token->offset; at++) {
        if (cxx_is(&items[at], '#') && items[at].flags & CXX_STARTS_LINE) {
            finder->conditions.depth += cxx_is_any_word(&items[at + 1], starts);
            finder->conditions.depth -= finder->conditions.depth > 0 && cxx_is_word(&items[at + 1], "endif");
        }
    }
    finder->conditions.at = at;
    return finder->conditions.depth > 0;
}

/* Whether a declaration, of which tokens before a use were read, is in no template and no condition. */
static bool is_certain(struct finder *finder, const struct declaration *around, const struct cxx_token *name)
{
    const unsigned templates = DECLARED_TEMPLATE | DECLARED_INSTANCE;
    while (!(around->flags & templates) && around->parent != SIZE_MAX) {
        around = &finder->skip->declarations.items[around->parent];
    }
    return !finder->in_template && !(around->flags & templates) && !is_conditional(finder, name);
}

static cubinet_status add_site(struct finder *finder, const struct use *use, const struct declaration *around)
{
    const struct cxx_token *name = &finder->tokens[use->name];
    struct launch_sites *sites = finder->sites;
    struct buffer expression = {0};
    struct launch_site *items = array_grow(sites->items, sites->count, sizeof(*items));
    put_tokens(&expression, finder, use->first, use->end);
    struct launch_site site = {
        .file = strdup(finder->skip->unit.files[name->file]->path),
        .line = name->line,
        .order = sites->count,
        .expression = buffer_take(&expression),
        .is_certain = is_certain(finder, around, name),
    };
    sites->items = items ? items : sites->items;
    cubinet_status status = items && site.file && site.expression ? CUBINET_OK : cbn_error_memory();
    if (!status) {
        status = look_up(finder, use, around, &site);
    }
    if (!status) {
        status = add_arguments(finder, use, &site);
    }
    if (status) {
        site_free(&site);
        return status;
    }
    items[sites->count++] = site;
    return CUBINET_OK;
}

/* Finds the sites in the body of a function, or in the value of a variable. */
static cubinet_status find_in(struct finder *finder, size_t number)
{
    const struct declaration *declaration = &finder->skip->declarations.items[number];
    bool on_device = declaration->flags & DECLARED_ON_DEVICE;
    size_t first = declaration->kind == DECLARATION_VARIABLE ? declaration->value
                   : declaration->initializers               ? declaration->initializers
                                                             : declaration->body;
    cubinet_status status = CUBINET_OK;
    finder->in_template = false;
    for (size_t at = declaration->first; at < first; at++) {
        finder->in_template |= makes_template(finder, declaration, at);
    }
    for (size_t at = first; first > 0 && at < declaration->end && !status; at++) {
        const struct cxx_token *token = &finder->tokens[at];
        finder->in_template |= makes_template(finder, declaration, at);
        if (token->kind != CXX_WORD || !name_set_has(&finder->names, token)) {
            continue;
        }
        struct use use = {name_start(finder, at, first), at, at + 1};
        if (is(finder, at + 1, '<') && !is_launch(finder, at + 1, declaration->end)) {
            use.end = declarations_skip_angles(finder->tokens, at + 1, declaration->end);
        }
        if (is_site(finder, &use, first, declaration->end, on_device)) {
            status = add_site(finder, &use, declaration);
        }
    }
    return status;
}

cubinet_status launch_sites_add(const struct host_skip *skip, struct launch_sites *sites)
{
    struct finder finder = {.skip = skip, .tokens = skip->unit.tokens.items, .sites = sites};
    const struct declarations *declarations = &skip->declarations;
    cubinet_status status = find_kernels(&finder);
    for (size_t i = 0; !status && finder.kernel_count > 0 && i < declarations->count; i++) {
        enum declaration_kind kind = declarations->items[i].kind;
        if (kind == DECLARATION_FUNCTION || kind == DECLARATION_VARIABLE) {
            status = find_in(&finder, i);
        }
    }
    for (size_t i = 0; i < finder.kernel_count; i++) {
        free(finder.kernels[i].qualified);
        free(finder.kernels[i].visible);
    }
    free(finder.kernels);
    name_set_free(&finder.names);
    return status;
}

static int compare_places(const struct launch_site *one, const struct launch_site *other)
{
    int order = strcmp(one->file, other->file);
    return order != 0 ? order : (one->line > other->line) - (one->line < other->line);
}

static int compare_sites(const void *left, const void *right)
{
    const struct launch_site *one = left;
    const struct launch_site *other = right;
    int order = compare_places(one, other);
    return order != 0 ? order : (one->order > other->order) - (one->order < other->order);
}

/* Whether one of the sites before it, on the same line, is the same. */
static bool is_repeated(const struct launch_sites *sites, const struct launch_site *site)
{
    for (size_t i = sites->count; i > 0 && compare_places(&sites->items[i - 1], site) == 0; i--) {
        if (strcmp(sites->items[i - 1].expression, site->expression) == 0) {
            return true;
        }
    }
    return false;
}

void launch_sites_sort(struct launch_sites *sites)
{
    size_t count = sites->count;
    if (count > 0) {
        qsort(sites->items, count, sizeof(*sites->items), compare_sites);
    }
    sites->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct launch_site site = sites->items[i];
        if (is_repeated(sites, &site)) {
            site_free(&site);
        } else {
            sites->items[sites->count++] = site;
        }
    }
}

void launch_sites_free(struct launch_sites *sites)
{
    for (size_t i = 0; i < sites->count; i++) {
        site_free(&sites->items[i]);
    }
    free(sites->items);
    *sites = (struct launch_sites){0};
}
