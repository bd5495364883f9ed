/* SPDX-License-Identifier: Apache-2.0 */
/* Python's pickles, protocols 2 to 5, as values: nothing in them is called, and nothing is imported. */
#ifndef PICKLE_H
#define PICKLE_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pickle_kind {
    PICKLE_NONE,
    PICKLE_BOOL,   /* `number` */
    PICKLE_NUMBER, /* `number`; one of more than 64 bits, and one that is not whole, is 0 */
    PICKLE_TEXT,   /* `bytes`, UTF-8 */
    PICKLE_BYTES,  /* `bytes` */
    PICKLE_TUPLE,  /* lists and sets, too: `items` */
    PICKLE_DICT,   /* `items`: a key, its value, … */
    PICKLE_GLOBAL, /* a class or function. items: its module and its name */
    PICKLE_CALL    /* what a function returned, or an object. items: the function or class, its arguments, and
                      what was set in it afterwards, if anything */
};

struct pickle_value {
    enum pickle_kind kind;
    int64_t number;
    double real;                /* of a PICKLE_NUMBER that was written as a floating-point number */
    const unsigned char *bytes; /* in the pickle */
    size_t size;
    const struct pickle_value **items;
    size_t item_count;
};

struct pickle {
    const struct pickle_value *top; /* what the pickle is of; values may be shared, and in a circle */
    struct pickle_value **values;   /* all, in the order in which they start */
    size_t value_count;
    size_t size; /* how many bytes it has: another pickle may follow */
};

/* Whether bytes start as a pickle does. */
bool pickle_is(const void *data, size_t size);

/* Reads a pickle, whose bytes have to outlive it; what follows it is not read. CUBINET_ERROR_DAMAGED for
 * what is not a pickle, or is one of an unknown form. */
cubinet_status pickle_read(const void *data, size_t size, struct pickle *out_pickle);

void pickle_free(struct pickle *pickle);

/* What a dict, or what was set in an object, has for a text; NULL: nothing, or the value is of another kind.
 */
const struct pickle_value *pickle_get(const struct pickle_value *value, const char *key);

/* Whether a value is this text. False for NULL. */
bool pickle_is_text(const struct pickle_value *value, const char *text);

/* Whether a value was made by a call of something of this name. False for NULL. */
bool pickle_is_call(const struct pickle_value *value, const char *name);

/* A value of a call, a tuple or a list; NULL: there are fewer. */
const struct pickle_value *pickle_item(const struct pickle_value *value, size_t number);

#endif
