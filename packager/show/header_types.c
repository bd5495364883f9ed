/* SPDX-License-Identifier: Apache-2.0 */
#include "show/header_types.h"

#include "base/buffer.h"
#include "base/c_text.h"
#include "loader/core/names/mangled.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Few bytes of a name can stand for any number of types. */
enum { MOST_PARAMETERS = 1024, MOST_STEPS = 4096 };

#define NO_ELEMENT UINT32_MAX

struct header_types {
    struct cbn_mangled_space space;
};

/* The mangled name, which texts of its tree point into. */
struct reader {
    const char *name;
    size_t size;
};

/* A node, and the number of the element of the packs in it. */
struct place {
    const struct cbn_mangled *node;
    uint32_t element;
};

struct header_types *header_types_new(void)
{
    return malloc(sizeof(struct header_types));
}

void header_types_free(struct header_types *types)
{
    free(types);
}

static const struct number {
    const char *type;
    uint32_t bytes;
    const char *suffix; /* of a literal; NULL: none is written */
} numbers[] = {
    {"bool", 1, NULL},        {"char", 1, NULL},
    {"signed char", 1, NULL}, {"unsigned char", 1, NULL},
    {"short", 2, NULL},       {"unsigned short", 2, NULL},
    {"int", 4, ""},           {"unsigned int", 4, "u"},
    {"long", 8, "l"},         {"unsigned long", 8, "ul"},
    {"long long", 8, "ll"},   {"unsigned long long", 8, "ull"},
    {"float", 4, NULL},       {"double", 8, NULL},
};

static bool is_text(const struct cbn_mangled *node, const char *text)
{
    return node->kind == CBN_MANGLED_TEXT && node->size == strlen(text) &&
           strncmp(node->text, text, node->size) == 0;
}

/* Types that have names of their own are substituted with static words; those of classes are in the name. */
static const struct number *number_of(const struct cbn_mangled *node)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (is_text(node, numbers[i].type)) {
            return &numbers[i];
        }
    }
    return NULL;
}

static const struct cbn_mangled *item_at(const struct cbn_mangled *list, uint32_t index)
{
    while (list && index > 0) {
        list = list->right;
        index--;
    }
    return list ? list->left : NULL;
}

static uint32_t count_items(const struct cbn_mangled *list)
{
    uint32_t count = 0;
    for (; list; list = list->right) {
        count++;
    }
    return count;
}

/* What a template parameter stands for; its node is NULL if that can't be told. */
static struct place resolve(struct place place)
{
    for (int steps = 0; place.node && place.node->kind == CBN_MANGLED_PARAMETER; steps++) {
        const struct cbn_mangled *argument = place.node->left;
        if (argument && argument->kind == CBN_MANGLED_PACK) {
            argument = place.element == NO_ELEMENT ? NULL : item_at(argument->left, place.element);
        }
        place = (struct place){steps < MOST_STEPS ? argument : NULL, NO_ELEMENT};
    }
    return place;
}

static bool is_suffix(const struct cbn_mangled *node, const char *text)
{
    return node && node->kind == CBN_MANGLED_SUFFIXED && node->size == strlen(text) &&
           strncmp(node->text, text, node->size) == 0;
}

/* Goes through qualifiers; restrict does not count. */
static struct place take_qualifiers(struct place place, bool *out_const, bool *out_volatile)
{
    *out_const = false;
    *out_volatile = false;
    place = resolve(place);
    for (int steps = 0; place.node && place.node->kind == CBN_MANGLED_SUFFIXED && steps < MOST_STEPS;
         steps++) {
        bool is_const = is_suffix(place.node, " const");
        bool is_volatile = is_suffix(place.node, " volatile");
        if (!is_const && !is_volatile && !is_suffix(place.node, " restrict")) {
            break;
        }
        *out_const |= is_const;
        *out_volatile |= is_volatile;
        place = resolve((struct place){place.node->left, place.element});
    }
    return place;
}

