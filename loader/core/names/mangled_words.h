/* SPDX-License-Identifier: Apache-2.0 */
/* Types and operators that mangled names have codes for. */
#ifndef CBN_MANGLED_WORDS_H
#define CBN_MANGLED_WORDS_H

struct cbn_mangled_word {
    const char *code;
    const char *text;
    int operands; /* of an operator; 0: it stands in no expression */
};

/* The type whose code the text starts with; NULL if it starts with none. */
const struct cbn_mangled_word *cbn_mangled_type_word(const char *text);

/* The class or namespace of the library that the text, from an 'S' on, starts with. */
const struct cbn_mangled_word *cbn_mangled_std_word(const char *text);

const struct cbn_mangled_word *cbn_mangled_operator(const char *text);

#endif
