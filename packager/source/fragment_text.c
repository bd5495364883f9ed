/* SPDX-License-Identifier: Apache-2.0 */
#include "source/fragment_text.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "ptx/reading/ptx_symbols.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the compiler's messages call the lines after the source. The number of the line is that of the name,
 * from 1. */
static const char export_file[] = "--export";
static const char import_file[] = "--import";

/* Of a variable that holds a name's address. */
static const char export_variable[] = "cubinet_export_";
static const char import_variable[] = "cubinet_import_";

/* Lowered names are taken as they are. */
static bool is_lowered(const char *expression)
{
    return strncmp(expression, "_Z", 2) == 0;
}

/* The expression without the '&' that it may start with. */
static const char *named(const char *expression)
{
    while (*expression == '&' || isspace((unsigned char)*expression)) {
        expression++;
    }
    return expression;
}

static void append_instances(struct buffer *text, const struct cbn_text_list *exports)
{
    if (exports->count == 0) {
        return;
    }
    buffer_printf(text, "\n#line 1 \"%s\"\n", export_file);
    for (size_t i = 0; i < exports->count; i++) {
        const char *name = named(exports->items[i]);
        if (!is_lowered(name) && strchr(name, '<')) {
            buffer_printf(text, "template __device__ decltype(%s) %s;", name, name);
        }
        buffer_puts(text, "\n");
    }
}

static void append_variables(struct buffer *text, const char *file, const char *variable,
                             const struct cbn_text_list *names)
{
    buffer_printf(text, "\n#line 1 \"%s\"\n", file);
    for (size_t i = 0; i < names->count; i++) {
        if (!is_lowered(named(names->items[i]))) {
            buffer_printf(text, "static __device__ __attribute__((used)) const auto %s%zu = &%s;", variable,
                          i, named(names->items[i]));
        }
        buffer_puts(text, "\n");
    }
}

cubinet_status fragment_text_make(const char *source, const struct fragment_names *names, bool name_them,
                                  char **out_text)
{
    struct buffer text = {0};
    buffer_puts(&text, source);
    append_instances(&text, names->exports);
    if (name_them) {
        append_variables(&text, export_file, export_variable, names->exports);
        append_variables(&text, import_file, import_variable, names->imports);
    }
    *out_text = buffer_take(&text);
    return *out_text ? CUBINET_OK : cbn_error_memory();
}

cubinet_status fragment_text_lowered(const char *ptx, size_t size, bool is_export, size_t i,
                                     const char *expression, char **out_name)
{
    const char *name = named(expression);
    char variable[sizeof(export_variable) + 3 * sizeof(i)];
    snprintf(variable, sizeof(variable), "%s%zu", is_export ? export_variable : import_variable, i);
    struct cbn_ptx_token found = {.text = name, .size = strlen(name)};
    if (!is_lowered(name)) {
        found = ptx_symbols_address_in(ptx, size, variable);
    }
    *out_name = found.size ? strndup(found.text, found.size) : NULL;
    return found.size && !*out_name ? cbn_error_memory() : CUBINET_OK;
}

/* Reads "--export(3): error: because" at the start of a line. */
static bool read_refusal(const char *line, const char *file, const struct cbn_text_list *names,
                         struct fragment_refusal *refusal)
{
    static const char error[] = "): error: ";
    size_t size = strlen(file);
    char *end;
    if (strncmp(line, file, size) != 0 || line[size] != '(') {
        return false;
    }
    unsigned long number = strtoul(line + size + 1, &end, 10);
    if (number == 0 || number > names->count || strncmp(end, error, strlen(error)) != 0) {
        return false;
    }
    refusal->expression = names->items[number - 1];
    refusal->because = end + strlen(error);
    refusal->because_size = strcspn(refusal->because, "\n");
    return true;
}

bool fragment_text_refused(const char *log, const struct fragment_names *names,
                           struct fragment_refusal *out_refusal)
{
    const char *error = strstr(log, "): error: ");
    if (!error) {
        return false;
    }
    const char *line = error;
    while (line > log && line[-1] != '\n') {
        line--;
    }
    out_refusal->is_export = read_refusal(line, export_file, names->exports, out_refusal);
    return out_refusal->is_export || read_refusal(line, import_file, names->imports, out_refusal);
}