/* A type without its qualifiers that is a number, void, or pointers to one: "float", "const int *". False for
 * what has no such name. */
static bool write_type(struct place place, bool *out_const, bool *out_volatile, int depth,
                       char text[HEADER_TYPE_TEXT_SIZE])
{
    enum { DEEPEST = 8 };
    place = take_qualifiers(place, out_const, out_volatile);
    if (!place.node || depth == DEEPEST) {
        return false;
    }
    const struct number *number = number_of(place.node);
    if (number || is_text(place.node, "void")) {
        snprintf(text, HEADER_TYPE_TEXT_SIZE, "%s", number ? number->type : "void");
        return true;
    }
    bool is_const;
    bool is_volatile;
    char inner[HEADER_TYPE_TEXT_SIZE];
    if (!is_suffix(place.node, "*") || !write_type((struct place){place.node->left, place.element}, &is_const,
                                                   &is_volatile, depth + 1, inner)) {
        return false;
    }
    const char *qualifiers = is_const && is_volatile ? "const volatile "
                             : is_const              ? "const "
                             : is_volatile           ? "volatile "
                                                     : "";
    bool is_pointer = inner[strlen(inner) - 1] == '*';
    int size = is_pointer ? snprintf(text, HEADER_TYPE_TEXT_SIZE, "%s%s*", inner, qualifiers)
                          : snprintf(text, HEADER_TYPE_TEXT_SIZE, "%s%s *", qualifiers, inner);
    return size < HEADER_TYPE_TEXT_SIZE;
}

/* Whether a template parameter is in it: then what is a member of it may be any type. */
static bool depends(const struct cbn_mangled *node, int *steps)
{
    if (!node) {
        return false;
    }
    if (node->kind == CBN_MANGLED_PARAMETER || ++*steps > MOST_STEPS) {
        return true;
    }
    return depends(node->left, steps) || depends(node->right, steps);
}

/* A class or an enumeration. Words of the language are static text; its name is in the mangled one. */
static bool is_class(const struct reader *reader, const struct cbn_mangled *node)
{
    int steps = 0;
    switch (node->kind) {
    case CBN_MANGLED_TEMPLATE:
        return is_class(reader, node->left);
    case CBN_MANGLED_NESTED:
        return !depends(node->left, &steps) && is_class(reader, node->right);
    case CBN_MANGLED_TEXT:
        return node->text >= reader->name && node->text < reader->name + reader->size;
    case CBN_MANGLED_LAMBDA:
    case CBN_MANGLED_NUMBERED:
        return true;
    default:
        return false;
    }
}

static void read_pointer(const struct reader *reader, struct place pointee, struct header_type *out_type)
{
    struct header_type type = {.kind = HEADER_TYPE_OBJECT, .bytes = 8};
    const struct cbn_mangled *node = take_qualifiers(pointee, &type.is_const, &type.is_volatile).node;
    if (write_type(pointee, &type.is_const, &type.is_volatile, 0, type.text)) {
        type.kind = HEADER_TYPE_POINTER;
    } else if (!node || !(is_class(reader, node) || is_suffix(node, "*"))) {
        return;
    }
    if (!type.is_volatile || (type.kind == HEADER_TYPE_POINTER && !type.is_const)) {
        *out_type = type;
    }
}

static void read_parameter(const struct reader *reader, struct place place, struct header_type *out_type)
{
    bool is_const;
    bool is_volatile;
    place = take_qualifiers(place, &is_const, &is_volatile);
    *out_type = (struct header_type){.kind = HEADER_TYPE_SIZED};
    if (!place.node) {
        return;
    }
    const struct number *number = number_of(place.node);
    if (number) {
        *out_type = (struct header_type){.kind = HEADER_TYPE_NUMBER, .bytes = number->bytes};
        snprintf(out_type->text, sizeof(out_type->text), "%s", number->type);
    } else if (is_suffix(place.node, "*")) {
        read_pointer(reader, (struct place){place.node->left, place.element}, out_type);
    } else if (is_class(reader, place.node)) {
        out_type->kind = HEADER_TYPE_VALUE;
    }
}

