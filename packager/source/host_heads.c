/* SPDX-License-Identifier: Apache-2.0 */
#include "source/host_heads.h"

#include "source/skeleton.h"

#include <string.h>

/* What becomes of a declaration. */
enum shape {
    SHAPE_NONE,
    SHAPE_CLASS,
    SHAPE_FUNCTION,
    SHAPE_NAME,  /* only the name stays, as that of a class */
    SHAPE_VALUE, /* of a variable template, for given arguments: of a type without a value */
    SHAPE_ENUM,
};

struct head {
    enum shape shape;
    size_t start;    /* after the lists of template parameters */
    size_t name;     /* SIZE_MAX: none */
    size_t name_end; /* after its template arguments */
};

/* The position after `template <…>`, as often as it is there. */
static size_t after_templates(const struct cxx_token *tokens, const struct declaration *declaration)
{
    size_t at = declaration->first;
    for (size_t next; (next = declarations_skip_template(tokens, at, declaration->end)) != at;) {
        at = next;
    }
    return at;
}

bool host_head_is_explicit(const struct cxx_token *tokens, const struct declaration *declaration)
{
    size_t first = declaration->first;
    return declaration->end > first + 2 && cxx_is_word(&tokens[first], "template") &&
           cxx_is(&tokens[first + 1], '<') && cxx_is(&tokens[first + 2], '>');
}

/* Whether the list of arguments at a position has more than one. */
static bool has_several(const struct cxx_token *tokens, size_t open, size_t end)
{
    size_t close = declarations_skip_angles(tokens, open, end);
    for (size_t at = open + 1; at + 1 < close;) {
        if (cxx_is(&tokens[at], ',')) {
            return true;
        }
        bool opens = cxx_is(&tokens[at], '(') || cxx_is(&tokens[at], '{') || cxx_is(&tokens[at], '[');
        size_t next = opens                      ? declarations_skip_pair(tokens, at, close)
                      : cxx_is(&tokens[at], '<') ? declarations_skip_angles(tokens, at, close)
                                                 : at + 1;
        at = next > at ? next : at + 1;
    }
    return false;
}

bool host_head_is_conditional(const struct cxx_token *tokens, const struct declaration *declaration)
{
    return declaration->kind == DECLARATION_CLASS && declaration->name != SIZE_MAX &&
           declaration->flags & DECLARED_TEMPLATE && cxx_is(&tokens[declaration->name + 1], '<') &&
           !host_head_is_explicit(tokens, declaration) &&
           has_several(tokens, declaration->name + 1, declaration->end);
}

static enum shape class_shape(const struct cxx_token *tokens, const struct head *head, bool is_template)
{
    static const char *const keys[] = {"class", "struct", "union", NULL};
    bool is_elsewhere = head->name != SIZE_MAX && !is_template && cxx_is(&tokens[head->name - 1], CXX_SCOPE);
    return head->name != SIZE_MAX && !is_elsewhere && cxx_is_any_word(&tokens[head->start], keys)
               ? SHAPE_CLASS
               : SHAPE_NONE;
}

/* An alias, or an enumeration. */
static enum shape other_shape(const struct cxx_token *tokens, const struct declaration *declaration,
                              struct head *head)
{
    const struct cxx_token *first = &tokens[head->start];
    size_t last = declaration->end - 1;
    if (cxx_is_word(first, "enum")) {
        return SHAPE_ENUM;
    }
    if (cxx_is_word(first, "using") && head->start + 2 < last && first[1].kind == CXX_WORD &&
        (cxx_is(&first[2], '=') || cxx_is(&first[2], '['))) {
        head->name = head->start + 1;
        return SHAPE_NAME;
    }
    if (cxx_is_word(first, "typedef") && last > head->start + 2 && tokens[last - 1].kind == CXX_WORD) {
        head->name = last - 1;
        return SHAPE_NAME;
    }
    return SHAPE_NONE;
}

static enum shape variable_shape(const struct cxx_token *tokens, const struct head *head,
                                 const struct declaration *declaration)
{
    bool is_constant = declaration->flags & (DECLARED_CONST | DECLARED_CONSTEXPR);
    if (!is_constant || head->name == SIZE_MAX || head->name <= head->start ||
        cxx_is(&tokens[head->name - 1], CXX_SCOPE)) {
        return SHAPE_NONE;
    }
    return head->name_end > head->name + 1 ? SHAPE_VALUE : SHAPE_NAME;
}

