/* SPDX-License-Identifier: Apache-2.0 */
/* A reader by recursive descent, after https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling, which the
 * comments quote. What it can't read ends it: from then on there is no text left, and what was built so far
 * is thrown away. */
#include "loader/core/names/mangled.h"

#include "loader/core/names/mangled_words.h"

#include <string.h>

enum { DEEPEST = 200 };

struct reader {
    struct cbn_mangled_space *space;
    const char *next;
    const struct cbn_mangled *arguments; /* of the function that is being read: a list, or NULL */
    const struct cbn_mangled *last;      /* the last name of a class or function, for constructors */
    size_t node_count;
    size_t substitution_count;
    int depth;
    bool in_lambda; /* whose template parameters are its own */
    bool failed;
};

static const struct cbn_mangled nothing = {.kind = CBN_MANGLED_TEXT, .text = ""};

static const struct cbn_mangled *give_up(struct reader *reader)
{
    reader->failed = true;
    reader->next = "";
    return &nothing;
}

static struct cbn_mangled *new_node(struct reader *reader, enum cbn_mangled_kind kind)
{
    if (reader->node_count == CBN_MANGLED_NODES) {
        give_up(reader);
        reader->node_count--; /* nobody looks at it any more */
    }
    struct cbn_mangled *node = &reader->space->nodes[reader->node_count++];
    *node = (struct cbn_mangled){.kind = kind};
    return node;
}

static const struct cbn_mangled *make(struct reader *reader, enum cbn_mangled_kind kind,
                                      const struct cbn_mangled *left, const struct cbn_mangled *right)
{
    struct cbn_mangled *node = new_node(reader, kind);
    node->left = left;
    node->right = right;
    return node;
}

/* `size`: of the text */
static struct cbn_mangled *make_text(struct reader *reader, enum cbn_mangled_kind kind,
                                     const struct cbn_mangled *left, const char *text, size_t size)
{
    struct cbn_mangled *node = new_node(reader, kind);
    node->left = left;
    node->text = text;
    node->size = size;
    return node;
}

static struct cbn_mangled *make_word(struct reader *reader, enum cbn_mangled_kind kind,
                                     const struct cbn_mangled *left, const char *word)
{
    return make_text(reader, kind, left, word, strlen(word));
}

static bool take(struct reader *reader, const char *code)
{
    size_t size = strlen(code);
    bool is_next = strncmp(reader->next, code, size) == 0;
    reader->next += is_next ? size : 0;
    return is_next;
}

static void need(struct reader *reader, const char *code)
{
    if (!take(reader, code)) {
        give_up(reader);
    }
}