/* How many elements the packs in a pattern have; 0 if there is none. */
static uint32_t count_elements(const struct cbn_mangled *node, int *steps)
{
    if (!node || ++*steps > MOST_STEPS) {
        return 0;
    }
    if (node->kind == CBN_MANGLED_PARAMETER) {
        bool is_pack = node->left && node->left->kind == CBN_MANGLED_PACK;
        return is_pack ? count_items(node->left->left) : 0;
    }
    uint32_t count = count_elements(node->left, steps);
    return count ? count : count_elements(node->right, steps);
}

static void read_parameters(const struct reader *reader, const struct cbn_mangled *list,
                            struct header_signature *signature)
{
    for (; list && list->left; list = list->right) {
        bool is_expansion = list->left->kind == CBN_MANGLED_EXPANSION;
        const struct cbn_mangled *pattern = is_expansion ? list->left->left : list->left;
        int steps = 0;
        uint32_t count = is_expansion ? count_elements(pattern, &steps) : 1;
        for (uint32_t i = 0; i < count; i++) {
            if (signature->parameter_count == MOST_PARAMETERS) {
                signature->is_mangled = false;
                return;
            }
            read_parameter(reader, (struct place){pattern, is_expansion ? i : NO_ELEMENT},
                           &signature->parameters[signature->parameter_count++]);
        }
    }
}

/* Appends namespaces and the name, "::" between them. What is in an unnamed namespace is in the one around
 * it. */
static bool write_path(const struct cbn_mangled *node, struct buffer *path)
{
    if (node->kind == CBN_MANGLED_NESTED) {
        return write_path(node->left, path) && write_path(node->right, path);
    }
    if (node->kind != CBN_MANGLED_TEXT) {
        return false;
    }
    if (is_text(node, "(anonymous namespace)")) {
        return true;
    }
    char part[512];
    int size = snprintf(part, sizeof(part), "%.*s", (int)node->size, node->text);
    buffer_printf(path, "%s%s%s", path->size ? "::" : "", part, c_text_is_keyword(part) ? "_" : "");
    return size < (int)sizeof(part) && c_text_is_identifier(part);
}

/* A literal of an integer type, as C++ has it. */
static bool write_literal(const struct cbn_mangled *node, struct header_argument *argument)
{
    enum { MOST_DIGITS = 18 };
    const struct number *number = number_of(node->left);
    bool is_negative = node->size > 0 && node->text[0] == 'n';
    const char *digits = node->text + is_negative;
    size_t size = node->size - is_negative;
    if (!number || number->bytes == 0 || strspn(digits, "0123456789") < size || size == 0 ||
        size > MOST_DIGITS || strcmp(number->type, "float") == 0 || strcmp(number->type, "double") == 0) {
        return false;
    }
    argument->is_value = true;
    snprintf(argument->type, sizeof(argument->type), "%s", number->type);
    if (strcmp(number->type, "bool") == 0) {
        snprintf(argument->text, sizeof(argument->text), "%s", digits[0] == '0' ? "false" : "true");
    } else if (number->suffix) {
        snprintf(argument->text, sizeof(argument->text), "%s%.*s%s", is_negative ? "-" : "", (int)size,
                 digits, number->suffix);
    } else {
        snprintf(argument->text, sizeof(argument->text), "(%s)%s%.*s", number->type, is_negative ? "-" : "",
                 (int)size, digits);
    }
    return true;
}

