/* SPDX-License-Identifier: Apache-2.0 */
#include "base/c_text.h"

#include "base/path.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_printable(char c)
{
    return c >= ' ' && c <= '~';
}

/* An octal escape ends after three digits, whatever follows it; one in hexadecimal would go on. */
void c_text_literal(struct buffer *text, const char *bytes)
{
    buffer_puts(text, "\"");
    for (; *bytes; bytes++) {
        bool escaped = strchr("\"\\?", *bytes) != NULL; /* '?' may start a trigraph */
        if (is_printable(*bytes)) {
            buffer_puts(text, escaped ? "\\" : "");
            buffer_append(text, bytes, 1);
        } else {
            buffer_printf(text, "\\%03o", (unsigned char)*bytes);
        }
    }
    buffer_puts(text, "\"");
}

static bool is_comment_mark(const char *at)
{
    return (at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*');
}

void c_text_comment(struct buffer *text, const char *bytes)
{
    for (; *bytes; bytes++) {
        buffer_append(text, is_printable(*bytes) ? bytes : "?", 1);
        buffer_puts(text, is_comment_mark(bytes) ? " " : "");
    }
}

/* The word that stands for a character, or NULL. A '-' is a sign where no operand can stand before it. */
static const char *word_for(const char *name, const char *at)
{
    switch (*at) {
    case '*':
        return "ptr";
    case '&':
        return at == name ? NULL : "ref";
    case '-':
        return isdigit((unsigned char)at[1]) && at > name && strchr("<,( ", at[-1]) ? "minus" : NULL;
    default:
        return NULL;
    }
}

struct words {
    struct buffer *text;
    bool any;       /* something was written */
    bool in_a_word; /* the next character goes on with it */
};

static void add(struct words *words, const char *text)
{
    buffer_puts(words->text, words->any && !words->in_a_word ? "_" : "");
    buffer_puts(words->text, text);
    words->any = true;
    words->in_a_word = true;
}

static void add_words(struct buffer *text, const char *name, size_t size)
{
    struct words words = {.text = text};
    for (const char *at = name; at < name + size; at++) {
        unsigned char c = (unsigned char)*at;
        const char *word = word_for(name, at);
        char letters[3] = {(char)tolower(c), '\0', '\0'};
        if (c >= 0x80) {
            letters[0] = "0123456789abcdef"[c >> 4];
            letters[1] = "0123456789abcdef"[c & 15];
        }
        if (word) {
            words.in_a_word = false;
            add(&words, word);
        }
        if (!word && (c >= 0x80 || isalnum(c))) {
            add(&words, letters);
        } else {
            words.in_a_word = false;
        }
    }
}

void c_text_identifier(struct buffer *text, const char *name)
{
    add_words(text, name, strlen(name));
}

void c_text_file_identifier(struct buffer *text, const char *path)
{
    const char *name = path_name(path);
    add_words(text, name, path_stem_size(name));
}

bool c_text_is_identifier(const char *text)
{
    if (!isalpha((unsigned char)text[0]) && text[0] != '_') {
        return false;
    }
    while (isalnum((unsigned char)*text) || *text == '_') {
        text++;
    }
    return *text == '\0';
}

bool c_text_is_keyword(const char *text)
{
    static const char words[] =
        " "
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char "
        "char16_t char32_t char8_t class co_await co_return co_yield compl concept const "
        "const_cast consteval constexpr constinit continue decltype default delete do double "
        "dynamic_cast else enum explicit export extern false float for friend goto i386 if "
        "inline int linux long mutable namespace new noexcept not not_eq nullptr operator or "
        "or_eq private protected public register reinterpret_cast requires return short "
        "signed sizeof static static_assert static_cast struct switch template this "
        "thread_local throw true try typedef typeid typename typeof union unix unsigned "
        "using virtual void volatile wchar_t while xor xor_eq ";
    size_t size = strlen(text);
    for (const char *found = strstr(words + 1, text); size > 0 && found; found = strstr(found + 1, text)) {
        if (found[-1] == ' ' && found[size] == ' ') {
            return true;
        }
    }
    return false;
}