/* The next `size` bytes. They are taken before a node is made of them: that may give up. */
static const char *take_text(struct reader *reader, size_t size)
{
    const char *text = reader->next;
    reader->next += size;
    return text;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Fails at what is larger than any number that counts. */
static size_t take_number(struct reader *reader)
{
    size_t number = 0;
    if (!is_digit(*reader->next)) {
        give_up(reader);
    }
    while (is_digit(*reader->next) && number <= CBN_MANGLED_NODES) {
        number = number * 10 + (size_t)(*reader->next++ - '0');
    }
    return number;
}

/* "_": 0; "0_": 1; ... */
static size_t take_index(struct reader *reader)
{
    size_t index = *reader->next == '_' ? 0 : take_number(reader) + 1;
    need(reader, "_");
    return index;
}

/* <seq-id> "_", in base 36 */
static size_t take_sequence(struct reader *reader)
{
    size_t index = 0;
    if (take(reader, "_")) {
        return 0;
    }
    while (is_digit(*reader->next) || (*reader->next >= 'A' && *reader->next <= 'Z')) {
        char c = *reader->next++;
        index = index * 36 + (size_t)(is_digit(c) ? c - '0' : c - 'A' + 10);
        if (index > CBN_MANGLED_SUBSTITUTIONS) {
            give_up(reader);
        }
    }
    need(reader, "_");
    return index + 1;
}

static const struct cbn_mangled *substitutable(struct reader *reader, const struct cbn_mangled *node)
{
    if (reader->substitution_count == CBN_MANGLED_SUBSTITUTIONS) {
        return give_up(reader);
    }
    reader->space->substitutions[reader->substitution_count++] = node;
    return node;
}

/* The reader goes down a level, unless it is too deep already. */
static bool enter(struct reader *reader)
{
    reader->depth++;
    if (reader->depth > DEEPEST) {
        give_up(reader);
    }
    return !reader->failed;
}

static const struct cbn_mangled *leave(struct reader *reader, const struct cbn_mangled *node)
{
    reader->depth--;
    return node;
}

static const struct cbn_mangled *read_encoding(struct reader *reader);
static const struct cbn_mangled *read_name(struct reader *reader);
static const struct cbn_mangled *read_type(struct reader *reader);
static const struct cbn_mangled *read_expression(struct reader *reader);

/* What `read` gives, again and again until `end`; NULL if there is nothing. */
static const struct cbn_mangled *read_list(struct reader *reader, const char *end,
                                           const struct cbn_mangled *(*read)(struct reader *))
{
    struct cbn_mangled *first = NULL;
    struct cbn_mangled *last = NULL;
    while (!reader->failed && !take(reader, end)) {
        struct cbn_mangled *item = new_node(reader, CBN_MANGLED_LIST);
        item->left = read(reader);
        if (last) {
            last->right = item;
        } else {
            first = item;
        }
        last = item;
    }
    return first;
}

/* <template-param> ::= T_ | T <number> _ */
static const struct cbn_mangled *read_parameter(struct reader *reader)
{
    need(reader, "T");
    size_t index = take_index(reader);
    if (reader->in_lambda) {
        struct cbn_mangled *automatic = make_word(reader, CBN_MANGLED_NUMBERED, NULL, "auto:");
        automatic->number = index + 1;
        return automatic;
    }
    const struct cbn_mangled *argument = reader->arguments;
    while (argument && index > 0) {
        argument = argument->right;
        index--;
    }
    return argument ? make(reader, CBN_MANGLED_PARAMETER, argument->left, NULL) : give_up(reader);
}

/* L <type> <value> E | L_Z <encoding> E */
static const struct cbn_mangled *read_literal(struct reader *reader)
{
    need(reader, "L");
    if (take(reader, "_Z")) {
        const struct cbn_mangled *arguments = reader->arguments;
        const struct cbn_mangled *encoding = read_encoding(reader);
        reader->arguments = arguments;
        need(reader, "E");
        return encoding;
    }
    const struct cbn_mangled *type = read_type(reader);
    size_t size = strcspn(reader->next, "E");
    const struct cbn_mangled *literal =
        make_text(reader, CBN_MANGLED_LITERAL, type, take_text(reader, size), size);
    need(reader, "E");
    return literal;
}

/* <template-arg> */
static const struct cbn_mangled *read_argument(struct reader *reader)
{
    if (!enter(reader)) {
        return leave(reader, &nothing);
    }
    const struct cbn_mangled *argument;
    if (take(reader, "X")) {
        argument = read_expression(reader);
        need(reader, "E");
    } else if (*reader->next == 'L') {
        argument = read_literal(reader);
    } else if (take(reader, "J") || take(reader, "I")) {
        argument = make(reader, CBN_MANGLED_PACK, read_list(reader, "E", read_argument), NULL);
    } else {
        argument = read_type(reader);
    }
    return leave(reader, argument);
}

/* <template-args>, which are next, after what they belong to */
static const struct cbn_mangled *read_arguments(struct reader *reader, const struct cbn_mangled *name)
{
    const struct cbn_mangled *last = reader->last;
    need(reader, "I");
    const struct cbn_mangled *arguments = read_list(reader, "E", read_argument);
    reader->last = last;
    return make(reader, CBN_MANGLED_TEMPLATE, name, arguments);
}

/* Namespaces of unnamed things are told apart by what follows "_GLOBAL__N". */
static bool is_unnamed_namespace(const char *text, size_t size)
{
    return size >= 10 && strncmp(text, "_GLOBAL_", 8) == 0 && strchr("_.$", text[8]) && text[9] == 'N';
}

/* Letters of any language, digits, and what compilers join words with. A name with other bytes would be read
 * as something else than it is: as two words, or as a name and its parameters. */
static bool is_identifier(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_letter = c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        if (!is_letter && !is_digit(text[i]) && !strchr("_$.", c)) {
            return false;
        }
    }
    return true;
}

