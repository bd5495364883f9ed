/* SPDX-License-Identifier: Apache-2.0 */
/* A source and the headers of its project, preprocessed: the tokens that a compiler would see, each with
 * where it stands.
 *
 * Headers in closed folders, the toolkit's, are not read, nor are headers that are not found: their macros
 * are unknown here. A condition over unknown macros is what it is when they are not defined. Nothing is
 * reported; what is wrong in the source, the compiler says. */
#ifndef CXX_UNIT_H
#define CXX_UNIT_H

#include "cxx/cxx_token.h"
#include "loader/core/support/text_list.h"

#include <sys/types.h>

/* A #line: the lines after it go by another number, and maybe another name. */
struct cxx_renumbering {
    uint32_t line;   /* of the directive */
    uint32_t number; /* of the line after it */
    const char *name;
    size_t name_size;
};

struct cxx_file {
    char *path; /* as a compiler would spell it at its first use */
    char *data;
    const char *text; /* in data, after a byte-order mark */
    struct cxx_tokens tokens;
    dev_t device;
    ino_t inode;
    unsigned uses;                        /* how often it was read */
    bool is_once;                         /* #pragma once */
    bool is_changed;                      /* the text is not the file's: see `despite` */
    struct cxx_renumbering *renumberings; /* in the order of the lines */
    size_t renumbering_count;
};

/* A use of a macro that is not in another's: everything between the offsets stands for what it made. */
struct cxx_expansion {
    uint32_t begin;
    uint32_t end;
    uint16_t file;
};

struct cxx_block;

struct cxx_unit {
    struct cxx_file **files; /* the source is the first */
    size_t file_count;
    struct cxx_tokens tokens; /* ended by CXX_END */
    struct cxx_expansion *expansions;
    size_t expansion_count;
    struct cxx_block *blocks; /* text that macros made */
};

/* The gcc that host code is read for: what __GNUC__ and __GNUC_MINOR__ are. */
#define CXX_GNUC       "12"
#define CXX_GNUC_MINOR "2"
#define CXX_GNUC_ABI   "1017" /* __GXX_ABI_VERSION */

struct cxx_settings {
    const char *path;                    /* of the source */
    const char *text;                    /* of the source, as it is compiled; copied */
    const struct cbn_text_list *folders; /* where headers are looked for, in order */
    const struct cbn_text_list *closed;  /* folders whose headers are not read */
    const struct cbn_text_list *first;   /* headers that are included before the source */
    const struct cbn_text_list *macros;  /* as after -D: NAME, NAME=TEXT; the last of a name holds */
    const struct cbn_text_list *removed; /* as after -U */
    const char *predefined;              /* a header of macros that is read first, closed or not; or NULL */
    const char *despite; /* a macro: what is left out for it alone is read (cxx_left_out.h); or NULL */
};

/* CUBINET_ERROR_OUT_OF_MEMORY, or CUBINET_ERROR_LIMIT for a source that expands beyond all measure. */
cubinet_status cxx_unit_read(const struct cxx_settings *settings, struct cxx_unit *out_unit);

void cxx_unit_free(struct cxx_unit *unit);

/* The number that the compiler gives to a line of a file, before any that is still to be read. */
uint32_t cxx_line_number(const struct cxx_file *file, uint32_t line);

/* Where a token ends in its file. */
uint32_t cxx_token_end(const struct cxx_unit *unit, const struct cxx_token *token);

/* Memory that lasts as long as the unit; NULL if there is none. */
char *cxx_unit_room(struct cxx_unit *unit, size_t size);

#endif
