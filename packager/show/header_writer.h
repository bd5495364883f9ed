/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the definitions of a generated header. What goes wrong is remembered, and checked once at the end.
 */
#ifndef HEADER_WRITER_H
#define HEADER_WRITER_H

#include "show/header_names.h"

#include <stdint.h>

struct cbn_readable;
struct header_types;

struct header_writer {
    size_t limit; /* bytes that the text may have */
    struct cbn_readable *readable;
    struct header_types *types;
    struct buffer text;
    struct header_names names; /* what the text defines */
    cubinet_status status;     /* the first failure; running out of memory may show in `text` alone */
};

/* Keeps the first failure. */
void header_note(struct header_writer *writer, cubinet_status status);

/* Notes a failure if the text is longer than it may be. */
void header_check_limit(struct header_writer *writer);

/* A subject's identifier with a suffix; header_define_name() where it is defined. */
void header_name(struct header_writer *writer, const struct header_subject *subject, enum header_case letters,
                 const char *suffix);
void header_define_name(struct header_writer *writer, struct header_subject *subject,
                        enum header_case letters, const char *suffix);

/* Makes an identifier that is not in the text one that nothing else may have. */
void header_reserve(struct header_writer *writer, struct header_subject *subject, const char *suffix);

/* Macros. */
void header_define_number(struct header_writer *writer, struct header_subject *subject, const char *suffix,
                          uint64_t number);
void header_define_string(struct header_writer *writer, struct header_subject *subject, const char *suffix,
                          const char *string);

/* Some subjects as an enum of their numbers and an array of their strings, both named after `owner` and what
 * one of them is: "module" makes the enum owner_module, OWNER_MODULE_COUNT and the array owner_modules.
 * Nothing if there are none. */
void header_define_list(struct header_writer *writer, struct header_subject *owner, const char *what,
                        struct header_subject *subjects, uint32_t count);

/* `before`, which has the comment's start in it, and `text` made harmless. */
void header_comment(struct header_writer *writer, const char *before, const char *text);

/* The text, which the caller frees, or the first failure. */
cubinet_status header_take(struct header_writer *writer, char **out_text);
void header_writer_free(struct header_writer *writer);

#endif