/* <source-name> ::= <number> <identifier> */
static const struct cbn_mangled *read_source_name(struct reader *reader)
{
    size_t size = take_number(reader);
    const char *text = reader->next;
    if (size == 0 || strnlen(text, size) < size || !is_identifier(text, size)) {
        return give_up(reader);
    }
    reader->next += size;
    reader->last = is_unnamed_namespace(text, size)
                       ? make_word(reader, CBN_MANGLED_TEXT, NULL, "(anonymous namespace)")
                       : make_text(reader, CBN_MANGLED_TEXT, NULL, text, size);
    return reader->last;
}

/* Parameters, where `v` alone is none. An empty list has one item of nothing. */
static const struct cbn_mangled *read_parameters(struct reader *reader, const char *end)
{
    if (*reader->next == 'v') {
        reader->next++;
        need(reader, end);
        return make(reader, CBN_MANGLED_LIST, NULL, NULL);
    }
    const struct cbn_mangled *list = read_list(reader, end, read_type);
    return list ? list : give_up(reader);
}

/* Ul <lambda-sig> E [<number>] _ */
static const struct cbn_mangled *read_lambda(struct reader *reader)
{
    bool was_in_lambda = reader->in_lambda;
    reader->in_lambda = true;
    struct cbn_mangled *lambda = new_node(reader, CBN_MANGLED_LAMBDA);
    lambda->right = read_parameters(reader, "E");
    reader->in_lambda = was_in_lambda;
    lambda->number = take_index(reader) + 1;
    return lambda;
}

static const struct cbn_mangled *read_unnamed_type(struct reader *reader)
{
    struct cbn_mangled *type = make_word(reader, CBN_MANGLED_NUMBERED, NULL, "{unnamed type#");
    type->number = take_index(reader) + 1;
    return substitutable(reader, type);
}

/* <operator-name>, of a function */
static const struct cbn_mangled *read_operator_name(struct reader *reader)
{
    if (take(reader, "cv")) {
        return make_word(reader, CBN_MANGLED_OPERATOR, read_type(reader), "operator ");
    }
    const struct cbn_mangled_word *word = cbn_mangled_operator(reader->next);
    if (!word) {
        return give_up(reader);
    }
    reader->next += strlen(word->code);
    return make_word(reader, CBN_MANGLED_OPERATOR, make_word(reader, CBN_MANGLED_TEXT, NULL, word->text),
                     "operator");
}

/* <unqualified-name> */
static const struct cbn_mangled *read_unqualified(struct reader *reader)
{
    const struct cbn_mangled *name;
    take(reader, "L"); /* internal linkage */
    if (is_digit(*reader->next)) {
        name = read_source_name(reader);
    } else if (take(reader, "Ul")) {
        name = read_lambda(reader);
    } else if (take(reader, "Ut")) {
        name = read_unnamed_type(reader);
    } else if (*reader->next == 'C' && reader->last && is_digit(reader->next[1])) {
        reader->next += 2;
        name = reader->last;
    } else if (*reader->next == 'D' && reader->last && is_digit(reader->next[1])) {
        reader->next += 2;
        name = make_word(reader, CBN_MANGLED_OPERATOR, reader->last, "~");
    } else {
        name = read_operator_name(reader);
    }
    while (take(reader, "B")) {
        struct cbn_mangled *tagged = make_word(reader, CBN_MANGLED_JOINED, name, "[abi:");
        tagged->right = make_word(reader, CBN_MANGLED_SUFFIXED, read_source_name(reader), "]");
        name = tagged;
    }
    return name;
}

