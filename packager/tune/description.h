/* SPDX-License-Identifier: Apache-2.0 */
/* What `cubinet tune` is told to try: docs/guide/tune.md. */
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include "tune/expression.h"

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tune_type {
    TUNE_I8,
    TUNE_U8,
    TUNE_I16,
    TUNE_U16,
    TUNE_I32,
    TUNE_U32,
    TUNE_I64,
    TUNE_U64,
    TUNE_F16,
    TUNE_BF16,
    TUNE_F32,
    TUNE_F64,
    TUNE_TYPE_COUNT
};

enum tune_fill { TUNE_SCALAR, TUNE_ZERO, TUNE_RANDOM, TUNE_RAMP, TUNE_FILE };

/* A number, or an expression of the extent and the instance's values. */
struct tune_value {
    char *text; /* NULL: the number */
    double number;
};

struct tune_argument {
    char *name; /* "" if it has none */
    enum tune_type type;
    enum tune_fill fill;
    struct tune_value elements; /* of an array */
    struct tune_value first;    /* the scalar; random: the least value; ramp: the first value */
    struct tune_value second;   /* random: the bound; ramp: the step */
    uint64_t seed;
    char *file; /* path of the values, or of what an output has to be; NULL: none */
    bool is_output;
    char *expected; /* path of an output's right values; NULL: those of the reference */
};

struct tune_texts {
    struct tune_value *items;
    size_t count;
};

struct tune_shape {
    struct tune_value sides[3]; /* 1 beyond `count` */
    size_t count;               /* that were said */
};

struct tune_shapes {
    struct tune_shape *items;
    size_t count;
};

struct tune_instance {
    char *kernel; /* expression or lowered name */
    struct expression_values values;
};

/* What is launched: lists of which every combination is a candidate, or of one entry each. */
struct tune_choices {
    struct tune_shapes block;
    uint32_t grid_rule;            /* cubinet_grid_rule */
    struct tune_shapes grid_value; /* none: 1 */
    struct tune_shapes grid_limit; /* none: 0 */
    struct tune_texts shared;      /* dynamic shared bytes; none: 0 */
    struct tune_shapes cluster;    /* none: no cluster but the kernel's own */
};

struct tune_extent {
    uint64_t sides[3];
};

struct tune_set {
    char *name;
    char *module;
    struct tune_instance *instances;
    size_t instance_count;
    struct tune_extent *extents;
    size_t extent_count;
    uint32_t dimensions; /* of the extents: 1 to 3 */
    struct tune_argument *arguments;
    size_t argument_count;
    struct tune_choices candidates;
    struct tune_texts restrictions;
    bool is_cooperative;
    bool has_default;     /* else it is what the library suggests for the first instance */
    char *default_kernel; /* NULL: the first instance */
    struct tune_choices own_default;
    char *reference_kernel; /* NULL: that of the default */
    bool has_reference;
    struct tune_choices reference;
    double absolute; /* tolerances of outputs of floating-point types */
    double relative;
};

struct tune_description {
    char *folder; /* of the file: paths in it are relative to it */
    struct tune_set *sets;
    size_t set_count;
    unsigned char digest[32]; /* of the file's text */
};

/* Reads a description. Errors name the file, the place in it, what was found and what was needed. */
cubinet_status description_read(const char *path, struct tune_description *out_description);
void description_free(struct tune_description *description);

size_t tune_type_size(enum tune_type type);
const char *tune_type_name(enum tune_type type);
bool tune_type_is_real(enum tune_type type);

#endif
