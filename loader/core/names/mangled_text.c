/* SPDX-License-Identifier: Apache-2.0 */
/* C++ writes types around what they are the type of, so each has a left part and a right one. The steps and
 * the depth are counted: few bytes of a mangled name can stand for any number of types. */
#include "loader/core/names/mangled_text.h"

#include <stdint.h>
#include <string.h>

enum { DEEPEST = 400, MOST_STEPS = 200000 };

#define NO_ELEMENT SIZE_MAX

struct writer {
    char *text;
    size_t size;
    size_t capacity;
    size_t element; /* of the packs that are being expanded */
    size_t steps;
    int depth;
    bool failed;
};

static void write_left(struct writer *writer, const struct cbn_mangled *node);
static void write_right(struct writer *writer, const struct cbn_mangled *node);

static void put(struct writer *writer, const char *text, size_t size)
{
    if (size >= writer->capacity - writer->size) {
        writer->failed = true;
        return;
    }
    memcpy(writer->text + writer->size, text, size);
    writer->size += size;
}

static void put_word(struct writer *writer, const char *word)
{
    put(writer, word, strlen(word));
}

static void put_number(struct writer *writer, size_t number)
{
    if (number >= 10) {
        put_number(writer, number / 10);
    }
    put(writer, &"0123456789"[number % 10], 1);
}

static char last_byte(const struct writer *writer)
{
    return writer->size ? writer->text[writer->size - 1] : '\0';
}

static bool step(struct writer *writer)
{
    writer->steps++;
    writer->failed |= writer->steps > MOST_STEPS || writer->depth > DEEPEST;
    return !writer->failed;
}

static void write_node(struct writer *writer, const struct cbn_mangled *node)
{
    write_left(writer, node);
    write_right(writer, node);
}

/* Items that are nothing, such as packs without elements, have no comma. */
static void write_list(struct writer *writer, const struct cbn_mangled *list)
{
    size_t start = writer->size;
    for (; list && step(writer); list = list->right) {
        size_t before = writer->size;
        if (before > start) {
            put_word(writer, ", ");
        }
        size_t after = writer->size;
        if (list->left) {
            write_node(writer, list->left);
        }
        if (writer->size == after) {
            writer->size = before;
        }
    }
}

static const struct cbn_mangled *element_at(const struct cbn_mangled *pack, size_t index)
{
    const struct cbn_mangled *item = pack->left;
    while (item && index > 0) {
        item = item->right;
        index--;
    }
    return item ? item->left : NULL;
}

static size_t count_elements(const struct cbn_mangled *pack)
{
    size_t count = 0;
    for (const struct cbn_mangled *item = pack->left; item; item = item->right) {
        count++;
    }
    return count;
}

/* What a template parameter stands for, where `*element` is expanded; other nodes stand for themselves. An
 * argument is written outside of the expansion that it is used in. */
static const struct cbn_mangled *argument_of(struct writer *writer, const struct cbn_mangled *node,
                                             size_t *element)
{
    while (node->kind == CBN_MANGLED_PARAMETER && step(writer)) {
        const struct cbn_mangled *argument = node->left;
        if (argument->kind == CBN_MANGLED_PACK && *element != NO_ELEMENT) {
            argument = element_at(argument, *element);
        }
        *element = NO_ELEMENT;
        if (!argument) {
            writer->failed = true;
            return node;
        }
        node = argument;
    }
    return node;
}

static bool is_suffix(const struct cbn_mangled *node, const char *text)
{
    return node->kind == CBN_MANGLED_SUFFIXED && strcmp(node->text, text) == 0;
}

static bool is_reference(const struct cbn_mangled *node)
{
    return is_suffix(node, "&") || is_suffix(node, "&&");
}

/* A type with a suffix as it counts: references to references are one, and so is what is const twice. Gives
 * what is before the suffix, where `*element` is expanded. */