/* <substitution>, unless it is St */
static const struct cbn_mangled *read_substitution(struct reader *reader)
{
    const struct cbn_mangled_word *word = cbn_mangled_std_word(reader->next);
    if (word) {
        reader->next += 2;
        const char *colon = strstr(word->text, "::");
        size_t start = colon ? (size_t)(colon + 2 - word->text) : 0;
        reader->last =
            make_text(reader, CBN_MANGLED_TEXT, NULL, word->text + start, strcspn(word->text + start, "<"));
        return make_word(reader, CBN_MANGLED_TEXT, NULL, word->text);
    }
    need(reader, "S");
    size_t index = take_sequence(reader);
    return index < reader->substitution_count && !reader->failed ? reader->space->substitutions[index]
                                                                 : give_up(reader);
}

/* <CV-qualifiers> in the order in which they are said, each as one node around the others. */
static const struct cbn_mangled *qualify(struct reader *reader, enum cbn_mangled_kind kind, const char *codes,
                                         size_t count, const struct cbn_mangled *node)
{
    while (count-- > 0) {
        node = make_word(reader, kind, node,
                         codes[count] == 'K'   ? " const"
                         : codes[count] == 'V' ? " volatile"
                         : codes[count] == 'r' ? " restrict"
                         : codes[count] == 'R' ? " &"
                                               : " &&");
    }
    return node;
}

/* One more part of a nested name, after `prefix`, which may be NULL. */
static const struct cbn_mangled *read_part(struct reader *reader, const struct cbn_mangled *prefix)
{
    if (*reader->next == 'I' && prefix) {
        return read_arguments(reader, prefix);
    }
    if (*reader->next == 'T' && !prefix) {
        return read_parameter(reader);
    }
    if (*reader->next == 'S' && !prefix) {
        return read_substitution(reader);
    }
    if (strncmp(reader->next, "Dt", 2) == 0 || strncmp(reader->next, "DT", 2) == 0) {
        return prefix ? give_up(reader) : read_type(reader);
    }
    const struct cbn_mangled *name = read_unqualified(reader);
    return prefix ? make(reader, CBN_MANGLED_NESTED, prefix, name) : name;
}

/* N [<CV-qualifiers>] [<ref-qualifier>] <prefix> <unqualified-name> E */
static const struct cbn_mangled *read_nested(struct reader *reader)
{
    need(reader, "N");
    const char *qualifiers = reader->next;
    reader->next += strspn(reader->next, "rVK");
    reader->next += *reader->next == 'R' || *reader->next == 'O';
    size_t qualifier_count = (size_t)(reader->next - qualifiers);
    const struct cbn_mangled *name = NULL;
    while (!reader->failed && !take(reader, "E")) {
        if (name && take(reader, "M")) {
            continue; /* the variable whose initializer a lambda is in */
        }
        /* Decltypes have become substitutions themselves. */
        bool is_known = *reader->next == 'S' || strncmp(reader->next, "Dt", 2) == 0 ||
                        strncmp(reader->next, "DT", 2) == 0;
        name = read_part(reader, name);
        if (!is_known && *reader->next != 'E') {
            substitutable(reader, name);
        }
    }
    if (!name) {
        return give_up(reader);
    }
    return qualify(reader, CBN_MANGLED_THIS_QUALIFIERS, qualifiers, qualifier_count, name);
}

