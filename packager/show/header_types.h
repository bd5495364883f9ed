/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's mangled name says of its parameters and template arguments, in words that a generated
 * header can use without the kernel's source. */
#ifndef HEADER_TYPES_H
#define HEADER_TYPES_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum header_type_kind {
    HEADER_TYPE_SIZED,   /* nothing is known but its size */
    HEADER_TYPE_VALUE,   /* a class or an enumeration */
    HEADER_TYPE_NUMBER,  /* text: the type */
    HEADER_TYPE_POINTER, /* text: what it points to, without qualifiers: a number, void or a pointer */
    HEADER_TYPE_OBJECT,  /* a pointer to what C has no name for */
};

enum { HEADER_TYPE_TEXT_SIZE = 64 };

struct header_type {
    enum header_type_kind kind;
    uint32_t bytes; /* 0: not known */
    bool is_const;  /* what it points to */
    bool is_volatile;
    const char *name; /* that the archive records, whose it is; NULL or "": none */
    char text[HEADER_TYPE_TEXT_SIZE];
};

/* A template argument that can be written in a header. */
struct header_argument {
    bool is_value;
    bool in_pack;                     /* one of a parameter pack's */
    char type[HEADER_TYPE_TEXT_SIZE]; /* of a value; the argument itself if it is a type */
    char text[HEADER_TYPE_TEXT_SIZE]; /* the argument */
};

struct header_signature {
    bool is_mangled;       /* and could be read: there are parameters */
    bool is_recorded;      /* the launch record tells types, and the name none */
    uint32_t hidden_count; /* parameters that are left out, since launches supply them */
    uint32_t parameter_count;
    struct header_type *parameters;
    /* The name as C++ writes it: namespaces, then the name. */
    bool is_nameable; /* all parts are identifiers, and all arguments can be written */
    char *path;       /* "ns::inner::scale"; NULL unless nameable */
    bool is_template;
    bool has_pack; /* the last of the template's parameters */
    uint32_t argument_count;
    struct header_argument *arguments;
};

struct header_types;

/* A reader of one name at a time; NULL if memory is out. */
struct header_types *header_types_new(void);
void header_types_free(struct header_types *types);

/* A name that is not mangled has no parameters here, and is its own path. The caller frees the signature. */
cubinet_status header_signature_read(struct header_types *types, const char *lowered,
                                     struct header_signature *out_signature);
void header_signature_free(struct header_signature *signature);

#endif