static const struct cbn_mangled *collapse(struct writer *writer, const struct cbn_mangled *node,
                                          const char **out_suffix, size_t *element)
{
    const char *suffix = node->text;
    const struct cbn_mangled *inner = argument_of(writer, node->left, element);
    while (step(writer)) {
        bool are_references = is_reference(node) && is_reference(inner);
        if (!are_references && !(suffix[0] == ' ' && is_suffix(inner, suffix))) {
            break;
        }
        suffix = are_references && inner->size == 1 ? inner->text : suffix;
        inner = argument_of(writer, inner->left, element);
    }
    *out_suffix = suffix;
    return inner;
}

/* Whether pointers to a type stand in parentheses: it is an array or a function. */
static bool is_around(struct writer *writer, const struct cbn_mangled *node)
{
    size_t element = writer->element;
    node = argument_of(writer, node, &element);
    while (node->kind == CBN_MANGLED_SUFFIXED && node->text[0] == ' ' && step(writer)) {
        node = argument_of(writer, node->left, &element);
    }
    return node->kind == CBN_MANGLED_ARRAY || node->kind == CBN_MANGLED_FUNCTION;
}

static bool is_function(struct writer *writer, const struct cbn_mangled *node)
{
    size_t element = writer->element;
    while (node->kind == CBN_MANGLED_SUFFIXED && node->text[0] == ' ' && step(writer)) {
        node = node->left;
    }
    return argument_of(writer, node, &element)->kind == CBN_MANGLED_FUNCTION;
}

static void write_within(struct writer *writer, void (*write)(struct writer *, const struct cbn_mangled *),
                         const struct cbn_mangled *node, size_t element)
{
    size_t before = writer->element;
    writer->element = element;
    write(writer, node);
    writer->element = before;
}

static void put_parenthesis(struct writer *writer)
{
    if (last_byte(writer) != '(' && last_byte(writer) != '*') {
        put_word(writer, " ");
    }
    put_word(writer, "(");
}

static void write_suffixed_left(struct writer *writer, const struct cbn_mangled *node)
{
    const char *suffix;
    size_t element = writer->element;
    const struct cbn_mangled *inner = collapse(writer, node, &suffix, &element);
    write_within(writer, write_left, inner, element);
    bool is_qualifier = suffix[0] == ' ';
    if (!is_qualifier && is_around(writer, inner)) {
        put_parenthesis(writer);
    }
    if (!is_qualifier || !is_function(writer, inner)) {
        put_word(writer, suffix);
    }
}

static void write_suffixed_right(struct writer *writer, const struct cbn_mangled *node)
{
    const char *suffix;
    size_t element = writer->element;
    const struct cbn_mangled *inner = collapse(writer, node, &suffix, &element);
    bool is_qualifier = suffix[0] == ' ';
    if (!is_qualifier && is_around(writer, inner)) {
        put_word(writer, ")");
    }
    write_within(writer, write_right, inner, element);
    if (is_qualifier && is_function(writer, inner)) {
        put_word(writer, suffix);
    }
}

static void write_function_left(struct writer *writer, const struct cbn_mangled *node)
{
    write_left(writer, node->left);
}

static void write_parameters(struct writer *writer, const struct cbn_mangled *list)
{
    put_word(writer, "(");
    write_list(writer, list);
    put_word(writer, ")");
}

static void write_function_right(struct writer *writer, const struct cbn_mangled *node)
{
    if (last_byte(writer) != ')') { /* no pointer is before it */
        put_word(writer, " ");
    }
    write_parameters(writer, node->right);
    write_right(writer, node->left);
    put(writer, node->text, node->size);
}

static void write_array_right(struct writer *writer, const struct cbn_mangled *node)
{
    put_word(writer, last_byte(writer) == ']' ? "[" : " [");
    if (node->right) {
        write_node(writer, node->right);
    }
    put_word(writer, "]");
    write_right(writer, node->left);
}