/* [_ <digit> | __ <number> _], which tells apart what has the same name in one function */
static void skip_discriminator(struct reader *reader)
{
    if (take(reader, "__")) {
        take_number(reader);
        need(reader, "_");
    } else if (*reader->next == '_' && is_digit(reader->next[1])) {
        reader->next += 2;
    }
}

/* Z <encoding> E <name> [<discriminator>] | Z <encoding> E s [<discriminator>] | Z <encoding> Ed ... */
static const struct cbn_mangled *read_local(struct reader *reader)
{
    need(reader, "Z");
    const struct cbn_mangled *function = read_encoding(reader);
    need(reader, "E");
    if (take(reader, "s")) {
        skip_discriminator(reader);
        return make(reader, CBN_MANGLED_NESTED, function,
                    make_word(reader, CBN_MANGLED_TEXT, NULL, "string literal"));
    }
    if (take(reader, "d")) {
        struct cbn_mangled *which = make_word(reader, CBN_MANGLED_NUMBERED, NULL, "{default arg#");
        which->number = take_index(reader) + 1;
        function = make(reader, CBN_MANGLED_NESTED, function, which);
    }
    const struct cbn_mangled *name = read_name(reader);
    skip_discriminator(reader);
    if (reader->failed) {
        return &nothing;
    }
    /* The qualifiers of a function stay outermost. */
    const struct cbn_mangled *qualified = name;
    while (qualified->kind == CBN_MANGLED_THIS_QUALIFIERS) {
        qualified = qualified->left;
    }
    const struct cbn_mangled *local = make(reader, CBN_MANGLED_NESTED, function, qualified);
    if (qualified->kind == CBN_MANGLED_TEMPLATE) {
        local = make(reader, CBN_MANGLED_TEMPLATE,
                     make(reader, CBN_MANGLED_NESTED, function, qualified->left), qualified->right);
    }
    for (; name != qualified; name = name->left) {
        local = make_text(reader, CBN_MANGLED_THIS_QUALIFIERS, local, name->text, name->size);
    }
    return local;
}

/* <unscoped-name>, or a substitution, with or without template arguments */
static const struct cbn_mangled *read_unscoped(struct reader *reader)
{
    bool is_known = *reader->next == 'S' && reader->next[1] != 't';
    const struct cbn_mangled *name;
    if (is_known) {
        name = read_substitution(reader);
    } else if (take(reader, "St")) {
        const struct cbn_mangled *std = make_word(reader, CBN_MANGLED_TEXT, NULL, "std");
        name = make(reader, CBN_MANGLED_NESTED, std, read_unqualified(reader));
    } else {
        name = read_unqualified(reader);
    }
    if (*reader->next != 'I') {
        return name;
    }
    if (!is_known) {
        substitutable(reader, name);
    }
    return read_arguments(reader, name);
}

static const struct cbn_mangled *read_name(struct reader *reader)
{
    if (!enter(reader)) {
        return leave(reader, &nothing);
    }
    return leave(reader, *reader->next == 'N'   ? read_nested(reader)
                         : *reader->next == 'Z' ? read_local(reader)
                                                : read_unscoped(reader));
}

/* Constructors, destructors and conversions have no result, if they are templates, too. */
static bool has_result(const struct cbn_mangled *name)
{
    if (name->kind != CBN_MANGLED_TEMPLATE) {
        return false;
    }
    const struct cbn_mangled *plain = name->left;
    const struct cbn_mangled *class = NULL;
    while (plain->kind == CBN_MANGLED_NESTED) {
        class = plain->left;
        plain = plain->right;
    }
    if (class && class->kind == CBN_MANGLED_TEMPLATE) {
        class = class->left;
    }
    if (class && class->kind == CBN_MANGLED_NESTED) {
        class = class->right;
    }
    return plain != class && !(plain->kind == CBN_MANGLED_OPERATOR &&
                               (plain->text[0] == '~' || plain->text[plain->size - 1] == ' '));
}

