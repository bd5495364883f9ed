/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects with strings and numbers alone, which is what the lines of a record are. */
#ifndef CBN_RECORD_JSON_H
#define CBN_RECORD_JSON_H

#include <stdbool.h>
#include <stdio.h>

/* A member of an object. A number is its digits with whatever follows them, for strtol(). */
struct cbn_json_member {
    const char *name;
    const char *value;
    bool is_string;
};

/* Writes a text as a string, in quotes. */
void cbn_json_print(FILE *file, const char *text);

/* Takes the next member of the object that `*rest` starts with or is inside of; its texts are unescaped in
 * place. 1: there was one; 0: the object, and the text, end here; -1: it is not such an object. Start with
 * `*rest` at the '{'. */
int cbn_json_next(char **rest, struct cbn_json_member *out_member);

#endif