static bool write_argument(const struct cbn_mangled *node, struct header_argument *argument)
{
    node = resolve((struct place){node, NO_ELEMENT}).node;
    if (!node) {
        return false;
    }
    if (node->kind == CBN_MANGLED_LITERAL) {
        return write_literal(node, argument);
    }
    char text[HEADER_TYPE_TEXT_SIZE];
    bool is_const;
    bool is_volatile;
    if (!write_type((struct place){node, NO_ELEMENT}, &is_const, &is_volatile, 0, text) || is_volatile) {
        return false;
    }
    int size = is_const && text[strlen(text) - 1] == '*'
                   ? snprintf(argument->text, sizeof(argument->text), "%sconst", text)
                   : snprintf(argument->text, sizeof(argument->text), "%s%s", is_const ? "const " : "", text);
    return size < (int)sizeof(argument->text);
}

/* False if one can't be written. */
static bool read_arguments(const struct cbn_mangled *list, bool in_pack, struct header_signature *signature)
{
    for (; list; list = list->right) {
        if (!list->left || signature->argument_count == MOST_PARAMETERS || signature->has_pack > in_pack) {
            return false;
        }
        if (list->left->kind == CBN_MANGLED_PACK) {
            signature->has_pack = true;
            if (in_pack || !read_arguments(list->left->left, true, signature)) {
                return false;
            }
            continue;
        }
        struct header_argument *argument = &signature->arguments[signature->argument_count++];
        argument->in_pack = in_pack;
        if (!write_argument(list->left, argument)) {
            return false;
        }
    }
    return true;
}

static void read_name(const struct cbn_mangled *name, struct buffer *path, struct header_signature *signature)
{
    signature->is_nameable = true;
    if (name->kind == CBN_MANGLED_TEMPLATE) {
        signature->is_template = true;
        signature->is_nameable = read_arguments(name->right, false, signature);
        name = name->left;
    }
    signature->is_nameable &= write_path(name, path);
}

static cubinet_status keep_path(struct buffer *path, struct header_signature *signature)
{
    if (path->failed) {
        return cbn_error_memory();
    }
    if (signature->is_nameable && path->size > 0) {
        signature->path = buffer_take(path);
    }
    signature->is_nameable = signature->path != NULL;
    return CUBINET_OK;
}

/* Many are kept at once. */
static void shrink(struct header_signature *signature)
{
    void *parameters =
        reallocarray(signature->parameters, signature->parameter_count + 1, sizeof(*signature->parameters));
    void *arguments =
        reallocarray(signature->arguments, signature->argument_count + 1, sizeof(*signature->arguments));
    signature->parameters = parameters ? parameters : signature->parameters;
    signature->arguments = arguments ? arguments : signature->arguments;
}

cubinet_status header_signature_read(struct header_types *types, const char *lowered,
                                     struct header_signature *out_signature)
{
    struct header_signature signature = {
        .parameters = calloc(MOST_PARAMETERS, sizeof(*signature.parameters)),
        .arguments = calloc(MOST_PARAMETERS, sizeof(*signature.arguments)),
    };
    if (!signature.parameters || !signature.arguments) {
        header_signature_free(&signature);
        return cbn_error_memory();
    }
    struct buffer path = {0};
    const struct cbn_mangled *encoding = cbn_mangled_read(&types->space, lowered);
    if (encoding && encoding->right) {
        struct reader reader = {lowered, strlen(lowered)};
        signature.is_mangled = true;
        read_parameters(&reader, encoding->right->right, &signature);
        read_name(encoding->left, &path, &signature);
    } else if (c_text_is_identifier(lowered)) {
        signature.is_nameable = true;
        buffer_printf(&path, "%s%s", lowered, c_text_is_keyword(lowered) ? "_" : "");
    }
    cubinet_status status = keep_path(&path, &signature);
    shrink(&signature);
    buffer_free(&path);
    if (status) {
        header_signature_free(&signature);
        return status;
    }
    *out_signature = signature;
    return CUBINET_OK;
}

void header_signature_free(struct header_signature *signature)
{
    free(signature->parameters);
    free(signature->arguments);
    free(signature->path);
    *signature = (struct header_signature){0};
}