/* What follows the name of a function: <bare-function-type>. Its first item is the result's. */
static const struct cbn_mangled *read_signature(struct reader *reader, bool tells_result)
{
    struct cbn_mangled *signature = new_node(reader, CBN_MANGLED_LIST);
    struct cbn_mangled *last = signature;
    if (tells_result) {
        signature->left = read_type(reader);
    }
    if (take(reader, "v")) {
        return signature;
    }
    do {
        struct cbn_mangled *item = new_node(reader, CBN_MANGLED_LIST);
        item->left = read_type(reader);
        last->right = item;
        last = item;
    } while (*reader->next != '\0' && *reader->next != 'E');
    return signature;
}

/* <encoding> ::= <name> [<bare-function-type>] */
static const struct cbn_mangled *read_encoding(struct reader *reader)
{
    const struct cbn_mangled *name = read_name(reader);
    if (*reader->next == '\0' || *reader->next == 'E') { /* or what is before can't be read */
        return make(reader, CBN_MANGLED_ENCODING, name, NULL);
    }
    const struct cbn_mangled *plain = name;
    while (plain->kind == CBN_MANGLED_THIS_QUALIFIERS) {
        plain = plain->left;
    }
    if (plain->kind == CBN_MANGLED_TEMPLATE) {
        reader->arguments = plain->right;
    }
    return make(reader, CBN_MANGLED_ENCODING, name, read_signature(reader, has_result(plain)));
}

/* F [Y] <result> <parameters> [<ref-qualifier>] E */
static const struct cbn_mangled *read_function(struct reader *reader)
{
    bool never_throws = take(reader, "Do");
    need(reader, "F");
    take(reader, "Y");
    struct cbn_mangled *function = new_node(reader, CBN_MANGLED_FUNCTION);
    function->left = read_type(reader);
    function->right = read_parameters(reader, "E");
    function->text = never_throws ? " noexcept" : "";
    function->size = strlen(function->text);
    return function;
}

static const struct cbn_mangled *read_digits(struct reader *reader)
{
    size_t size = strspn(reader->next, "0123456789");
    return make_text(reader, CBN_MANGLED_TEXT, NULL, take_text(reader, size), size);
}

/* A <number> _ <type> | A [<expression>] _ <type> */
static const struct cbn_mangled *read_array(struct reader *reader)
{
    need(reader, "A");
    const struct cbn_mangled *bound = NULL;
    if (is_digit(*reader->next)) {
        bound = read_digits(reader);
    } else if (*reader->next != '_') {
        bound = read_expression(reader);
    }
    need(reader, "_");
    return make(reader, CBN_MANGLED_ARRAY, read_type(reader), bound);
}

/* Types whose code starts with 'D', those of one word excepted */
static const struct cbn_mangled *read_d_type(struct reader *reader)
{
    if (take(reader, "Dp")) {
        return make(reader, CBN_MANGLED_EXPANSION, read_type(reader), NULL);
    }
    if (take(reader, "Dt") || take(reader, "DT")) {
        const struct cbn_mangled *type =
            make_word(reader, CBN_MANGLED_WRAPPED, read_expression(reader), "decltype (");
        need(reader, "E");
        return type;
    }
    if (take(reader, "Dv")) {
        const struct cbn_mangled *size = read_digits(reader);
        need(reader, "_");
        struct cbn_mangled *vector = make_word(reader, CBN_MANGLED_JOINED, read_type(reader), " __vector(");
        vector->right = make_word(reader, CBN_MANGLED_SUFFIXED, size, ")");
        return vector;
    }
    return read_function(reader);
}

/* T_, and what it is applied to if it is a template */
static const struct cbn_mangled *read_parameter_type(struct reader *reader)
{
    const struct cbn_mangled *parameter = read_parameter(reader);
    if (*reader->next != 'I') {
        return parameter;
    }
    substitutable(reader, parameter);
    return read_arguments(reader, parameter);
}