static void write_member_left(struct writer *writer, const struct cbn_mangled *node)
{
    write_left(writer, node->right);
    if (is_around(writer, node->right)) {
        put_parenthesis(writer);
    } else {
        put_word(writer, " ");
    }
    write_node(writer, node->left);
    put_word(writer, "::*");
}

static void write_member_right(struct writer *writer, const struct cbn_mangled *node)
{
    if (is_around(writer, node->right)) {
        put_word(writer, ")");
    }
    write_right(writer, node->right);
}

static void write_arguments(struct writer *writer, const struct cbn_mangled *list)
{
    put_word(writer, last_byte(writer) == '<' ? " <" : "<");
    write_list(writer, list);
    put_word(writer, last_byte(writer) == '>' ? " >" : ">");
}

/* `result`: whether it is said */
static void write_encoding(struct writer *writer, const struct cbn_mangled *node, bool result)
{
    const struct cbn_mangled *signature = node->right;
    const struct cbn_mangled *type = signature && result ? signature->left : NULL;
    if (type) {
        write_left(writer, type);
        put_word(writer, last_byte(writer) == '(' || last_byte(writer) == '*' ? "" : " ");
    }
    const struct cbn_mangled *name = node->left;
    while (name->kind == CBN_MANGLED_THIS_QUALIFIERS) {
        name = name->left;
    }
    write_node(writer, name);
    if (signature) {
        write_parameters(writer, signature->right);
    }
    if (type) {
        write_right(writer, type);
    }
    /* The innermost is the first. */
    for (const struct cbn_mangled *next = NULL; next != node->left && name != node->left && step(writer);) {
        next = node->left;
        while (next->left != name) {
            next = next->left;
        }
        put(writer, next->text, next->size);
        name = next;
    }
}

static void write_nested(struct writer *writer, const struct cbn_mangled *node)
{
    if (node->left->kind == CBN_MANGLED_ENCODING) {
        write_encoding(writer, node->left, false);
    } else {
        write_node(writer, node->left);
    }
    put_word(writer, "::");
    write_node(writer, node->right);
}

static void write_value(struct writer *writer, const struct cbn_mangled *node)
{
    bool is_negative = node->size && node->text[0] == 'n';
    put_word(writer, is_negative ? "-" : "");
    put(writer, node->text + is_negative, node->size - is_negative);
}

static bool is_word(const struct cbn_mangled *node, const char *word)
{
    return node->kind == CBN_MANGLED_TEXT && node->size == strlen(word) &&
           strncmp(node->text, word, node->size) == 0;
}

static void write_literal(struct writer *writer, const struct cbn_mangled *node)
{
    static const char *const suffixed[][2] = {{"int", ""},         {"unsigned int", "u"},
                                              {"long", "l"},       {"unsigned long", "ul"},
                                              {"long long", "ll"}, {"unsigned long long", "ull"}};
    for (size_t i = 0; i < sizeof(suffixed) / sizeof(suffixed[0]); i++) {
        if (is_word(node->left, suffixed[i][0])) {
            write_value(writer, node);
            put_word(writer, suffixed[i][1]);
            return;
        }
    }
    if (is_word(node->left, "bool") && node->size == 1) {
        put_word(writer, node->text[0] == '0' ? "false" : "true");
        return;
    }
    if (node->size == 0) {
        write_node(writer, node->left);
        return;
    }
    bool is_bits = is_word(node->left, "float") || is_word(node->left, "double");
    put_word(writer, "(");
    write_node(writer, node->left);
    put_word(writer, is_bits ? ")[" : ")");
    write_value(writer, node);
    put_word(writer, is_bits ? "]" : "");
}

static void write_operand(struct writer *writer, const struct cbn_mangled *node)
{
    bool is_simple = node->kind == CBN_MANGLED_TEXT || node->kind == CBN_MANGLED_NESTED ||
                     node->kind == CBN_MANGLED_BRACED || node->kind == CBN_MANGLED_NUMBERED;
    put_word(writer, is_simple ? "" : "(");
    write_node(writer, node);
    put_word(writer, is_simple ? "" : ")");
}