static struct head read_head(const struct cxx_token *tokens, const struct declaration *declaration)
{
    struct head head = {.start = after_templates(tokens, declaration), .name = declaration->name};
    bool is_template = declaration->flags & DECLARED_TEMPLATE;
    if (head.start >= declaration->end || !cxx_is(&tokens[declaration->end - 1], ';')) {
        head.name = declaration->kind == DECLARATION_FUNCTION ? head.name : SIZE_MAX;
    }
    if (head.name != SIZE_MAX) {
        size_t next = head.name + 1;
        bool has_arguments = next < declaration->end && cxx_is(&tokens[next], '<');
        head.name_end = has_arguments ? declarations_skip_angles(tokens, next, declaration->end) : next;
    }
    if (head.name != SIZE_MAX && head.name_end >= declaration->end) { /* it is cut off */
        return head;
    }
    switch (declaration->kind) {
    case DECLARATION_CLASS:
        head.shape = class_shape(tokens, &head, is_template);
        break;
    case DECLARATION_FUNCTION:
        head.shape = declaration->body && declaration->flags & DECLARED_CONSTEXPR &&
                             !(declaration->flags & DECLARED_HOST)
                         ? SHAPE_FUNCTION
                         : SHAPE_NONE;
        break;
    case DECLARATION_VARIABLE:
        head.shape = variable_shape(tokens, &head, declaration);
        break;
    case DECLARATION_OTHER:
        head.shape = head.start < declaration->end ? other_shape(tokens, declaration, &head) : SHAPE_NONE;
        break;
    case DECLARATION_NAMESPACE:
        break;
    }
    return head;
}

bool host_head_exists(const struct cxx_token *tokens, const struct declaration *declaration)
{
    return read_head(tokens, declaration).shape != SHAPE_NONE;
}

/* The next name that an enumeration declares, from a position on: its own, or an enumerator. SIZE_MAX if
 * there is no other. */
static size_t next_enumerator(const struct cxx_token *tokens, const struct declaration *declaration,
                              size_t start, size_t at)
{
    size_t open = start;
    while (open < declaration->end && !cxx_is(&tokens[open], '{')) {
        open++;
    }
    size_t own = start + 1;
    bool is_scoped = cxx_is_word(&tokens[own], "class") || cxx_is_word(&tokens[own], "struct");
    own += is_scoped;
    if (at <= own && own < open && tokens[own].kind == CXX_WORD) {
        return own;
    }
    at = at > open ? at : open;
    while (at + 1 < declaration->end && !is_scoped) {
        bool opens = cxx_is(&tokens[at], '(') || (cxx_is(&tokens[at], '{') && at > open);
        bool starts = at == open || cxx_is(&tokens[at], ',');
        if (starts && tokens[at + 1].kind == CXX_WORD) {
            return at + 1;
        }
        if (cxx_is(&tokens[at], '}')) {
            return SIZE_MAX;
        }
        at = opens ? declarations_skip_pair(tokens, at, declaration->end) : at + 1;
    }
    return SIZE_MAX;
}

static void plan_enum(const struct cxx_token *tokens, const struct declaration *declaration, size_t start,
                      unsigned char *dropped, struct buffer *before)
{
    memset(dropped + declaration->first, 1, declaration->end - declaration->first);
    for (size_t at = next_enumerator(tokens, declaration, start, start); at != SIZE_MAX;
         at = next_enumerator(tokens, declaration, start, at + 1)) {
        dropped[at] = 0;
        buffer_puts(&before[at], " struct ");
        buffer_puts(&before[at + 1], "; ");
    }
}

void host_head_plan(const struct cxx_token *tokens, const struct declaration *declaration,
                    unsigned char *dropped, struct buffer *before)
{
    struct head head = read_head(tokens, declaration);
    size_t last = declaration->end - 1;
    switch (head.shape) {
    case SHAPE_CLASS:
        memset(dropped + head.name_end, 1, last - head.name_end);
        break;
    case SHAPE_FUNCTION: {
        size_t body = declaration->initializers ? declaration->initializers : declaration->body;
        body -= cxx_is_word(&tokens[body - 1], "try");
        memset(dropped + body, 1, declaration->end - body);
        buffer_puts(&before[body], " = delete;");
        break;
    }
    case SHAPE_NAME:
    case SHAPE_VALUE:
        memset(dropped + head.start, 1, last - head.start);
        memset(dropped + head.name, 0, head.shape == SHAPE_VALUE ? head.name_end - head.name : 1);
        buffer_puts(&before[head.name], head.shape == SHAPE_VALUE ? " cubinet_left_out " : " struct ");
        break;
    case SHAPE_ENUM:
        plan_enum(tokens, declaration, head.start, dropped, before);
        break;
    case SHAPE_NONE:
        break;
    }
}

bool host_head_is_in(const struct cxx_token *tokens, const struct declaration *declaration, const char *text)
{
    struct head head = read_head(tokens, declaration);
    size_t name = declaration->name == SIZE_MAX ? head.name : declaration->name;
    bool found = name != SIZE_MAX && skeleton_mentions(text, &tokens[name]);
    size_t at =
        head.shape == SHAPE_ENUM ? next_enumerator(tokens, declaration, head.start, head.start) : SIZE_MAX;
    for (; at != SIZE_MAX && !found; at = next_enumerator(tokens, declaration, head.start, at + 1)) {
        found = skeleton_mentions(text, &tokens[at]);
    }
    return found;
}