/* A type that starts with 'S', which is not new unless something follows the substitution */
static const struct cbn_mangled *read_s_type(struct reader *reader)
{
    if (reader->next[1] == 't') {
        return substitutable(reader, read_unscoped(reader));
    }
    const struct cbn_mangled *type = read_substitution(reader);
    return *reader->next == 'I' ? substitutable(reader, read_arguments(reader, type)) : type;
}

static const struct cbn_mangled *read_class(struct reader *reader)
{
    const struct cbn_mangled *arguments = reader->arguments;
    const struct cbn_mangled *type = read_name(reader);
    reader->arguments = arguments;
    return type;
}

/* u <source-name>: a type of the compiler's own */
static const struct cbn_mangled *read_vendor_type(struct reader *reader)
{
    need(reader, "u");
    return read_source_name(reader);
}

static const struct cbn_mangled *read_member(struct reader *reader)
{
    need(reader, "M");
    const struct cbn_mangled *class = read_type(reader);
    return make(reader, CBN_MANGLED_MEMBER, class, read_type(reader));
}

static const struct cbn_mangled *read_qualified(struct reader *reader)
{
    const char *codes = reader->next;
    size_t count = strspn(codes, "rVK");
    reader->next += count;
    bool is_function = *reader->next == 'F' || strncmp(reader->next, "DoF", 3) == 0;
    return qualify(reader, CBN_MANGLED_SUFFIXED, codes, count,
                   is_function ? read_function(reader) : read_type(reader));
}

/* A type that is made of another: P, R, O, C and G */
static const struct cbn_mangled *read_made_type(struct reader *reader)
{
    static const char *const suffixes[] = {"*", "&", "&&", " _Complex", " _Imaginary"};
    static const char codes[] = "PROCG";
    size_t which = (size_t)(strchr(codes, *reader->next) - codes);
    reader->next++;
    return make_word(reader, CBN_MANGLED_SUFFIXED, read_type(reader), suffixes[which]);
}

static const struct cbn_mangled *read_new_type(struct reader *reader)
{
    switch (*reader->next) {
    case 'r':
    case 'V':
    case 'K':
        return read_qualified(reader);
    case 'P':
    case 'R':
    case 'O':
    case 'C':
    case 'G':
        return read_made_type(reader);
    case 'F':
        return read_function(reader);
    case 'A':
        return read_array(reader);
    case 'M':
        return read_member(reader);
    case 'T':
        return read_parameter_type(reader);
    case 'D':
        return read_d_type(reader);
    case 'u':
        return read_vendor_type(reader);
    default:
        return read_class(reader);
    }
}

static const struct cbn_mangled *read_type(struct reader *reader)
{
    if (!enter(reader)) {
        return leave(reader, &nothing);
    }
    const struct cbn_mangled_word *word = cbn_mangled_type_word(reader->next);
    if (word) {
        reader->next += strlen(word->code);
        return leave(reader, make_word(reader, CBN_MANGLED_TEXT, NULL, word->text));
    }
    if (*reader->next == 'S') {
        return leave(reader, read_s_type(reader));
    }
    const struct cbn_mangled *type = read_new_type(reader);
    return leave(reader, substitutable(reader, type));
}

/* sr <type> <unqualified-name> [<template-args>] */
static const struct cbn_mangled *read_scoped(struct reader *reader)
{
    const struct cbn_mangled *type = read_type(reader);
    const struct cbn_mangled *name = make(reader, CBN_MANGLED_NESTED, type, read_unqualified(reader));
    return *reader->next == 'I' ? read_arguments(reader, name) : name;
}

/* A parameter of the function, in an expression */
static const struct cbn_mangled *read_function_parameter(struct reader *reader)
{
    struct cbn_mangled *parameter = make_word(reader, CBN_MANGLED_NUMBERED, NULL, "{parm#");
    reader->next += strspn(reader->next, "rVK");
    parameter->number = take_index(reader) + 1;
    return parameter;
}

