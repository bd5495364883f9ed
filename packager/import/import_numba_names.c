/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_numba_names.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Text, and how much of it there is. */
struct span {
    const char *at;
    size_t size;
};

/* A parameter in the IR: `float* %"x.4"`. */
struct param {
    struct span type;
    struct span name;
};

static bool is_text(struct span span, const char *text)
{
    return span.size == strlen(text) && memcmp(span.at, text, span.size) == 0;
}

/* What is set in a type: it is made by _type_reconstructor(how, arguments, state). */
static const struct pickle_value *state_of(const struct pickle_value *type)
{
    return pickle_is_call(type, "_type_reconstructor") ? pickle_item(pickle_item(type, 1), 2) : NULL;
}

const struct pickle_value *import_numba_type_name(const struct pickle_value *type)
{
    const struct pickle_value *name = pickle_get(state_of(type), "name");
    return name && name->kind == PICKLE_TEXT ? name : NULL;
}

static const char *c_type(const struct pickle_value *type)
{
    static const char *const table[][2] = {
        {"bool", "bool"},       {"int8", "int8_t"},   {"uint8", "uint8_t"},   {"int16", "int16_t"},
        {"uint16", "uint16_t"}, {"int32", "int32_t"}, {"uint32", "uint32_t"}, {"int64", "int64_t"},
        {"uint64", "uint64_t"}, {"float32", "float"}, {"float64", "double"},
    };
    const struct pickle_value *name = import_numba_type_name(type);
    for (size_t i = 0; name && i < sizeof(table) / sizeof(table[0]); i++) {
        if (pickle_is_text(name, table[i][0])) {
            return table[i][1];
        }
    }
    return "";
}

/* Where the list of a function's parameters starts; NULL: the IR does not define it. */
static const char *find_params(struct span ir, const char *kernel)
{
    size_t size = strlen(kernel);
    const char *end = ir.at + ir.size;
    const char *at = ir.at;
    while ((at = memmem(at, (size_t)(end - at), kernel, size))) {
        const char *line = memrchr(ir.at, '\n', (size_t)(at - ir.at));
        line = line ? line + 1 : ir.at;
        at += size;
        at += at < end && *at == '"';
        if (at < end && *at == '(' && (size_t)(end - line) > strlen("define ") &&
            memcmp(line, "define ", strlen("define ")) == 0) {
            return at + 1;
        }
    }
    return NULL;
}

/* Where a parameter ends: at a ',' or ')' outside of brackets. */
static const char *end_of(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        if (depth == 0 && (*at == ',' || *at == ')')) {
            return at;
        }
        depth += (*at == '{' || *at == '(' || *at == '[') - (*at == '}' || *at == ')' || *at == ']');
    }
    return NULL;
}

/* False for one without a name. */
static bool read_param(const char *at, const char *end, struct param *out)
{
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    const char *percent = memrchr(at, '%', (size_t)(end - at));
    size_t type_size = 0;
    while (percent && at + type_size < percent && !isspace((unsigned char)at[type_size])) {
        type_size++;
    }
    if (!percent) {
        return false;
    }
    const char *name = percent + 1;
    bool is_quoted = name < end && *name == '"';
    name += is_quoted;
    const char *name_end = is_quoted ? memchr(name, '"', (size_t)(end - name)) : end;
    *out = (struct param){{at, type_size}, {name, name_end ? (size_t)(name_end - name) : 0}};
    return out->name.size > 0;
}

/* How much of "x.5.0" is what the source calls it. */
static size_t base_size(struct span name)
{
    const char *dot = memchr(name.at, '.', name.size);
    return dot ? (size_t)(dot - name.at) : name.size;
}

static bool is_array(const struct pickle_value *type)
{
    return pickle_get(state_of(type), "ndim") && pickle_get(state_of(type), "dtype");
}

/* The parts of an array, and the C types of all but the data. */
static const struct {
    const char *name;
    const char *type;
} parts[] = {{"meminfo", "void *"}, {"parent", "void *"}, {"nitems", "int64_t"}, {"itemsize", "int64_t"},
             {"data", ""},          {"shape", "int64_t"}, {"stride", "int64_t"}};