static void write_unary(struct writer *writer, const struct cbn_mangled *node)
{
    const struct cbn_mangled *operand = node->left;
    put(writer, node->text, node->size);
    bool names_nested = operand->kind == CBN_MANGLED_ENCODING && operand->left->kind == CBN_MANGLED_NESTED;
    write_operand(writer, names_nested && node->text[0] == '&' ? operand->left : operand);
}

static void write_binary(struct writer *writer, const struct cbn_mangled *node)
{
    bool is_greater = node->size == 1 && node->text[0] == '>'; /* which must not end template arguments */
    put_word(writer, is_greater ? "(" : "");
    write_operand(writer, node->left);
    put(writer, node->text, node->size);
    write_operand(writer, node->right);
    put_word(writer, is_greater ? ")" : "");
}

static void write_condition(struct writer *writer, const struct cbn_mangled *node)
{
    write_operand(writer, node->left);
    put_word(writer, "?");
    write_operand(writer, node->right->left);
    put_word(writer, " : ");
    write_operand(writer, node->right->right);
}

/* The first pack that is used in a pattern; NULL if there is none. */
static const struct cbn_mangled *find_pack(struct writer *writer, const struct cbn_mangled *node)
{
    if (!node || !step(writer)) {
        return NULL;
    }
    if (node->kind == CBN_MANGLED_PARAMETER) {
        return node->left->kind == CBN_MANGLED_PACK ? node->left : NULL;
    }
    if (node->kind == CBN_MANGLED_PACK || node->kind == CBN_MANGLED_TEXT) {
        return NULL;
    }
    writer->depth++;
    const struct cbn_mangled *pack = find_pack(writer, node->left);
    pack = pack ? pack : find_pack(writer, node->right);
    writer->depth--;
    return pack;
}

static void write_expansion(struct writer *writer, const struct cbn_mangled *node)
{
    const struct cbn_mangled *pack = find_pack(writer, node->left);
    if (!pack) {
        write_node(writer, node->left);
        put_word(writer, "...");
        return;
    }
    size_t count = count_elements(pack);
    for (size_t i = 0; i < count && step(writer); i++) {
        put_word(writer, i ? ", " : "");
        write_within(writer, write_node, node->left, i);
    }
}

static void write_pack_size(struct writer *writer, const struct cbn_mangled *node)
{
    const struct cbn_mangled *pack = find_pack(writer, node->left);
    if (pack) {
        put_number(writer, count_elements(pack));
    } else {
        writer->failed = true;
    }
}

static void write_between(struct writer *writer, const char *before, const struct cbn_mangled *node,
                          const char *after)
{
    put_word(writer, before);
    write_node(writer, node);
    put_word(writer, after);
}

