/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/names/mangled_words.h"

#include <stddef.h>
#include <string.h>

static const struct cbn_mangled_word types[] = {
    {"v", "void", 0},         {"w", "wchar_t", 0},
    {"b", "bool", 0},         {"c", "char", 0},
    {"a", "signed char", 0},  {"h", "unsigned char", 0},
    {"s", "short", 0},        {"t", "unsigned short", 0},
    {"i", "int", 0},          {"j", "unsigned int", 0},
    {"l", "long", 0},         {"m", "unsigned long", 0},
    {"x", "long long", 0},    {"y", "unsigned long long", 0},
    {"n", "__int128", 0},     {"o", "unsigned __int128", 0},
    {"f", "float", 0},        {"d", "double", 0},
    {"e", "long double", 0},  {"g", "__float128", 0},
    {"z", "...", 0},          {"Di", "char32_t", 0},
    {"Ds", "char16_t", 0},    {"Du", "char8_t", 0},
    {"Dh", "half", 0},        {"Dn", "decltype(nullptr)", 0},
    {"DF16_", "_Float16", 0}, {"DF16b", "std::bfloat16_t", 0},
};

#define BASIC "char, std::char_traits<char>"

static const struct cbn_mangled_word std_words[] = {
    {"St", "std", 0},
    {"Sa", "std::allocator", 0},
    {"Sb", "std::basic_string", 0},
    {"Ss", "std::basic_string<" BASIC ", std::allocator<char> >", 0},
    {"Si", "std::basic_istream<" BASIC " >", 0},
    {"So", "std::basic_ostream<" BASIC " >", 0},
    {"Sd", "std::basic_iostream<" BASIC " >", 0},
};

static const struct cbn_mangled_word operators[] = {
    {"aN", "&=", 2},  {"aS", "=", 2},       {"aa", "&&", 2},  {"ad", "&", 1},    {"an", "&", 2},
    {"cl", "()", 0},  {"cm", ",", 2},       {"co", "~", 1},   {"dV", "/=", 2},   {"da", " delete[]", 0},
    {"de", "*", 1},   {"dl", " delete", 0}, {"dt", ".", 2},   {"dv", "/", 2},    {"eO", "^=", 2},
    {"eo", "^", 2},   {"eq", "==", 2},      {"ge", ">=", 2},  {"gt", ">", 2},    {"ix", "[]", 0},
    {"lS", "<<=", 2}, {"le", "<=", 2},      {"ls", "<<", 2},  {"lt", "<", 2},    {"mI", "-=", 2},
    {"mL", "*=", 2},  {"mi", "-", 2},       {"ml", "*", 2},   {"mm", "--", 0},   {"na", " new[]", 0},
    {"ne", "!=", 2},  {"ng", "-", 1},       {"nt", "!", 1},   {"nw", " new", 0}, {"oR", "|=", 2},
    {"oo", "||", 2},  {"or", "|", 2},       {"pL", "+=", 2},  {"pl", "+", 2},    {"pm", "->*", 2},
    {"pp", "++", 0},  {"ps", "+", 1},       {"pt", "->", 2},  {"rM", "%=", 2},   {"rS", ">>=", 2},
    {"rm", "%", 2},   {"rs", ">>", 2},      {"ss", "<=>", 2},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct cbn_mangled_word *find(const struct cbn_mangled_word *words, size_t count,
                                           const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(text, words[i].code, strlen(words[i].code)) == 0) {
            return &words[i];
        }
    }
    return NULL;
}

const struct cbn_mangled_word *cbn_mangled_type_word(const char *text)
{
    return find(types, COUNT(types), text);
}

const struct cbn_mangled_word *cbn_mangled_std_word(const char *text)
{
    return find(std_words, COUNT(std_words), text);
}

const struct cbn_mangled_word *cbn_mangled_operator(const char *text)
{
    return find(operators, COUNT(operators), text);
}