enum { DATA = 4 };

static cubinet_status add(struct launch_record *record, struct buffer *name, struct buffer *type)
{
    cubinet_status status = name->failed || type->failed
                                ? cbn_error_memory()
                                : launch_record_add_name(record, name->data, type->data ? type->data : "");
    buffer_free(name);
    buffer_free(type);
    return status;
}

/* Adds "x.5.0" as "x.shape0". */
static cubinet_status add_part(const struct param *param, const struct pickle_value *type,
                               struct launch_record *record)
{
    struct buffer name = {0};
    struct buffer c = {0};
    const char *rest = param->name.at + base_size(param->name) + 1;
    const char *end = param->name.at + param->name.size;
    size_t part = rest < end ? (size_t)(*rest - '0') : sizeof(parts);
    if (part >= sizeof(parts) / sizeof(parts[0])) {
        return launch_record_add_name(record, "", "");
    }
    buffer_append(&name, param->name.at, base_size(param->name) + 1);
    buffer_puts(&name, parts[part].name);
    if (end - rest > 2) {
        buffer_append(&name, rest + 2, (size_t)(end - rest) - 2);
    }
    const char *element = c_type(pickle_get(state_of(type), "dtype"));
    if (part == DATA && element[0]) {
        buffer_printf(&c, "%s *", element);
    } else {
        buffer_puts(&c, part == DATA ? "void *" : parts[part].type);
    }
    return add(record, &name, &c);
}

static bool is_complex(const struct pickle_value *type)
{
    return pickle_is_text(import_numba_type_name(type), "complex64") ||
           pickle_is_text(import_numba_type_name(type), "complex128");
}

/* Of a scalar, or a component of one. */
static cubinet_status add_scalar(const struct param *param, const struct pickle_value *type,
                                 struct launch_record *record)
{
    struct buffer name = {0};
    struct buffer c = {0};
    size_t base = base_size(param->name);
    bool is_whole = base == param->name.size;
    if (is_complex(type) && param->name.size == base + 2) {
        buffer_append(&name, param->name.at, base);
        buffer_puts(&name, param->name.at[base + 1] == '0' ? ".real" : ".imag");
    } else {
        buffer_append(&name, param->name.at, param->name.size);
    }
    buffer_puts(&c, is_text(param->type, "float")    ? "float"
                    : is_text(param->type, "double") ? "double"
                    : is_whole                       ? c_type(type)
                                                     : "");
    return add(record, &name, &c);
}

/* Steps through the parameters, and through the types of the arguments that they are of. */
struct walk {
    const struct pickle_value *types;
    size_t argument; /* from 1 on; 0: before the first */
    struct span base;
};

static cubinet_status add_param(const struct param *param, struct walk *walk, struct launch_record *record)
{
    struct span base = {param->name.at, base_size(param->name)};
    if (walk->argument == 0 || base.size != walk->base.size ||
        memcmp(base.at, walk->base.at, base.size) != 0) {
        walk->argument++;
        walk->base = base;
    }
    const struct pickle_value *type = pickle_item(walk->types, walk->argument - 1);
    return is_array(type) && base.size < param->name.size ? add_part(param, type, record)
                                                          : add_scalar(param, type, record);
}

cubinet_status import_numba_names(const char *ir, size_t size, const char *kernel,
                                  const struct pickle_value *types, struct launch_record *record)
{
    const char *end = ir + size;
    const char *at = find_params((struct span){ir, size}, kernel);
    struct walk walk = {.types = types};
    struct param param;
    cubinet_status status = CUBINET_OK;
    for (const char *stop = at ? end_of(at, end) : NULL; !status && stop && read_param(at, stop, &param);
         stop = end_of(at, end)) {
        status = add_param(&param, &walk, record);
        at = stop + 1;
        if (*stop == ')') {
            break;
        }
    }
    return status;
}
