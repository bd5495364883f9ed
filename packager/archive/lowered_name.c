/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/lowered_name.h"

#include "loader/core/support/expression.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct word {
    const char *text;
    size_t size;
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool word_is(struct word word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.text, text, word.size) == 0;
}

/* The next word of the text from *at up to `end`, with what follows in *at. False if there is none. */
static bool next_word(const char **at, const char *end, struct word *out_word)
{
    while (*at < end && !is_letter(**at)) {
        (*at)++;
    }
    out_word->text = *at;
    while (*at < end && is_letter(**at)) {
        (*at)++;
    }
    out_word->size = (size_t)(*at - out_word->text);
    return out_word->size > 0;
}

/* Words that are not spelled in mangled names. */
static bool is_silent(struct word word)
{
    static const char *const words[] = {"std",   "const",    "volatile", "struct",   "class", "enum",
                                        "union", "typename", "signed",   "unsigned", "void",  "bool",
                                        "char",  "short",    "int",      "long",     "float", "double",
                                        "true",  "false",    "sizeof"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (word_is(word, words[i])) {
            return true;
        }
    }
    return isdigit((unsigned char)word.text[0]) != 0;
}

/* What follows the first "<size><word>" at or after `at`; NULL if there is none. */
static const char *find_name(const char *at, struct word word)
{
    const char *end = at + strlen(at);
    for (const char *found = at; (found = memmem(found, (size_t)(end - found), word.text, word.size));
         found++) {
        const char *digits = found;
        while (digits > at && isdigit((unsigned char)digits[-1])) {
            digits--;
        }
        if (digits < found && strtoul(digits, NULL, 10) == word.size) {
            return found + word.size;
        }
    }
    return NULL;
}

/* Finds the names among the words of a text, one after another; what follows the last of them, or NULL. */
static const char *find_names(const char *text, const char *end, const char *lowered)
{
    struct word word;
    while (lowered && next_word(&text, end, &word)) {
        if (!is_silent(word)) {
            lowered = find_name(lowered, word);
        }
    }
    return lowered;
}

/* The code of a built-in type, spelled as most people do; '\0' for any other text. */
static char type_code(struct word type)
{
    static const struct {
        const char *text;
        char code;
    } types[] = {
        {"bool", 'b'},
        {"char", 'c'},
        {"signed char", 'a'},
        {"unsigned char", 'h'},
        {"short", 's'},
        {"unsigned short", 't'},
        {"int", 'i'},
        {"unsigned int", 'j'},
        {"unsigned", 'j'},
        {"long", 'l'},
        {"unsigned long", 'm'},
        {"long long", 'x'},
        {"unsigned long long", 'y'},
        {"float", 'f'},
        {"double", 'd'},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (word_is(type, types[i].text)) {
            return types[i].code;
        }
    }
    return '\0';
}

/* Whether an argument is a decimal number or a truth value; its digits as they are mangled. */
static bool is_number(struct word argument, struct word *out_digits, bool *out_negative)
{
    bool is_truth = word_is(argument, "true") || word_is(argument, "false");
    *out_negative = argument.size > 0 && argument.text[0] == '-';
    *out_digits = is_truth ? (struct word){argument.size == strlen("true") ? "1" : "0", 1}
                           : (struct word){argument.text + *out_negative, argument.size - *out_negative};
    while (out_digits->size > 1 && strchr("uUlL", out_digits->text[out_digits->size - 1])) {
        out_digits->size--;
    }
    for (size_t i = 0; i < out_digits->size; i++) {
        if (!isdigit((unsigned char)out_digits->text[i])) {
            return false;
        }
    }
    return out_digits->size == 1 || (out_digits->size > 1 && out_digits->text[0] != '0');
}

/* What follows the literal in a lowered name, whatever its type; NULL if it is another. */
static const char *skip_literal(const char *at, struct word digits, bool negative)
{
    if (at[0] != 'L' || !islower((unsigned char)at[1]) || (at[2] == 'n') != negative) {
        return NULL;
    }
    at += negative ? 3 : 2;
    return strncmp(at, digits.text, digits.size) == 0 && at[digits.size] == 'E' ? at + digits.size + 1 : NULL;
}

/* The argument that starts at `at`, without the spaces around it. */
static struct word argument_at(const char *at)
{
    while (*at == ' ') {
        at++;
    }
    struct word argument = {at, strcspn(at, ",<>()")};
    while (argument.size > 0 && at[argument.size - 1] == ' ') {
        argument.size--;
    }
    return argument;
}

/* Compares the arguments of an expression, from after its '<', with those of a lowered name, from after its
 * 'I', up to the first that is neither a built-in type nor a number. From there on names have to be found. */
static bool arguments_fit(const char *arguments, const char *lowered)
{
    const char *end = arguments + strlen(arguments);
    lowered += *lowered == 'J'; /* a pack */
    while (*arguments) {
        struct word argument = argument_at(arguments);
        struct word digits;
        bool negative;
        char code = type_code(argument);
        const char *after = argument.text + argument.size;
        after += strspn(after, " ");
        bool ends = *after == ',' || *after == '>';
        if (ends && code) {
            lowered = *lowered == code ? lowered + 1 : NULL;
        } else if (ends && is_number(argument, &digits, &negative)) {
            lowered = skip_literal(lowered, digits, negative);
        } else {
            break;
        }
        if (!lowered || *after == '>') {
            arguments = after;
            break;
        }
        arguments = after + 1;
    }
    return lowered && find_names(arguments, end, lowered);
}

/* The last word of a text: "scan" of "my::scan". */
static struct word last_word(const char *text, const char *end)
{
    struct word word = {text, 0};
    struct word next;
    while (next_word(&text, end, &next)) {
        word = next;
    }
    return word;
}

bool lowered_name_fits(const char *expression, const char *lowered)
{
    expression = cbn_expression_start(expression);
    const char *end = expression;
    while (is_letter(*end) || *end == ':' || *end == ' ') {
        end++;
    }
    if (end == expression || (*end && *end != '<') || strchr(end, '(')) {
        return true;
    }
    if (strncmp(lowered, "_Z", 2) != 0) {
        return word_is(last_word(expression, end), lowered);
    }
    lowered = find_names(expression, end, lowered + 2);
    if (!lowered || *end == '\0') {
        return lowered != NULL;
    }
    return *lowered == 'I' && arguments_fit(end + 1, lowered + 1);
}
