/* SPDX-License-Identifier: Apache-2.0 */
/* The identifiers of a generated header, each of which must be there once. */
#ifndef HEADER_NAMES_H
#define HEADER_NAMES_H

#include "base/buffer.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>

/* What identifiers are made for: the archive, a module, a kernel or a global. */
struct header_subject {
    const struct header_subject *parent; /* whose identifier comes before this one's; NULL: the archive */
    const char *name;                    /* for people: a name expression */
    const char *lowered;                 /* what no other of its kind and parent has */
    char *readable;                      /* what `name` is if nobody named it; freed with it */
    bool digested;                       /* its identifiers have a digest of the lowered name in them */
    bool clashes;                        /* they must get one */
};

enum header_case { HEADER_LOWER, HEADER_UPPER };

/* Appends a subject's identifier with `suffix` at its end, which is in the right case already. In lower case
 * the archive's own part, which the user gave, stays as it is. */
void header_identifier(struct buffer *text, const struct header_subject *subject, enum header_case letters,
                       const char *suffix);

/* Appends its own part of it alone, in lower case: no other of its kind and parent has that, if all their
 * identifiers are unlike. It may be empty and start with a digit. */
void header_own_identifier(struct buffer *text, const struct header_subject *subject);

struct header_name {
    char *identifier;
    struct header_subject *subject;
};

struct header_names {
    struct header_name *items;
    size_t count;
};

/* Notes that an identifier is used for a subject; takes the string over, also on failure. */
cubinet_status header_names_add(struct header_names *names, char *identifier, struct header_subject *subject);

/* Looks for identifiers that are there twice. If there are any, the kernels and globals that they are made
 * for, or else the modules, become `digested`, and *out_again is true: the header must be made again.
 * CUBINET_ERROR_LIMIT if that was done before. */
cubinet_status header_names_check(struct header_names *names, bool *out_again);

void header_names_free(struct header_names *names);

#endif