static const struct cbn_mangled *read_operation(struct reader *reader)
{
    const struct cbn_mangled_word *word = cbn_mangled_operator(reader->next);
    if (!word || word->operands == 0) {
        return give_up(reader);
    }
    reader->next += 2;
    const struct cbn_mangled *left = read_expression(reader);
    if (word->operands == 1) {
        return make_word(reader, CBN_MANGLED_UNARY, left, word->text);
    }
    bool names_member = strcmp(word->code, "dt") == 0 || strcmp(word->code, "pt") == 0;
    struct cbn_mangled *operation = make_word(reader, CBN_MANGLED_BINARY, left, word->text);
    operation->right =
        names_member && is_digit(*reader->next) ? read_unscoped(reader) : read_expression(reader);
    return operation;
}

/* Calls, casts and lists: of several parts */
static const struct cbn_mangled *read_compound(struct reader *reader)
{
    const struct cbn_mangled *left;
    if (take(reader, "cl")) {
        left = read_expression(reader);
        return make(reader, CBN_MANGLED_CALL, left, read_list(reader, "E", read_expression));
    }
    if (take(reader, "cv")) {
        left = read_type(reader);
        bool is_list = take(reader, "_");
        return make(reader, is_list ? CBN_MANGLED_CALL : CBN_MANGLED_CAST, left,
                    is_list ? read_list(reader, "E", read_expression) : read_expression(reader));
    }
    if (take(reader, "tl")) {
        left = read_type(reader);
        return make(reader, CBN_MANGLED_BRACED, left, read_list(reader, "E", read_expression));
    }
    if (take(reader, "il")) {
        return make(reader, CBN_MANGLED_BRACED, NULL, read_list(reader, "E", read_expression));
    }
    if (take(reader, "qu")) {
        left = read_expression(reader);
        struct cbn_mangled *choices = new_node(reader, CBN_MANGLED_LIST);
        choices->left = read_expression(reader);
        choices->right = read_expression(reader);
        return make(reader, CBN_MANGLED_CONDITION, left, choices);
    }
    return read_operation(reader);
}

static const struct cbn_mangled *read_some_expression(struct reader *reader)
{
    if (*reader->next == 'L') {
        return read_literal(reader);
    }
    if (*reader->next == 'T') {
        return read_parameter(reader);
    }
    if (is_digit(*reader->next)) {
        return read_unscoped(reader);
    }
    if (take(reader, "sr")) {
        return read_scoped(reader);
    }
    if (take(reader, "fp")) {
        return read_function_parameter(reader);
    }
    if (take(reader, "sp")) {
        return make(reader, CBN_MANGLED_EXPANSION, read_expression(reader), NULL);
    }
    if (take(reader, "sZ")) {
        return make(reader, CBN_MANGLED_PACK_SIZE, read_parameter(reader), NULL);
    }
    if (take(reader, "st")) {
        return make_word(reader, CBN_MANGLED_WRAPPED, read_type(reader), "sizeof (");
    }
    if (take(reader, "at")) {
        return make_word(reader, CBN_MANGLED_WRAPPED, read_type(reader), "alignof (");
    }
    return read_compound(reader);
}

static const struct cbn_mangled *read_expression(struct reader *reader)
{
    if (!enter(reader)) {
        return leave(reader, &nothing);
    }
    return leave(reader, read_some_expression(reader));
}

const struct cbn_mangled *cbn_mangled_read(struct cbn_mangled_space *space, const char *name)
{
    if (strncmp(name, "_Z", 2) != 0) {
        return NULL;
    }
    struct reader reader = {.space = space, .next = name + 2};
    const struct cbn_mangled *encoding = read_encoding(&reader);
    return reader.failed || *reader.next ? NULL : encoding;
}
