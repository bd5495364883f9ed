/* SPDX-License-Identifier: Apache-2.0 */
/* The units that PTX is split into: its statements, with which others each refers to. */
#ifndef PTX_UNITS_H
#define PTX_UNITS_H

#include "loader/link/ptx_statement.h"
#include "ptx/reading/ptx_table.h"

enum ptx_unit_kind {
    PTX_UNIT_HEAD,     /* in every part: ".version" */
    PTX_UNIT_OTHER,    /* where it is referred to: files of line numbers, debug information, prototypes */
    PTX_UNIT_KERNEL,   /* with a body, or declared */
    PTX_UNIT_FUNCTION, /* likewise */
    PTX_UNIT_VARIABLE,
};

struct ptx_unit {
    enum ptx_unit_kind kind;
    struct cbn_ptx_lexer text;          /* of the first with all that is before it */
    struct cbn_ptx_statement statement; /* of a kernel, function or variable */
    bool is_copied; /* a variable that never changes and has no name for the host: parts may have their own */
    bool has_state; /* what refers to it must be in the same part */
    bool is_indirect;      /* it calls through an address, or holds one of a function */
    size_t last_reference; /* a row of `references`; PTX_NO_REFERENCE */
};

#define PTX_NO_REFERENCE SIZE_MAX

struct ptx_reference {
    size_t unit;
    size_t previous; /* of the same unit; PTX_NO_REFERENCE */
};

struct ptx_units {
    struct ptx_unit *items; /* in the order of the text */
    size_t count;
    struct ptx_reference *references;
    size_t reference_count;
    struct ptx_table
        names; /* of kernels, functions, variables and labels of debug information: numbers are units */
    struct ptx_table files;           /* by the number that the text gives them */
    const char *reason;               /* why the text can't be split; NULL: it can */
    struct cbn_ptx_token reason_name; /* what that is about; size 0: nothing */
    bool failed;                      /* memory is out */
};

/* Reads a text; ptx_references_find() fills in the references. The caller frees it, whatever the outcome; it
 * points into the text. */
struct ptx_units ptx_units_read(struct cbn_ptx_lexer text);
void ptx_units_free(struct ptx_units *units);

/* For the files of this room: notes that a unit refers to another, and why the text can't be split. */
void ptx_units_refer(struct ptx_units *units, size_t from, size_t to);
void ptx_units_refuse(struct ptx_units *units, const char *reason, struct cbn_ptx_token name);

#endif