/* What has no part to the right of anything */
static void write_whole(struct writer *writer, const struct cbn_mangled *node)
{
    switch (node->kind) {
    case CBN_MANGLED_NESTED:
        write_nested(writer, node);
        break;
    case CBN_MANGLED_TEMPLATE:
        write_node(writer, node->left);
        write_arguments(writer, node->right);
        break;
    case CBN_MANGLED_THIS_QUALIFIERS:
        write_node(writer, node->left);
        break;
    case CBN_MANGLED_ENCODING:
        write_encoding(writer, node, true);
        break;
    case CBN_MANGLED_PACK:
        write_list(writer, node->left);
        break;
    case CBN_MANGLED_EXPANSION:
        write_expansion(writer, node);
        break;
    case CBN_MANGLED_PACK_SIZE:
        write_pack_size(writer, node);
        break;
    case CBN_MANGLED_LITERAL:
        write_literal(writer, node);
        break;
    case CBN_MANGLED_LAMBDA:
        put_word(writer, "{lambda");
        write_parameters(writer, node->right);
        put_word(writer, "#");
        put_number(writer, node->number);
        put_word(writer, "}");
        break;
    case CBN_MANGLED_NUMBERED:
        put(writer, node->text, node->size);
        put_number(writer, node->number);
        put_word(writer, node->text[0] == '{' ? "}" : "");
        break;
    case CBN_MANGLED_WRAPPED:
        write_between(writer, node->text, node->left, ")");
        break;
    case CBN_MANGLED_JOINED:
        write_node(writer, node->left);
        write_between(writer, node->text, node->right, "");
        break;
    case CBN_MANGLED_OPERATOR:
        write_between(writer, node->text, node->left, "");
        break;
    case CBN_MANGLED_UNARY:
        write_unary(writer, node);
        break;
    case CBN_MANGLED_BINARY:
        write_binary(writer, node);
        break;
    case CBN_MANGLED_CONDITION:
        write_condition(writer, node);
        break;
    case CBN_MANGLED_CALL:
        write_operand(writer, node->left);
        write_parameters(writer, node->right);
        break;
    case CBN_MANGLED_CAST:
        write_between(writer, "(", node->left, ")");
        write_operand(writer, node->right);
        break;
    case CBN_MANGLED_BRACED:
        if (node->left) {
            write_node(writer, node->left);
        }
        put_word(writer, "{");
        write_list(writer, node->right);
        put_word(writer, "}");
        break;
    default:
        put(writer, node->text, node->size);
    }
}

static void write_some(struct writer *writer, const struct cbn_mangled *node, bool left)
{
    size_t element = writer->element;
    switch (node->kind) {
    case CBN_MANGLED_PARAMETER:
        node = argument_of(writer, node, &element);
        write_within(writer, left ? write_left : write_right, node, element);
        break;
    case CBN_MANGLED_SUFFIXED:
        (left ? write_suffixed_left : write_suffixed_right)(writer, node);
        break;
    case CBN_MANGLED_FUNCTION:
        (left ? write_function_left : write_function_right)(writer, node);
        break;
    case CBN_MANGLED_ARRAY:
        left ? write_left(writer, node->left) : write_array_right(writer, node);
        break;
    case CBN_MANGLED_MEMBER:
        (left ? write_member_left : write_member_right)(writer, node);
        break;
    default:
        if (left) {
            write_whole(writer, node);
        }
    }
}

static void write_part(struct writer *writer, const struct cbn_mangled *node, bool left)
{
    writer->depth++;
    if (step(writer)) {
        write_some(writer, node, left);
    }
    writer->depth--;
}

static void write_left(struct writer *writer, const struct cbn_mangled *node)
{
    write_part(writer, node, true);
}

static void write_right(struct writer *writer, const struct cbn_mangled *node)
{
    write_part(writer, node, false);
}

bool cbn_mangled_write(const struct cbn_mangled *encoding, char *text, size_t capacity,
                       struct cbn_mangled_text *out_parts)
{
    struct writer writer = {.text = text, .capacity = capacity, .element = NO_ELEMENT};
    struct cbn_mangled_text parts = {0};
    const struct cbn_mangled *name = encoding->left;
    const struct cbn_mangled *plain = name->kind == CBN_MANGLED_TEMPLATE ? name->left : name;
    if (plain->kind == CBN_MANGLED_NESTED && plain->left->kind != CBN_MANGLED_ENCODING) {
        write_between(&writer, "", plain->left, "::");
        plain = plain->right;
        parts.plain = writer.size;
    }
    write_node(&writer, plain);
    parts.arguments = writer.size;
    if (name->kind == CBN_MANGLED_TEMPLATE) {
        write_arguments(&writer, name->right);
    }
    parts.parameters = writer.size;
    if (encoding->right) {
        write_parameters(&writer, encoding->right->right);
    }
    if (writer.failed) {
        return false;
    }
    text[writer.size] = '\0';
    parts.size = writer.size;
    *out_parts = parts;
    return true;
}
